import Basics
import CommandSupport
import GameEvents
import HLSReading
import Verification

/// Prints what `verify` finds, as text or as JSON, and gathers the report for continuous integration.
struct VerificationPrinter {
  let isJSON: Bool
  let hasTable: Bool
  /// The name of the input.
  let name: String
  /// Whether nothing has differed so far.
  var hasPassed = true
  /// The number of resources that could not be loaded completely.
  var losses = 0
  var output = StandardOutput()
  var report: JUnitReport

  init(isJSON: Bool, hasTable: Bool, name: String) {
    (self.isJSON, self.hasTable, self.name) = (isJSON, hasTable, name)
    report = JUnitReport(name: name)
  }

  /// The report for continuous integration.
  func junit(after duration: Duration) -> JUnitReport {
    var report = report
    report.duration = MediaTime(duration)
    return report
  }

  /// Writes the pending text.
  mutating func finish() throws(CommandFailure) { try output.flush() }

  /// Prints what was found in a stream or a rendition.
  ///
  /// - Parameters:
  ///   - losses: The number of resources that could not be loaded completely.
  ///   - repaired: The number of tags that were repaired while reading.
  mutating func print(_ found: Verifier.Report, _ choice: HLSChoice?, losses: Int, repaired: Int) throws(CommandFailure) {
    hasPassed = hasPassed && found.differences.isEmpty
    let name = name(choice)
    report.add(found, of: name)
    if losses > 0 {
      let text = "\(losses.of("resource")) could not be loaded"
      report.cases.append(.init(name: "loading", group: name, failures: [.init(kind: "loading", message: text)]))
    }
    if isJSON { try printJSON(found, choice, repaired: repaired) } else { try printText(found, name) }
  }

  /// Prints one run with a loss if it failed, and adds it to the summary.
  mutating func print(_ found: Verifier.Report, run: String, _ choice: HLSChoice?, _ summary: inout RunSummary) throws(CommandFailure) {
    hasPassed = hasPassed && found.differences.isEmpty
    summary.add(found)
    let name = name(choice)
    report.cases.append(.init(name: run, group: name, failures: found.differences.map { .init($0) }))
    if isJSON {
      for difference in found.differences { try output.line(line(difference, choice, run: run)) }
    } else if !found.differences.isEmpty {
      let differences = found.differences.lines.joined(separator: "; ")
      try output.line("\(name) (\(run)): \(differences)")
    }
  }

  /// Prints the summary of several readings with losses.
  mutating func print(_ summary: RunSummary, _ choice: HLSChoice?) throws(CommandFailure) {
    if hasTable, summary.runs == 1, let only = summary.latest { try printTable(only) }
    guard isJSON else { return try output.line("\(name(choice)): \(summary)") }
    try output.line(summary.line.with("rendition", choice?.uri))
  }

  func name(_ choice: HLSChoice?) -> String { choice.map { "\(name) (\($0.uri))" } ?? name }

  private mutating func printTable(_ report: Verifier.Report) throws(CommandFailure) {
    for line in report.table { try output.line(line) }
  }

  private mutating func printText(_ report: Verifier.Report, _ name: String) throws(CommandFailure) {
    for line in report.lines { try output.line("\(name): \(line)") }
    if let remedy = report.remedy {
      try output.line("\(name): if the stream is meant to be so, verify it with \(remedy.options)")
    }
    if hasTable { try printTable(report) }
    let damages = report.damages > 0 ? ", \(report.damages.of("damaged place"))" : ""
    let others = report.otherEvents > 0 ? ", \(report.otherEvents.of("event")) of other games" : ""
    let unverified = report.unverified > 0 ? ", \(report.unverified) of them without checksum" : ""
    let verdict = report.differences.isEmpty ? "every event exactly once" : report.differences.count.of("difference")
    try output.line(
      "\(name): \(verdict): \(report.events.of("event")) in \(report.copies.of("copy", "copies"))\(unverified)\(offset(report))\(others)\(damages)"
    )
  }

  /// The offset of the copies from their cues.
  private func offset(_ report: Verifier.Report) -> String {
    guard report.copies > 0 else { return "" }
    guard report.largestOffset > .zero else { return ", each exactly at its cue" }
    return ", none more than \(report.largestOffset.distanceText) off its cue"
  }

  private mutating func printJSON(_ report: Verifier.Report, _ choice: HLSChoice?, repaired: Int) throws(CommandFailure) {
    for difference in report.differences { try output.line(line(difference, choice)) }
    for result in report.results {
      let event = result.event
      var line = JSONObject(fields: ["type": "event", "eventType": event.type.text, "guid": event.guid.text, "sequence": event.sequence])
        .with("at", event.at)
      line.appendAbsent(
        JSONObject(fields: [
          "burst": result.burst, "refreshes": result.refreshes, "knownAfter": result.delay, "offset": result.offset,
          "passed": result.differences.isEmpty,
        ]))
      try output.line(line.with("rendition", choice?.uri))
    }
    let line = JSONObject(fields: [
      "type": "summary", "passed": report.differences.isEmpty, "differences": report.differences.count, "events": report.events,
      "copies": report.copies, "unverified": report.unverified, "otherEvents": report.otherEvents, "damaged": report.damages,
    ])
    try output.line(
      line.with("repaired", repaired > 0 ? repaired : nil).with("largestOffset", report.largestOffset).with("remedy", report.remedy?.object)
        .with("rendition", choice?.uri))
  }

  private func line(_ difference: Difference, _ choice: HLSChoice?, run: String? = nil) -> JSONObject {
    JSONObject(fields: ["type": "difference", "kind": difference.kind, "what": "\(difference)"])
      .with("guid", difference.event?.guid.text).with("run", run).with("rendition", choice?.uri)
  }
}

extension Verifier.Remedy {
  /// The options of `verify` with which the stream is as it should be.
  fileprivate var options: String {
    "--offset \(offset < .zero ? "-" : "+")\(offset.magnitude.shortestDecimalSeconds)\(dropsEarly ? " --drop-early" : "")"
  }

  fileprivate var object: JSONObject { JSONObject(fields: ["offset": offset, "dropEarly": dropsEarly, "options": options]) }
}

extension RunSummary {
  fileprivate var line: JSONObject {
    var line = JSONObject(fields: [
      "type": "summary", "passed": runsWithDifferences == 0, "runs": runs, "runsWithDifferences": runsWithDifferences, "events": events,
      "lost": lost,
    ])
    for (key, percent) in [("knownAfterP50", 50), ("knownAfterP95", 95), ("knownAfterP99", 99), ("knownAfterMax", 100)] {
      line.append(key, orNull: percentile(percent))
    }
    return line
  }
}
