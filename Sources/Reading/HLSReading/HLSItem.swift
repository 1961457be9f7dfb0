public import EventReading

/// An item that reading a presentation yields.
public enum HLSItem: Equatable, Sendable {
  /// An item of the stream, and its source; `nil` for an event of a date range. Offsets count from the start of the source's file.
  case item(StreamItem, in: HLSSource?)
  /// A problem in loading, or something that the presentation lacks.
  case notice(HLSNotice)
}

/// A segment or an initialization segment of a presentation.
public struct HLSSource: Equatable, Sendable {
  /// Its URI, as in the playlist.
  public var uri: String
  /// The segment's media sequence number; of an initialization segment, that of the first segment that needs it.
  public var mediaSequence: UInt64

  /// A source.
  public init(uri: String, mediaSequence: UInt64) { (self.uri, self.mediaSequence) = (uri, mediaSequence) }
}
