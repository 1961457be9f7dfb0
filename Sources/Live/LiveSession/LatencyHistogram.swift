package import Basics

/// The times from the acceptance of events to their first copies.
package struct LatencyHistogram: Equatable, Sendable {
  /// The upper bounds of the buckets, in seconds.
  private static let bounds = [0.005, 0.01, 0.02, 0.03, 0.04, 0.055, 0.08, 0.12, 0.2, 0.5, 1, 5]
  private var counts = [Int](repeating: 0, count: bounds.count)
  /// The number of events.
  package private(set) var count = 0
  /// The sum of their seconds.
  package private(set) var sum = 0.0
  /// The time of the latest event.
  package private(set) var latest: MediaTime?

  /// Adds an event.
  mutating func add(_ seconds: Double) {
    for index in counts.indices where seconds <= Self.bounds[index] { counts[index] += 1 }
    count += 1
    sum += seconds
    latest = MediaTime(seconds: seconds)
  }

  /// The number of events up to each bound, in seconds.
  package var buckets: [(bound: Double, count: Int)] { Array(zip(Self.bounds, counts)) }
}
