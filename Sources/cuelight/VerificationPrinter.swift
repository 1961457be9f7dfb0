import GameEvents
import HLSReading
import JSONText
import MediaTime
import Verification

/// Prints what `verify` finds, as text or as JSON, and gathers the report for continuous integration.
struct VerificationPrinter {
  let isJSON: Bool
  let hasTable: Bool
  /// What the input is called.
  let name: String
  /// Whether nothing has differed so far.
  private(set) var hasPassed = true
  /// How many resources could not be loaded whole.
  var losses = 0
  private var output = StandardOutput()
  private var report: JUnitReport

  init(isJSON: Bool, hasTable: Bool, name: String) {
    self.isJSON = isJSON
    self.hasTable = hasTable
    self.name = name
    report = JUnitReport(name: name)
  }

  /// The report for continuous integration.
  func junit(after duration: Duration) -> String {
    var report = report
    report.duration =
      MediaTime(seconds: Int(clamping: duration.components.seconds))
      + MediaTime(ticks: duration.components.attoseconds / (1_000_000_000_000_000_000 / MediaTime.ticksPerSecond))
    return report.xml
  }

  /// Writes what is pending.
  mutating func finish() throws(CommandFailure) { try output.flush() }

  /// Says what a stream or a rendition has become of.
  mutating func print(_ found: Verifier.Report, _ choice: HLSChoice?, losses: Int) throws(CommandFailure) {
    hasPassed = hasPassed && found.differences.isEmpty
    let name = name(choice)
    report.add(found, of: name)
    if losses > 0 {
      let text = losses == 1 ? "1 resource could not be loaded" : "\(losses) resources could not be loaded"
      report.cases.append(.init(name: "loading", group: name, failures: [.init(kind: "loading", message: text)]))
    }
    if isJSON { try printJSON(found, choice) } else { try printText(found, name) }
  }

  /// Says what has become of the events in several readings with losses.
  mutating func print(_ runs: [LossRun], _ choice: HLSChoice?) throws(CommandFailure) {
    let summary = LossSummary(runs)
    hasPassed = hasPassed && summary.runsWithDifferences == 0
    let name = name(choice)
    for run in runs {
      report.cases.append(.init(name: run.name, group: name, failures: run.report.differences.map { .init($0) }))
      guard !run.report.differences.isEmpty else { continue }
      guard isJSON else {
        let differences = run.report.differences.map { "\($0)" }.joined(separator: "; ")
        try output.line(TransitionPrinter.printable("\(name) (\(run.name)): \(differences)"))
        continue
      }
      for difference in run.report.differences { try output.line(line(difference, choice, run: run.name).text) }
    }
    if hasTable, let only = runs.first, runs.count == 1 { try printTable(only.report) }
    guard isJSON else { return try output.line(TransitionPrinter.printable("\(name): \(summary)")) }
    var line = summary.line
    if let choice { line.add("rendition", choice.uri) }
    try output.line(line.text)
  }

  private func name(_ choice: HLSChoice?) -> String { choice.map { "\(name) (\($0.uri))" } ?? name }

  private mutating func printTable(_ report: Verifier.Report) throws(CommandFailure) {
    for line in report.table { try output.line(TransitionPrinter.printable(line)) }
  }

  private mutating func printText(_ report: Verifier.Report, _ name: String) throws(CommandFailure) {
    for difference in report.differences {
      try output.line(TransitionPrinter.printable("\(name): \(difference)"))
    }
    if hasTable { try printTable(report) }
    let damages = report.damages > 0 ? ", \(report.damages) damaged \(report.damages == 1 ? "place" : "places")" : ""
    let others = report.otherEvents > 0 ? ", \(report.otherEvents) events of other games" : ""
    let unverified = report.unverified > 0 ? ", \(report.unverified) of them without checksum" : ""
    let verdict =
      report.differences.isEmpty
      ? "every event exactly once" : report.differences.count == 1 ? "1 difference" : "\(report.differences.count) differences"
    let offset = report.copies > 0 ? ", none more than \(report.largestOffset.decimalSeconds) s off its cue" : ""
    try output.line(
      TransitionPrinter.printable(
        "\(name): \(verdict): \(report.events) events in \(report.copies) copies\(unverified)\(offset)\(others)\(damages)"))
  }

