package import Basics

/// How many delays there are of each length: a fixed number of counts, however many viewers there are. A delay is known to a quarter of a second up to
/// two minutes, and longer ones are together.
package struct DelayHistogram: Equatable, Sendable {
  /// The counts of each step; the last one is that of all longer delays.
  private var counts = [Int](repeating: 0, count: steps + 1)
  /// The number of delays.
  package private(set) var count = 0

  /// The length of a step, and their number.
  private static let step: Int64 = 250
  private static let steps = 480
  /// Delays longer than this are counted together.
  package static let longest = MediaTime(milliseconds: step * Int64(steps))

  package init() {}

  /// The step of a delay in milliseconds: 0 for all up to the first quarter of a second.
  static func step(of milliseconds: Int64) -> Int {
    guard milliseconds > 0 else { return 0 }
    return Int(min((milliseconds - 1) / step, Int64(steps)))
  }

  /// Adds a delay of a step.
  mutating func add(_ step: Int) {
    counts[step] += 1
    count += 1
  }

  /// Takes away a delay of a step that was added.
  mutating func remove(_ step: Int) {
    guard counts[step] > 0 else { return }
    counts[step] -= 1
    count -= 1
  }

  /// The delay that this many of 1,000 viewers do not exceed; `nil` without viewers. It is the end of a step, so it is never too short; for
  /// delays beyond ``longest`` it is that.
  package func quantile(_ thousandths: Int) -> MediaTime? {
    guard count > 0 else { return nil }
    // The least number of viewers that is at least that share of all.
    let wanted = max((count * min(max(thousandths, 0), 1_000) + 999) / 1_000, 1)
    var sum = 0
    for (index, number) in counts.enumerated() {
      sum += number
      if sum >= wanted { return MediaTime(milliseconds: Self.step * Int64(min(index + 1, Self.steps))) }
    }
    return Self.longest
  }

  /// The number of delays that are at most so long, to the step.
  package func count(upTo delay: MediaTime) -> Int {
    counts.prefix(Self.step(of: delay.milliseconds) + 1).reduce(0, +)
  }

  /// The median, the delay of 95 and that of 99 of 100, in seconds; empty without viewers.
  package var object: JSONObject {
    JSONObject(fields: ["count": count, "p50": quantile(500), "p95": quantile(950), "p99": quantile(990)])
  }

  /// The counts of a metric: for each bound in seconds how many delays are not above it.
  package func buckets(_ bounds: [Int]) -> [(bound: String, count: Int)] {
    bounds.map { ("\($0)", count(upTo: MediaTime(seconds: $0))) }
  }
}
