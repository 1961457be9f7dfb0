import Basics
import Sheets
import TestSupport
import Testing

/// Texts that YAML ends where a comment begins.
@Suite struct CutTextTests {
  private func places(_ text: String) throws -> [String] {
    let (root, problems) = try #require(try SheetNode.parsed(text))
    #expect(problems == [])
    return CutText.warnings(in: root, of: text, skipping: ["at"]).map { warning in
      "\(warning.line):\(warning.column) \(warning.message.split(separator: "\"").dropFirst().first ?? "")"
    }
  }

  @Test(arguments: [
    ("question: Who was #1?", ["1:19 Who was"]), ("question: What is # in music?", ["1:19 What is"]),
    ("a:\n  - Number #1\n  - 'Number #2'\n  - \"#3\"\n  - C#\n", ["2:12 Number"]),
    ("question: Who\n  was the\n  first #one ?\nb: c", ["3:9 Who was the first"]),
    ("a: x\t#y", ["1:6 x"]), ("a: été #1\r\nb: ü #2\r\n", ["1:8 été", "2:6 ü"]), ("{ a: x #y\n}", ["1:8 x"]),
    ("a: &t text #1\nb: *t", ["1:12 text"]),
    // Comments that are comments.
    ("a: text # a comment", []), ("question: Who? # the first?", []), ("answer: Mercury # really?", []), ("a: text ## heading", []),
    ("a: 5 #seconds", []), ("at: 5s #seconds", []), ("a: x#y", []), ("a: b\n#c\nd: e", []), ("a: |\n  x #1\n", []),
    ("{ \"a\": \"x #1\" }", []), ("a: text #", []), ("a: text #\n", []), ("question: What now # the first one", []),
  ])
  func texts(text: String, expected: [String]) throws { #expect(Array(try places(text)) == expected) }

  @Test func theMessage() throws {
    let text = "question: Who was #1?"
    let (root, _) = try #require(try SheetNode.parsed(text))
    #expect(
      CutText.warnings(in: root, of: text, skipping: []).map(\.description) == [
        "1:19: the text ends before this sign, so that it is \"Who was\": after a blank, # begins a comment; write the text in quotation marks"
      ])
  }

  @Test func cutAtEveryLength() throws {
    let text = "a:\n  - Number #1 é\n  - { question: What is # in music?\n    }\nb: x\t#y\n"
    for count in 0...text.unicodeScalars.count {
      let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
      guard let (root, _) = try? SheetNode.parsed(cut) else { continue }
      let lines = cut.split(separator: "\n", omittingEmptySubsequences: false).map(\.unicodeScalars.count)
      for warning in CutText.warnings(in: root, of: cut, skipping: []) {
        #expect(warning.line <= lines.count && warning.column <= lines[warning.line - 1])
      }
    }
  }
}

extension SheetNode {
  fileprivate static func parsed(_ text: String) throws -> (root: SheetNode, problems: [SheetProblem])? {
    if let json = JSONSheet.parse(text) { return json }
    return try YAMLSheet.parse(text)
  }
}
