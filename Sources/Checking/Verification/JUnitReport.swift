package import Basics
import GameEvents

/// A report for continuous integration servers: one suite of test cases in JUnit's XML, which Jenkins, GitLab and others read.
package struct JUnitReport: Equatable, Sendable {
  /// A test case.
  package struct Case: Equatable, Sendable {
    /// Its name.
    package var name: String
    /// The stream or the rendition that it belongs to.
    package var group: String
    /// Why it failed; empty if it passed.
    package var failures: [Failure] = []
    /// What is worth knowing although it passed.
    package var notes: [String] = []

    /// A test case.
    package init(name: String, group: String, failures: [Failure] = [], notes: [String] = []) {
      (self.name, self.group, self.failures, self.notes) = (name, group, failures, notes)
    }
  }

  /// Why a case failed.
  package struct Failure: Equatable, Sendable {
    /// The kind of failure, in a word.
    package var kind: String
    /// What is wrong, in words.
    package var message: String

    /// A reason.
    package init(kind: String, message: String) { (self.kind, self.message) = (kind, message) }

    /// A difference from a cue sheet.
    package init(_ difference: Difference) { self.init(kind: difference.kind, message: "\(difference)") }
  }

  /// The command that checks, for example `verify`.
  package var command: String
  /// The name of the suite.
  package var name: String
  /// Its cases.
  package var cases: [Case] = []
  /// Why nothing could be checked, as an additional case.
  package var error: Failure?
  /// The duration of the cases.
  package var duration = MediaTime.zero

  /// A suite without cases.
  package init(command: String = "verify", name: String) { (self.command, self.name) = (command, name) }

  /// Adds a case for each event of a cue sheet, one for unexpected events, and one for the state at the end.
  package mutating func add(_ report: Verifier.Report, of group: String) {
    cases += report.results.map { result in
      Case(name: Difference.name(result.event), group: group, failures: result.differences.map { Failure($0) })
    }
    let unexpected = report.differences.filter { $0.isUnexpected }
    cases.append(Case(name: "no other events", group: group, failures: unexpected.map { Failure($0) }))
    let state = report.differences.filter { $0.event == nil && !$0.isShift }
    cases.append(Case(name: "final state", group: group, failures: state.map { Failure($0) }))
  }

  /// The report as XML.
  package var xml: String {
    let errors = error == nil ? 0 : 1
    let failed = cases.filter { !$0.failures.isEmpty }.count
    let seconds = duration.text(decimals: 3)
    let counts = "tests=\"\(cases.count + errors)\" failures=\"\(failed)\" errors=\"\(errors)\" skipped=\"0\" time=\"\(seconds)\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"cuelight \(command.escapedForXML)\" \(counts)>",
      "  <testsuite name=\"\(name.escapedForXML)\" \(counts)>",
    ]
    for testCase in cases {
      let start = "    <testcase classname=\"\(testCase.group.escapedForXML)\" name=\"\(testCase.name.escapedForXML)\" time=\"0\""
      // A case has at most one failure element.
      guard let first = testCase.failures.first else {
        let notes = testCase.notes.map(\.escapedForXML).joined(separator: "\n")
        lines.append(notes.isEmpty ? "\(start)/>" : "\(start)>\n      <system-out>\(notes)</system-out>\n    </testcase>")
        continue
      }
      let text = testCase.failures.map { $0.message.escapedForXML }.joined(separator: "\n")
      lines.append("\(start)>")
      lines.append(
        "      <failure type=\"\(first.kind.escapedForXML)\" message=\"\(first.message.escapedForXML)\">\(text)</failure>")
      lines.append("    </testcase>")
    }
    if let error {
      let (kind, message) = (error.kind.escapedForXML, error.message.escapedForXML)
      lines.append("    <testcase classname=\"\(name.escapedForXML)\" name=\"\(command.escapedForXML)\" time=\"0\">")
      lines.append("      <error type=\"\(kind)\" message=\"\(message)\">\(message)</error>")
      lines.append("    </testcase>")
    }
    return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
  }
}

extension Difference {
  fileprivate var isUnexpected: Bool { if case .unexpected = self { true } else { false } }
  fileprivate var isShift: Bool { if case .shifted = self { true } else { false } }
}
