/// What the segments of a presentation are.
public enum SegmentType: String, CaseIterable, Sendable {
  /// Transport streams, with picture, sound and events together.
  case transportStream = "ts"
  /// Fragmented MP4 (CMAF), a track a file: events ride with the picture, sound is an audio group.
  case fragmentedMP4 = "fmp4"
}
