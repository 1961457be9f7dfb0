import Basics
import Testing

/// Characters that a terminal acts on, and invisible ones, are written as escapes.
@Suite struct VisibleTextTests {
  @Test(arguments: ["", "plain text", "Größe, 東京, 🏳️‍🌈, e\u{301}"]) func whatIsSeenStays(text: String) {
    for style in [String.EscapeStyle.text, .json, .xml] { #expect(text.visible(style).unicodeScalars.elementsEqual(text.unicodeScalars)) }
  }

  @Test(
    arguments: [
      0x00, 0x07, 0x0A, 0x1B, 0x7F, 0x85, 0x9B, 0x61C, 0x200B, 0x200E, 0x2028, 0x2029, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE0041,
    ] as [UInt32]) func whatIsNotIsEscaped(code: UInt32) throws
  {
    let scalar = try #require(Unicode.Scalar(code))
    let text = "a\(Character(scalar))b"
    #expect(text.visible(.text) == "a b")
    #expect(text.visible(.xml) == "a\u{FFFD}b")
    #expect(text.visible(.json).unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F })
    // JSON that is read again says the same.
    let object = JSONValue.object(JSONObject([.init(key: "text", value: .string(text))]))
    #expect(try JSONValue(parsing: object.text.visible(.json)) == object)
  }

  @Test func marksArePiledUpToEight() {
    let piled = "e" + String(repeating: "\u{301}", count: 200) + "x"
    #expect(piled.visible(.text).unicodeScalars.elementsEqual(("e" + String(repeating: "\u{301}", count: 8) + "x").unicodeScalars))
  }
}
