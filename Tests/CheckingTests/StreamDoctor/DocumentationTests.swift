import Foundation
import StreamDoctor
import Testing

/// The documentation lists the rules as they are.
@Suite struct DocumentationTests {
  private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Reading/CuelightReader/CuelightReader.docc/Doctor.md")

  /// All rules as the documentation's table in Markdown, one a row.
  private static let table: String = {
    var lines: [String] = []
    for layer in DoctorRule.Layer.allCases {
      lines += ["## \(layer.rawValue)", "", "| rule | severity | what must be | source | what to do |", "| --- | --- | --- | --- | --- |"]
      for rule in DoctorRule.all where rule.layer == layer {
        lines.append("| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.title): \(rule.expected) | \(rule.source) | \(rule.advice) |")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }()

  @Test func theArticleHasTheTableOfRules() throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(text.contains("\n\(Self.table)"))
  }

  @Test func rulesSayWhatToDo() {
    for rule in DoctorRule.all {
      #expect(rule.id.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "-" })
      #expect(rule.advice.hasSuffix(".") && !rule.expected.hasSuffix(".") && !rule.title.isEmpty && !rule.source.isEmpty)
      #expect(!Self.table.contains("|  |"))
    }
  }
}
