/// The format of a presentation's segments.
public enum SegmentType: String, CaseIterable, Sendable {
  /// Transport streams, with video, audio and events together.
  case transportStream = "ts"
  /// Fragmented MP4 (CMAF), one track a file: events are in the video track, and audio is a rendition group.
  case fragmentedMP4 = "fmp4"
}
