import Basics

/// The starts of the latest segments. An event that was active in one of the last two is also refreshed at the start of the next one, so that it
/// survives the loss of any two consecutive segments.
struct SegmentStarts: Sendable {
  private var starts: [MediaTime] = []

  /// Starts a segment.
  ///
  /// - Returns: The start of the segment two before it; `.min` ticks if there is none. Events that were over by then are no longer refreshed.
  mutating func start(at time: MediaTime) -> MediaTime {
    defer { starts = starts.suffix(1) + [time] }
    return starts.count == 2 ? starts[0] : MediaTime(ticks: .min)
  }
}
