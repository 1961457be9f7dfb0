package import Basics

/// Figures of several readings of one stream through losses.
package struct RunSummary: Equatable, Sendable {
  /// The number of readings.
  package private(set) var runs = 0
  /// The number of readings with differences.
  package private(set) var runsWithDifferences = 0
  /// The number of events that should arrive, in all readings together.
  package private(set) var events = 0
  /// The number of events that did not arrive.
  package private(set) var lost = 0
  /// The report of the latest reading.
  package private(set) var latest: Verifier.Report?
  private var otherDifferences = 0
  /// The number of events that were known after each delay.
  private var delays: [MediaTime: Int] = [:]

  /// No reading yet.
  package init() {}

  /// Adds a reading.
  package mutating func add(_ report: Verifier.Report) {
    runs += 1
    latest = report
    events += report.results.count
    let missing = report.differences.count { if case .missing = $0 { true } else { false } }
    lost += missing
    otherDifferences += report.differences.count - missing
    if !report.differences.isEmpty { runsWithDifferences += 1 }
    for case let delay? in report.results.map({ $0.delay }) { delays[delay, default: 0] += 1 }
  }

  /// The delay within which a percentage of the events that arrived were known; `nil` if none arrived.
  package func percentile(_ percent: Int) -> MediaTime? {
    var missing = (delays.values.reduce(0, +) * percent + 99) / 100
    for (delay, count) in delays.sorted(by: { $0.key < $1.key }) {
      missing -= count
      if missing <= 0 { return delay }
    }
    return nil
  }
}

extension RunSummary: CustomStringConvertible {
  /// The figures in words.
  package var description: String {
    let count = runs.of("run")
    let others = otherDifferences == 0 ? "" : ", \(otherDifferences.of("other difference"))"
    let failing = runsWithDifferences == 0 ? "" : ", \(runsWithDifferences) of them with differences"
    let verdict = lost == 0 ? "no event lost" : "\(lost) of \(events.of("event")) lost"
    guard let median = percentile(50), let high = percentile(99), let last = percentile(100) else {
      return "\(verdict)\(others) in \(count)\(failing)"
    }
    let known = "known after \(median.text(decimals: 3)) s (half), \(high.text(decimals: 3)) s (99 %), \(last.text(decimals: 3)) s (all)"
    return "\(verdict)\(others) in \(count)\(failing): \(known)"
  }
}
