import Basics
import CommandSupport
import GameEvents
import HLSReading
import Verification

extension VerificationPrinter {
  /// Prints whether the carriages of a stream or a rendition agree.
  mutating func print(_ found: CarriageAgreement.Report, _ choice: HLSChoice?) throws(CommandFailure) {
    let name = name(choice)
    let failures = found.findings.map { JUnitReport.Failure(kind: "carriages", message: "\($0)") }
    let alone = found.totals.count < 2 ? [JUnitReport.Failure(kind: "carriages", message: Self.alone(found))] : []
    report.cases.append(.init(name: "carriages", group: name, failures: failures + alone))
    hasPassed = hasPassed && found.hasPassed
    if isJSON {
      for finding in found.findings {
        let line = JSONObject(fields: ["type": "disagreement", "kind": finding.kind, "what": "\(finding)"])
          .with("guid", finding.event.guid.text).with("first", finding.first).with("carriage", finding.other)
        try output.line(line.with("rendition", choice?.uri))
      }
      let totals = found.totals.map { JSONObject(fields: ["carriage": $0.carriage, "events": $0.events, "copies": $0.copies]) }
      let line = JSONObject(fields: [
        "type": "agreement", "passed": found.hasPassed, "events": found.events, "disagreements": found.findings.count, "carriages": totals,
      ])
      return try output.line(line.with("rendition", choice?.uri))
    }
    for finding in found.findings { try output.line("\(name): \(finding)") }
    guard found.totals.count > 1 else { return try output.line("\(name): \(Self.alone(found))") }
    let totals = found.totals.map { "\($0.carriage) (\($0.copies.of("copy", "copies")))" }.joined(separator: ", ")
    let verdict = found.findings.isEmpty ? "the carriages agree" : found.findings.count.of("disagreement")
    try output.line("\(name): \(verdict): \(found.events.of("event")) in \(totals)")
  }

  private static func alone(_ found: CarriageAgreement.Report) -> String {
    found.totals.first.map { "all events are in one carriage alone, \($0.carriage), and nothing can be compared" }
      ?? "there are no events, and nothing can be compared"
  }
}
