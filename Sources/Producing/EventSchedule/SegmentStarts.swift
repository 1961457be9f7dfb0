import Basics

/// The starts of the latest segments. An event that was active in one of the last two is refreshed at the start of the next one too: so it outlasts
/// the loss of any two neighbours.
struct SegmentStarts: Sendable {
  private var starts: [MediaTime] = []

  /// Starts a segment.
  ///
  /// - Returns: The start of the segment two before it; `.min` ticks where there is none. What was over by then is not refreshed any more.
  mutating func start(at time: MediaTime) -> MediaTime {
    defer { starts = starts.suffix(1) + [time] }
    return starts.count == 2 ? starts[0] : MediaTime(ticks: .min)
  }
}
