import Testing

@testable import Sheets

/// JSON with places, and what is taken out of it.
@Suite struct SheetTests {
  static let text = "{\n  \"a\": [1, \"é\", null],\n\t\"b\": {\"c\": true}\n}"

  static func scalar(_ text: String, plain: Bool = true, _ line: Int, _ column: Int) -> SheetNode {
    .scalar(SheetScalar(text: text, isPlain: plain, place: SheetPlace(line: line, column: column)))
  }

  static func member(_ key: String, _ line: Int, _ column: Int, _ value: SheetNode) -> SheetMember {
    SheetMember(key: key, keyPlace: SheetPlace(line: line, column: column), value: value)
  }

  @Test func everythingHasItsPlace() throws {
    let list = SheetNode.list(
      [Self.scalar("1", 2, 9), Self.scalar("é", plain: false, 2, 12), Self.scalar("null", 2, 17)], SheetPlace(line: 2, column: 8))
    let inner = SheetNode.mapping([Self.member("c", 3, 8, Self.scalar("true", 3, 13))], SheetPlace(line: 3, column: 7))
    let (root, problems) = try #require(JSONSheet.parse(Self.text))
    #expect(root == .mapping([Self.member("a", 2, 3, list), Self.member("b", 3, 2, inner)], .start))
    #expect(problems == [])
  }

  @Test func everyCutIsNoJSON() {
    let bytes = Array(Self.text.utf8)
    for count in bytes.indices { #expect(JSONSheet.parse(String(decoding: bytes[..<count], as: UTF8.self)) == nil) }
  }

  @Test func repeatedKeysAreReported() throws {
    let (root, problems) = try #require(JSONSheet.parse("{\"a\":1,\n\"a\":2}"))
    #expect(root == .mapping([Self.member("a", 1, 2, Self.scalar("1", 1, 6))], .start))
    #expect(problems.map(\.description) == ["2:1: the key \"a\" is already in line 1, column 2; remove one of them"])
  }

  @Test func fieldsReportWhatIsWrong() throws {
    let (root, _) = try #require(JSONSheet.parse("{\"text\":\"\",\"number\":\"7\",\"list\":[1,2],\"nubmer\":1,\"seal\":1,\"far\":1}"))
    guard case .mapping(let members, let place) = root else { return #expect(Bool(false)) }
    var fields = SheetFields(members, at: place, name: "this thing")
    #expect(fields.text("text") == nil && fields.text("name", isRequired: true) == nil)
    #expect(fields.integer("number", in: 1...6) == nil)
    #expect(fields.integers("list", in: 0...9) == Placed([1, 2], at: SheetPlace(line: 1, column: 32)))
    fields.refuse(["seal"], "computed")
    fields.refuseRest()
    #expect(
      SheetError(fields.problems).description == """
        1:1: "name" is missing in this thing; add it
        1:9: "text" is empty; write a text or leave the key out
        1:21: "number" is "7"; write an integer from 1 to 6
        1:38: unknown key "nubmer"; did you mean "number"?
        1:49: "seal" is computed; remove it
        1:58: unknown key "far"; this thing has text, name, number, list
        """)
  }

  @Test func bytesBecomeText() throws {
    #expect(try String(sheet: [0xEF, 0xBB, 0xBF, 0x61], name: "it") == "a")
    #expect(throws: SheetError(at: SheetPlace(line: 2, column: 2), "this is not UTF-8; save it as UTF-8")) {
      try String(sheet: [0x61, 0x0A, 0x61, 0xFF], name: "it")
    }
    let large = [UInt8](repeating: 0x20, count: SheetLimits.bytes + 1)
    #expect(throws: SheetError(at: .start, "it has 16777217 bytes, above the limit of 16777216; split it")) {
      try String(sheet: large, name: "it")
    }
  }

  @Test func messagesStayOnOneLine() {
    #expect("a\nb\u{85}".quoted == "\"a\\u{a}b\\u{85}\"")
    #expect(String(repeating: "x", count: 61).quoted == "\"\(String(repeating: "x", count: 60))…\"")
  }
}
