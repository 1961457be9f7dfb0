public import Basics
public import GameEvents
public import ID3
public import TransportStream

/// What a reader finds in a stream. Items come in the order of the stream.
public enum StreamItem: Equatable, Sendable {
  /// A copy of an event.
  case copy(EventCopy, Place)
  /// An ID3 tag that carries no event.
  case tag(ID3Tag, Place)
  /// Something that could not be read.
  case damage(Damage)
}

/// Where in the stream, and when in the programme, something lies.
public struct Place: Equatable, Sendable {
  /// When it is presented, on the programme's timeline. Where its own presentation time is damaged, it is what its events say.
  public var time: MediaTime
  /// When it is presented, on the stream's timeline (for MPEG-TS and packed audio: unwrapped 33-bit presentation time).
  public var presentationTime: MediaTime
  /// When it is presented, on the programme's timeline as the video tells it; `nil` where it does not.
  public var videoTime: MediaTime?
  /// What carries it.
  public var carriage: Carriage
  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int
  /// The size of its ID3 tag in bytes.
  public var byteCount: Int
  /// Whether the first five bytes of its ID3 tag were missing, as FFmpeg before 6.1 cuts them: the tag was read as if they were there.
  public var isRestored: Bool

  /// A place.
  public init(
    time: MediaTime, presentationTime: MediaTime, videoTime: MediaTime? = nil, carriage: Carriage, offset: Int, byteCount: Int,
    isRestored: Bool = false
  ) {
    self.time = time
    self.presentationTime = presentationTime
    self.videoTime = videoTime
    self.carriage = carriage
    self.offset = offset
    self.byteCount = byteCount
    self.isRestored = isRestored
  }
}

/// What carries timed metadata.
public enum Carriage: Equatable, Sendable {
  /// An elementary stream of MPEG-TS.
  case transportStream(pid: PID)
  /// An event message of fragmented MP4 (`emsg`), with its id.
  case eventMessage(id: UInt32)
  /// A user data SEI message of H.264 or HEVC video, with the PID of the video in MPEG-TS. Its offset is where the access unit starts.
  case sei(pid: PID?)
  /// A tag between the frames of packed audio.
  case packedAudio
  /// A date range of an HLS playlist, with its identifier.
  case dateRange(id: String)

  /// What all places of the same sort have in common.
  enum Kind: String, Sendable {
    case transportStream = "ts"
    case eventMessage = "emsg"
    case sei, packedAudio
    case dateRange = "daterange"
  }

  var kind: Kind {
    switch self {
    case .transportStream: .transportStream
    case .eventMessage: .eventMessage
    case .sei: .sei
    case .packedAudio: .packedAudio
    case .dateRange: .dateRange
    }
  }

  /// The PID of what carries it in a transport stream.
  package var pid: PID? {
    switch self {
    case .transportStream(let pid): pid
    case .sei(let pid): pid
    case .eventMessage, .packedAudio, .dateRange: nil
    }
  }

  /// The name of the carriage.
  public var name: String { kind.rawValue }
}
