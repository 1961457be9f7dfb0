public import GameEvents
public import ID3
public import MediaTime
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
  /// When it is presented, on the stream's timeline (for MPEG-TS: unwrapped 33-bit presentation time).
  public var presentationTime: MediaTime
  /// When it is presented, on the programme's timeline as the pictures tell it; `nil` where they do not.
  public var pictureTime: MediaTime?
  /// What carries it.
  public var carriage: Carriage
  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int
  /// The size of its ID3 tag in bytes.
  public var byteCount: Int

  /// A place.
  public init(
    time: MediaTime, presentationTime: MediaTime, pictureTime: MediaTime? = nil, carriage: Carriage, offset: Int, byteCount: Int
  ) {
    self.time = time
    self.presentationTime = presentationTime
    self.pictureTime = pictureTime
    self.carriage = carriage
    self.offset = offset
    self.byteCount = byteCount
  }
}

/// What carries timed metadata.
public enum Carriage: Equatable, Sendable {
  /// An elementary stream of MPEG-TS.
  case transportStream(pid: PID)

  /// The name of the carriage.
  public var name: String {
    switch self {
    case .transportStream: "ts"
    }
  }
}

/// Something in a stream that could not be read.
public struct Damage: Equatable, Sendable {
  /// Where it starts, in bytes from the start of the stream.
  public var offset: Int
  /// What is wrong.
  public var reason: String

  /// Damage at an offset.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
