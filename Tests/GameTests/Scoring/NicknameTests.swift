import Scoring
import Testing

/// What is a nickname, and which are the same.
@Suite struct NicknameTests {
  @Test func spacesAtTheEndsAreTakenOff() throws {
    #expect(try Nickname("  Ann Lee ").text == "Ann Lee")
    #expect(try Nickname("Émile").text == "Émile")
  }

  @Test(arguments: [
    ("Ann", "ANN", true), ("ann ", " Ann", true), ("Émile", "émile", false), ("e\u{301}", "\u{e9}", false), ("a[", "a{", false),
  ])
  func comparison(left: String, right: String, areSame: Bool) throws {
    let (left, right) = (try Nickname(left), try Nickname(right))
    #expect((left == right) == areSame)
    #expect((Set([left, right]).count == 1) == areSame)
    #expect((left < right || right < left) == !areSame)
  }

  @Test func orderIsThatOfTheFoldedBytes() throws {
    let names = try ["b", "A", "a1", "Ab", "é", "Z"].map { try Nickname($0) }
    #expect(names.sorted().map { $0.text } == ["A", "a1", "Ab", "b", "Z", "é"])
  }

  @Test(arguments: [
    ("", NicknameError.empty), ("   ", .empty), ("a\nb", .hiddenCharacter(10)), ("a\u{202E}b", .hiddenCharacter(0x202E)),
    ("\u{200B}", .hiddenCharacter(0x200B)), (String(repeating: "é", count: 33), .tooLong(66)),
  ])
  func refusals(text: String, error: NicknameError) { #expect(throws: error) { try Nickname(text) } }

  @Test(
    arguments: [
      0xA0, 0x115F, 0x1160, 0x1680, 0x2000, 0x200A, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0, 0xFE00, 0xFE0F, 0x200C, 0x200D, 0xE0100,
    ] as [UInt32])
  func whatLooksLikeNothingIsRefused(code: UInt32) throws {
    let scalar = String(try #require(UnicodeScalar(code)))
    for text in [scalar, " \(scalar) ", "a\(scalar)", "\(scalar)a", "a\(scalar)b", "1\(scalar)2", "\u{e9}\(scalar)\u{e9}", "a \(scalar)"] {
      #expect(throws: NicknameError.hiddenCharacter(code)) { try Nickname(text) }
    }
  }

  @Test(arguments: [
    // A heart on fire, a family, a sign as an emoji, Persian with a joiner that parts, Devanagari, an ideograph's variant, a key.
    "\u{2764}\u{FE0F}\u{200D}\u{1F525}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "Ann \u{A9}\u{FE0F}",
    "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}", "\u{915}\u{94D}\u{200D}\u{937}", "\u{845B}\u{E0100}", "1\u{FE0F}\u{20E3}",
  ])
  func joinersAndSelectorsAreTakenWhereTheyShow(text: String) throws { #expect(try Nickname(text).text == text) }

  @Test(
    arguments: [
      ("\u{1F468}\u{200D}", 0x200D), ("\u{1F468}\u{200D}a", 0x200D), ("\u{1F468}\u{200D}\u{200D}\u{1F469}", 0x200D),
      ("\u{2764}\u{FE0F}\u{FE0F}", 0xFE0F), ("\u{1F468}\u{200D}\u{FE0F}", 0x200D),
    ] as [(String, UInt32)])
  func joinersAndSelectorsAreRefusedElsewhere(text: String, code: UInt32) {
    #expect(throws: NicknameError.hiddenCharacter(code)) { try Nickname(text) }
  }

  @Test func theLongestIsTaken() throws { #expect(try Nickname(String(repeating: "é", count: 32)).text.utf8.count == 64) }

  @Test func messagesSayWhatToDo() {
    #expect("\(NicknameError.hiddenCharacter(0x9))" == "the nickname has the hidden character U+0009; leave it out")
    #expect("\(NicknameError.tooLong(65))" == "the nickname has 65 bytes of UTF-8; write at most 64")
  }
}
