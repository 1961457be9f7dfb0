import Basics

/// The times of the video (or, without video, of the audio) in one segment.
struct SegmentTimes: Equatable, Sendable {
  /// The presentation time of the first access unit.
  var first: MediaTime
  /// The earliest presentation time.
  var earliest: MediaTime
  /// The latest end of an access unit.
  var end: MediaTime
  /// The maximum error of ``end``: an audio packet contains any number of frames.
  var endTolerance = MediaTime.zero
  /// Whether decoding can start with the first access unit.
  var isRandomAccess: Bool
  /// Whether these are the times of video.
  var isVideo: Bool

  /// How long pictures that precede the first access unit are presented.
  var lead: MediaTime { max(first - earliest, .zero) }
}
