public import Basics
import GameEvents

/// A report in the form that servers for continuous integration read: one suite of test cases (JUnit's XML, as Jenkins, GitLab and others take it).
public struct JUnitReport: Equatable, Sendable {
  /// A test case.
  public struct Case: Equatable, Sendable {
    /// What it is called.
    public var name: String
    /// What it belongs to: the stream, or the rendition of a presentation.
    public var group: String
    /// Why it failed, a reason a line; empty where it passed.
    public var failures: [Failure] = []

    /// A test case.
    public init(name: String, group: String, failures: [Failure] = []) {
      self.name = name
      self.group = group
      self.failures = failures
    }
  }

  /// Why a case failed.
  public struct Failure: Equatable, Sendable {
    /// The kind of failure, in a word.
    public var kind: String
    /// What is wrong, in words.
    public var message: String

    /// A reason.
    public init(kind: String, message: String) {
      self.kind = kind
      self.message = message
    }

    /// A difference from a cue sheet.
    public init(_ difference: Difference) { self.init(kind: difference.kind, message: "\(difference)") }
  }

  /// What the suite is called.
  public var name: String
  /// Its cases.
  public var cases: [Case] = []
  /// Why nothing could be checked; it is a case of its own.
  public var error: Failure?
  /// How long they took.
  public var duration = MediaTime.zero

  /// A suite without cases.
  public init(name: String) { self.name = name }

  /// Adds a case for each event of a cue sheet, one for what is in the stream besides them, and one for the state at the end.
  public mutating func add(_ report: Verifier.Report, of group: String) {
    let about = Dictionary(grouping: report.differences.filter { !$0.isUnexpected }) { $0.event?.guid }
    cases += report.results.map { result in
      Case(name: Difference.name(result.event), group: group, failures: about[result.event.guid, default: []].map { Failure($0) })
    }
    let unexpected = report.differences.filter { $0.isUnexpected }
    cases.append(Case(name: "no other events", group: group, failures: unexpected.map { Failure($0) }))
    let state = report.differences.filter { $0.event == nil }
    cases.append(Case(name: "final state", group: group, failures: state.map { Failure($0) }))
  }

  /// The report as XML.
  public var xml: String {
    let errors = error == nil ? 0 : 1
    let failed = cases.filter { !$0.failures.isEmpty }.count
    let seconds = duration.text(decimals: 3)
    let counts = "tests=\"\(cases.count + errors)\" failures=\"\(failed)\" errors=\"\(errors)\" skipped=\"0\" time=\"\(seconds)\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"cuelight verify\" \(counts)>",
      "  <testsuite name=\"\(Self.escaped(name))\" \(counts)>",
    ]
    for testCase in cases {
      let start = "    <testcase classname=\"\(Self.escaped(testCase.group))\" name=\"\(Self.escaped(testCase.name))\" time=\"0\""
      // Readers take one failure a case.
      guard let first = testCase.failures.first else {
        lines.append("\(start)/>")
        continue
      }
      let text = testCase.failures.map { Self.escaped($0.message) }.joined(separator: "\n")
      lines.append("\(start)>")
      lines.append(
        "      <failure type=\"\(Self.escaped(first.kind))\" message=\"\(Self.escaped(first.message))\">\(text)</failure>")
      lines.append("    </testcase>")
    }
    if let error {
      let (kind, message) = (Self.escaped(error.kind), Self.escaped(error.message))
      lines.append("    <testcase classname=\"\(Self.escaped(name))\" name=\"verify\" time=\"0\">")
      lines.append("      <error type=\"\(kind)\" message=\"\(message)\">\(message)</error>")
      lines.append("    </testcase>")
    }
    return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
  }

  /// A text within XML. What XML 1.0 has no way to write (2.2) becomes U+FFFD.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);".unicodeScalars
      default: escaped.append(scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE && scalar.value < 0x1_0000 ? "\u{FFFD}" : scalar)
      }
    }
    return String(escaped)
  }
}

extension Difference {
  fileprivate var isUnexpected: Bool { if case .unexpected = self { true } else { false } }
}
