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
    ("one\n", [.other]), ("4", []), (String(repeating: "1", count: 9_999) + "\n", [.text(String(repeating: "1", count: 64))]),
  ]

  @Test(arguments: lines) func linesEndWithEnter(text: String, expected: [PlayKeys.Key]) {
    var whole = PlayKeys(inLines: true)
    #expect(whole.push(Array(text.utf8)) == expected)
    var parts = PlayKeys(inLines: true)
    #expect(text.utf8.flatMap { parts.push([$0]) } == expected)
  }

  @Test func anyBytesAreTaken() {
    var random = SeededNumbers(seed: 5)
    var (keys, lines) = (PlayKeys(inLines: false), PlayKeys(inLines: true))
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(keys.push(bytes).count <= bytes.count)
      #expect(lines.push(bytes).count <= bytes.count)
    }
  }
}