  private mutating func printJSON(_ report: Verifier.Report, _ choice: HLSChoice?) throws(CommandFailure) {
    for difference in report.differences { try output.line(line(difference, choice).text) }
    for result in report.results {
      var line = JSONObject()
      line.add("type", "event")
      line.add("eventType", result.event.type.text)
      line.add("guid", result.event.guid.text)
      line.append("sequence", result.event.sequence.map { .number(JSONNumber($0)) } ?? .null)
      if let at = result.event.at { line.add("at", at) }
      line.add("burst", result.burst)
      line.add("refreshes", result.refreshes)
      if let delay = result.delay { line.add("knownAfter", delay) } else { line.append("knownAfter", .null) }
      line.add("offset", result.offset)
      line.add("passed", result.differences.isEmpty)
      if let choice { line.add("rendition", choice.uri) }
      try output.line(line.text)
    }
    var line = JSONObject()
    line.add("type", "summary")
    line.add("passed", report.differences.isEmpty)
    line.add("differences", report.differences.count)
    line.add("events", report.events)
    line.add("copies", report.copies)
    line.add("unverified", report.unverified)
    line.add("otherEvents", report.otherEvents)
    line.add("damaged", report.damages)
    line.add("largestOffset", report.largestOffset)
    if let choice { line.add("rendition", choice.uri) }
    try output.line(line.text)
  }

  private func line(_ difference: Difference, _ choice: HLSChoice?, run: String? = nil) -> JSONObject {
    var line = JSONObject()
    line.add("type", "difference")
    line.add("kind", difference.kind)
    line.add("what", "\(difference)")
    if let guid = difference.event?.guid { line.add("guid", guid.text) }
    if let run { line.add("run", run) }
    if let choice { line.add("rendition", choice.uri) }
    return line
  }
}

/// What several readings with losses have in common.
private struct LossSummary: CustomStringConvertible {
  private let runs: Int
  private let events: Int
  private(set) var lost = 0
  private(set) var runsWithDifferences = 0
  private var otherDifferences = 0
  /// How long after their time the events were known, in order.
  private var delays: [MediaTime] = []

  init(_ runs: [LossRun]) {
    self.runs = runs.count
    events = runs.reduce(0) { $0 + $1.report.results.count }
    for run in runs {
      let missing = run.report.differences.filter { $0.kind == "missing" }.count
      lost += missing
      otherDifferences += run.report.differences.count - missing
      if !run.report.differences.isEmpty { runsWithDifferences += 1 }
      delays += run.report.results.compactMap { $0.delay }
    }
    delays.sort()
  }

  /// The delay that so many of a hundred events are known within.
  private func percentile(_ percent: Int) -> MediaTime? {
    delays.isEmpty ? nil : delays[max(0, (delays.count * percent + 99) / 100 - 1)]
  }

  var description: String {
    let count = runs == 1 ? "1 run" : "\(runs) runs"
    let others = otherDifferences == 0 ? "" : ", \(otherDifferences) other \(otherDifferences == 1 ? "difference" : "differences")"
    let failing = runsWithDifferences == 0 ? "" : ", \(runsWithDifferences) of them with differences"
    let verdict = lost == 0 ? "no event lost" : "\(lost) of \(events) events lost"
    guard let median = percentile(50), let high = percentile(99), let last = delays.last else {
      return "\(verdict)\(others) in \(count)\(failing)"
    }
    let known = "known after \(median.text(decimals: 3)) s (half), \(high.text(decimals: 3)) s (99 %), \(last.text(decimals: 3)) s (all)"
    return "\(verdict)\(others) in \(count)\(failing): \(known)"
  }

  var line: JSONObject {
    var line = JSONObject()
    line.add("type", "summary")
    line.add("passed", runsWithDifferences == 0)
    line.add("runs", runs)
    line.add("runsWithDifferences", runsWithDifferences)
    line.add("events", events)
    line.add("lost", lost)
    for (key, delay) in [("knownAfterP50", percentile(50)), ("knownAfterP95", percentile(95)), ("knownAfterP99", percentile(99))] {
      if let delay { line.add(key, delay) } else { line.append(key, .null) }
    }
    if let last = delays.last { line.add("knownAfterMax", last) } else { line.append("knownAfterMax", .null) }
    return line
  }
}
