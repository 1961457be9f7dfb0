public import EventReading

/// What reading a presentation gives.
public enum HLSItem: Equatable, Sendable {
  /// Something in the stream, and where it lies; `nil` for an event of a date range. Offsets count from the start of the source's file.
  case item(StreamItem, in: HLSSource?)
  /// Something that went wrong on the way, or that the presentation lacks.
  case notice(HLSNotice)
}

/// A segment or a map of a presentation.
public struct HLSSource: Equatable, Sendable {
  /// Where it is, as the playlist has it.
  public var uri: String
  /// The segment's media sequence number; of a map, that of the first segment that needs it.
  public var mediaSequence: UInt64

  /// A source.
  public init(uri: String, mediaSequence: UInt64) {
    self.uri = uri
    self.mediaSequence = mediaSequence
  }
}

/// What bytes of a presentation belong to, for those who look at the bytes themselves.
public struct HLSPortion: Equatable, Sendable {
  /// What it is to the presentation; keys are not handed on.
  public var kind: HLSReader.Resource.Kind
  /// The segment or the map; of a playlist, its address with the number 0.
  public var source: HLSSource
  /// Where in its file it starts, in bytes.
  public var start: UInt64

  /// A portion of a presentation.
  public init(kind: HLSReader.Resource.Kind, source: HLSSource, start: UInt64 = 0) {
    self.kind = kind
    self.source = source
    self.start = start
  }
}
