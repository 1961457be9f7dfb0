import StreamDoctor
import Verification

extension DoctorReport {
  /// The report for continuous integration: each rule is a case, which fails if the rule is broken and an error. What is broken otherwise is a note
  /// of its case.
  func junit(named name: String) -> JUnitReport {
    var report = JUnitReport(command: "doctor", name: name)
    report.cases = DoctorRule.all.map { rule in
      let finding = findings.first { $0.rule == rule }
      let texts = finding.map(\.texts) ?? []
      var result = JUnitReport.Case(name: "\(rule.id): \(rule.title)", group: name)
      switch rule.severity {
      case .error: result.failures = texts.map { .init(kind: rule.id, message: $0) }
      case .warning, .note: result.notes = texts
      }
      return result
    }
    return report
  }
}

extension Finding {
  /// The first places, and at the last of them how many there are if that are more.
  fileprivate var texts: [String] {
    let texts = places.map { "\($0): \($0.found); expected \(rule.expected). \(rule.advice)" }
    return count > texts.count ? texts + ["\(count) times in all"] : texts
  }
}
