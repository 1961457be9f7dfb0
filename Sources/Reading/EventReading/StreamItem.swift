public import Basics
public import GameEvents
public import ID3
public import TransportStream

/// What a reader finds in a stream, in the order in which it lies there.
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
  /// When it is presented, on the programme's timeline as the pictures tell it; `nil` where they do not.
  public var videoTime: MediaTime?
  /// What carries it.
  public var carriage: Carriage
  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int
  /// The size of its ID3 tag in bytes.
  public var byteCount: Int

  /// A place.
  public init(
    time: MediaTime, presentationTime: MediaTime, videoTime: MediaTime? = nil, carriage: Carriage, offset: Int, byteCount: Int
  ) {
    self.time = time
    self.presentationTime = presentationTime
    self.videoTime = videoTime
    self.carriage = carriage
    self.offset = offset
    self.byteCount = byteCount
  }
}

/// What carries timed metadata.
public enum Carriage: Equatable, Sendable {
  /// An elementary stream of MPEG-TS.
  case transportStream(pid: PID)
  /// An event message of fragmented MP4 (`emsg`), with its id.
  case eventMessage(id: UInt32)
  /// A tag between the frames of packed audio.
  case packedAudio
  /// A date range of an HLS playlist, with its identifier.
  case dateRange(id: String)

  /// The name of the carriage.
  public var name: String {
    switch self {
    case .transportStream: "ts"
    case .eventMessage: "emsg"
    case .packedAudio: "packedAudio"
    case .dateRange: "daterange"
    }
  }
}

extension [StreamItem] {
  /// Appends what a tag at a place holds: the copies of events among its frames, or else the tag.
  ///
  /// - Parameters:
  ///   - copies: The copies of events in the tag, or why they cannot be used.
  ///   - told: The programme time that its copy tells, where that and the place's time are apart. It holds, and the damage is told.
  mutating func append(_ tag: ID3Tag, _ copies: [Result<EventCopy, EventError>], at place: Place, told: MediaTime?) {
    var place = place
    if let told {
      let off = (place.time - told).magnitude.decimalSeconds
      append(.damage(Damage(offset: place.offset, reason: "presentation time is \(off) s off what the event says")))
      place.time = told
    }
    if copies.isEmpty { append(.tag(tag, place)) }
    for copy in copies {
      switch copy {
      case .success(let copy): append(.copy(copy, place))
      case .failure(let error): append(.damage(Damage(offset: place.offset, reason: "unusable event: \(error)")))
      }
    }
  }
}
