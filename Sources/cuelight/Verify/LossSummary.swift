import Basics
import Verification

/// What several readings with losses have in common.
struct LossSummary: CustomStringConvertible {
  /// How many readings there were.
  private(set) var runs = 0
  /// What the latest of them gave.
  private(set) var latest: Verifier.Report?
  private var events = 0
  private var lost = 0
  private var runsWithDifferences = 0
  private var otherDifferences = 0
  /// How many events were known so long after their time.
  private var delays: [MediaTime: Int] = [:]

  /// Adds a reading.
  mutating func add(_ report: Verifier.Report) {
    runs += 1
    latest = report
    events += report.results.count
    let missing = report.differences.filter { $0.kind == "missing" }.count
    lost += missing
    otherDifferences += report.differences.count - missing
    if !report.differences.isEmpty { runsWithDifferences += 1 }
    for case let delay? in report.results.map({ $0.delay }) { delays[delay, default: 0] += 1 }
  }

  /// The delay within which this percentage of the events is known; `nil` where no event is known.
  private func percentile(_ percent: Int) -> MediaTime? {
    var missing = (delays.values.reduce(0, +) * percent + 99) / 100
    for (delay, count) in delays.sorted(by: { $0.key < $1.key }) {
      missing -= count
      if missing <= 0 { return delay }
    }
    return nil
  }

  var description: String {
    let count = runs == 1 ? "1 run" : "\(runs) runs"
    let others = otherDifferences == 0 ? "" : ", \(otherDifferences) other \(otherDifferences == 1 ? "difference" : "differences")"
    let failing = runsWithDifferences == 0 ? "" : ", \(runsWithDifferences) of them with differences"
    let verdict = lost == 0 ? "no event lost" : "\(lost) of \(events) events lost"
    guard let median = percentile(50), let high = percentile(99), let last = percentile(100) else {
      return "\(verdict)\(others) in \(count)\(failing)"
    }
    let known = "known after \(median.text(decimals: 3)) s (half), \(high.text(decimals: 3)) s (99 %), \(last.text(decimals: 3)) s (all)"
    return "\(verdict)\(others) in \(count)\(failing): \(known)"
  }

  /// The summary as `--json` prints it.
  var line: JSONObject {
    var line = JSONObject()
    line.add("type", "summary")
    line.add("passed", runsWithDifferences == 0)
    line.add("runs", runs)
    line.add("runsWithDifferences", runsWithDifferences)
    line.add("events", events)
    line.add("lost", lost)
    for (key, percent) in [("knownAfterP50", 50), ("knownAfterP95", 95), ("knownAfterP99", 99), ("knownAfterMax", 100)] {
      if let delay = percentile(percent) { line.add(key, delay) } else { line.append(key, .null) }
    }
    return line
  }
}
