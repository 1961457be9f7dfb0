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

/// The position of an item in the stream and its time in the programme.
public struct Place: Equatable, Sendable {
  /// When it is presented, on the programme's timeline. If its own presentation time is damaged, this is the time that its events give.
  public var time: MediaTime
  /// When it is presented, on the stream's timeline (for MPEG-TS and packed audio: unwrapped 33-bit presentation time).
  public var presentationTime: MediaTime
  /// When it is presented, on the programme's timeline as the video tells it; `nil` if it does not.
  public var videoTime: MediaTime?
  /// The carriage.
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

/// A carriage of timed metadata.
public enum Carriage: Equatable, Sendable {
  /// Timed ID3 in an elementary stream of MPEG-TS.
  case id3(pid: PID)
  /// An event message of fragmented MP4 (`emsg`), with its id.
  case eventMessage(id: UInt32)
  /// A user data SEI message of H.264 or HEVC video, with the PID of the video in MPEG-TS. Its offset is that of the access unit.
  case sei(pid: PID?)
  /// A tag between the frames of packed audio.
  case packedAudio
  /// A date range of an HLS playlist, with its identifier.
  case dateRange(id: String)

  /// The kind of a carriage.
  enum Kind: String, Sendable {
    case id3 = "ts"
    case eventMessage = "emsg"
    case sei, packedAudio
    case dateRange = "daterange"
  }

  var kind: Kind {
    switch self {
    case .id3: .id3
    case .eventMessage: .eventMessage
    case .sei: .sei
    case .packedAudio: .packedAudio
    case .dateRange: .dateRange
    }
  }

  /// The PID of the carriage in a transport stream.
  package var pid: PID? {
    switch self {
    case .id3(let pid): pid
    case .sei(let pid): pid
    case .eventMessage, .packedAudio, .dateRange: nil
    }
  }

  /// Whether a player of the stream hands the carriage's tags to its page.
  package var isHandedToPages: Bool {
    switch self {
    case .id3, .eventMessage: true
    case .sei, .packedAudio, .dateRange: false
    }
  }

  /// The name of the carriage.
  public var name: String { kind.rawValue }
}
