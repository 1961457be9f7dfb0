import Basics
import Testing

@testable import cuelight

/// Keys out of what terminals send.
@Suite struct PlayKeysTests {
  static let keys: [(String, [PlayKeys.Key])] = [
    ("129", [.answer(1), .answer(2), .answer(9)]), ("0-=", [.answer(10), .answer(11), .answer(12)]), ("q", [.leave]), ("Q", [.leave]),
    ("\u{4}", [.leave]),
    ("\u{C}", [.redraw]), ("\u{1B}[A", [.other]), ("\u{1B}[1~2", [.other, .answer(2)]), ("\u{1B}[1;5C", [.other]),
    ("\u{1B}OP1", [.other, .answer(1)]),
    ("\u{1B}1", [.other]), ("\u{1B}[1\u{1B}[B3", [.other, .answer(3)]), ("ä", [.other, .other]), ("\n", [.enter]),
    ("3.5\u{7F}", [.answer(3), .sign("."), .answer(5), .erase]),
  ]

  @Test(arguments: keys) func keysComeOneByOne(text: String, expected: [PlayKeys.Key]) {
    var whole = PlayKeys(inLines: false)
    #expect(whole.push(Array(text.utf8)) == expected)
    var parts = PlayKeys(inLines: false)
    #expect(text.utf8.flatMap { parts.push([$0]) } == expected)
  }

  static let lines: [(String, [PlayKeys.Key])] = [
    ("2\n", [.answer(2)]), (" 3 \r\n", [.answer(3)]), ("q\nquit\n", [.leave, .leave]), ("\n\n", []),
    ("10\n12\n13\n", [.answer(10), .answer(12), .text("13")]), ("0\n", [.text("0")]),
    ("-2.5\n3, 1, 2\n", [.text("-2.5"), .text("3, 1, 2")]),
    ("one\n", [.other]), ("4", []), (String(repeating: "1", count: 9_999) + "\n", [.text(String(repeating: "1", count: 320))]),
  ]

  @Test(arguments: lines) func linesEndWithEnter(text: String, expected: [PlayKeys.Key]) {
    var whole = PlayKeys(inLines: true)
    #expect(whole.push(Array(text.utf8)) == expected)
    var parts = PlayKeys(inLines: true)
    #expect(text.utf8.flatMap { parts.push([$0]) } == expected)
  }

  static let texts: [(String, [PlayKeys.Key])] = [
    ("q1.\n", [.sign("q"), .sign("1"), .sign("."), .enter]), ("ä 木😀", [.sign("ä"), .sign(" "), .sign("木"), .sign("😀")]),
    ("a\u{7F}\u{1B}[Ab", [.sign("a"), .erase, .other, .sign("b")]), ("\u{4}", [.leave]),
  ]

  @Test(arguments: texts) func textsAreTyped(text: String, expected: [PlayKeys.Key]) {
    var whole = PlayKeys(inLines: false)
    whole.takesText = true
    #expect(whole.push(Array(text.utf8)) == expected)
    var parts = PlayKeys(inLines: false)
    parts.takesText = true
    #expect(text.utf8.flatMap { parts.push([$0]) } == expected)
  }

  @Test func bytesThatAreNoCharacterAreLeftOut() {
    var keys = PlayKeys(inLines: false)
    keys.takesText = true
    #expect(keys.push([0xC3, 0x61, 0xBC, 0xFF, 0x80, 0x80, 0x80, 0x80, 0x62, 0xE6, 0x9C, 0xA8]) == [.sign("a"), .sign("b"), .sign("木")])
  }

  @Test func linesAreTextsWhereTheQuestionTakesThem() {
    var lines = PlayKeys(inLines: true)
    lines.takesText = true
    #expect(lines.push(Array("Mont Blanc\n2\nq\n".utf8)) == [.text("Mont Blanc"), .text("2"), .leave])
  }

  @Test(arguments: [false, true]) func anyBytesAreTaken(takesText: Bool) {
    var random = SeededNumbers(seed: 5)
    var (keys, lines) = (PlayKeys(inLines: false), PlayKeys(inLines: true))
    (keys.takesText, lines.takesText) = (takesText, takesText)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(keys.push(bytes).count <= bytes.count)
      #expect(lines.push(bytes).count <= bytes.count)
    }
  }
}
