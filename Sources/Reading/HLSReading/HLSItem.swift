public import EventReading

/// What reading a presentation gives.
public enum HLSItem: Equatable, Sendable {
  /// Something in the stream, and where it lies; `nil` for an event of a date range. Offsets count from the start of the source's file.
  case item(StreamItem, in: HLSSource?)
  /// Something that went wrong on the way, or that the presentation lacks.
  case notice(HLSNotice)
}

/// A segment or an initialization segment of a presentation.
public struct HLSSource: Equatable, Sendable {
  /// Where it is, as the playlist has it.
  public var uri: String
  /// The segment's media sequence number; of an initialization segment, that of the first segment that needs it.
  public var mediaSequence: UInt64

  /// A source.
  public init(uri: String, mediaSequence: UInt64) {
    self.uri = uri
    self.mediaSequence = mediaSequence
  }
}
