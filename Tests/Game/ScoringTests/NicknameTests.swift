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

  @Test func theLongestIsTaken() throws { #expect(try Nickname(String(repeating: "é", count: 32)).text.utf8.count == 64) }

  @Test func messagesSayWhatToDo() {
    #expect("\(NicknameError.hiddenCharacter(0x9))" == "the nickname has the hidden character U+0009; leave it out")
    #expect("\(NicknameError.tooLong(65))" == "the nickname has 65 bytes of UTF-8; write at most 64")
  }
}
