import Basics
import Testing

/// What of a text shows. Nicknames test single characters, too.
@Suite struct HiddenCharactersTests {
  @Test(
    arguments: [
      ("", nil), ("a b", nil), ("a\u{200B}", 0x200B), ("\u{A0}", 0xA0), ("a\u{200D}b", 0x200D), ("\u{1F468}\u{200D}\u{1F469}", nil),
      ("\u{645}\u{200C}\u{62E}", nil), ("1\u{FE0F}\u{20E3}", nil), ("1\u{FE0F}", 0xFE0F), ("\u{2764}\u{FE0F}", nil),
    ] as [(String, UInt32?)])
  func theFirst(text: String, code: UInt32?) { #expect(HiddenCharacters.first(in: text) == code) }

  @Test(arguments: [
    ("Yes", "yes"), ("  YES\u{A0} \u{3000}sir\n", "yes sir"), ("Y\u{200B}e\u{AD}s\u{2060}", "yes"), ("Yes\u{200D}", "yes"),
    ("\u{200B}", ""), (" \t\u{2800}\u{3164}", ""), ("\u{200E}\u{202E}\u{FE0F}", ""), ("", ""), ("\u{C9}T\u{C9}", "\u{C9}t\u{C9}"),
    ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"), ("+1", "+1"),
  ])
  func skeletons(text: String, skeleton: String) { #expect(HiddenCharacters.skeleton(of: text) == Array(skeleton.utf8)) }

  @Test func accentsWrittenInTwoWaysDiffer() {
    #expect(HiddenCharacters.skeleton(of: "\u{E9}") != HiddenCharacters.skeleton(of: "e\u{301}"))
  }

  @Test(
    arguments: [
      ("Friday's quiz", []), ("\u{645}\u{631}\u{62D}\u{628}\u{627} \u{200F}!", []), ("", [.invisible]), ("\u{200B} ", [.invisible]),
      ("a\u{1B}[31m", [.control(0x1B)]), ("a\u{202E}b", [.turn(0x202E)]), ("a\u{9B}\u{2067}", [.turn(0x2067), .control(0x9B)]),
      ("a\tb", [.tab]), ("a\u{2028}b\t", [.lineBreak]), ("a\0", [.control(0)]),
    ] as [(String, [HiddenCharacters.Fault])])
  func faults(text: String, faults: [HiddenCharacters.Fault]) {
    #expect(HiddenCharacters.faults(of: text) == faults)
    #expect(HiddenCharacters.faults(of: text, mayHaveLines: true) == faults.filter { $0 != .tab && $0 != .lineBreak })
  }

  @Test func turnsOfDirection() {
    for code in Array(0x202A...0x202E) + Array(0x2066...0x2069) as [UInt32] {
      let text = "a\(Unicode.Scalar(code).map { String($0) } ?? "")b"
      #expect(HiddenCharacters.firstTurn(in: text) == code)
    }
    #expect(["", "abc", "\u{200E}\u{200F}\u{61C}", "\u{5D0}"].allSatisfy { HiddenCharacters.firstTurn(in: $0) == nil })
  }
}
