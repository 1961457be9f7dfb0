import Foundation
import StreamDoctor
import Testing

/// The documentation lists the rules as they are.
@Suite struct DocumentationTests {
  private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Reading/CuelightReader/CuelightReader.docc/Doctor.md")

  @Test func theArticleHasTheTableOfRules() throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    #expect(text.contains("\n\(DoctorRule.table)"))
  }

  @Test func rulesSayWhatToDo() {
    for rule in DoctorRule.all {
      #expect(rule.id.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "-" })
      #expect(rule.advice.hasSuffix(".") && !rule.expected.hasSuffix(".") && !rule.title.isEmpty && !rule.source.isEmpty)
      #expect(!DoctorRule.table.contains("|  |"))
    }
  }
}
