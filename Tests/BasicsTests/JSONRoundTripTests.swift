import Basics
import Testing

/// One JSON text and the value it stands for.
struct RoundTrip: CustomTestStringConvertible, Sendable {
  let text: String
  let value: JSONValue
  /// What the value is written as, where that differs from `text`.
  let written: String

  init(_ text: String, _ value: JSONValue, written: String? = nil) {
    self.text = text
    self.value = value
    self.written = written ?? text
  }

  var testDescription: String { text }
}

func number(_ text: String) throws -> JSONValue { .number(try #require(JSONNumber(text))) }

func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
  .object(JSONObject(members.map { JSONObject.Member(key: $0.key, value: $0.value) }))
}

private let one = JSONValue.number(JSONNumber(1))

let roundTrips: [RoundTrip] = [
  RoundTrip("null", .null),
  RoundTrip("true", .bool(true)),
  RoundTrip("false", .bool(false)),
  RoundTrip("-17", .number(JSONNumber(-17))),
  RoundTrip(#""""#, .string("")),
  RoundTrip(#""Which planet?""#, .string("Which planet?")),
  RoundTrip(#""äöü ß € 😀 é""#, .string("äöü ß € 😀 é")),
  RoundTrip(#""\"\\/\b\f\n\r\t\u0000\u001f""#, .string("\"\\/\u{8}\u{C}\n\r\t\0\u{1F}")),
  RoundTrip(#""\/\u0041\u00e4\u20AC\ud83d\uDE00\u000a""#, .string("/Aä€😀\n"), written: #""/Aä€😀\n""#),
  RoundTrip("\"\u{7F}\u{2028}\u{FFFF}\u{10FFFF}\"", .string("\u{7F}\u{2028}\u{FFFF}\u{10FFFF}")),
  RoundTrip("[]", .array([])),
  RoundTrip("{}", .object(JSONObject())),
  RoundTrip("[1,[null,{}],\"\"]", .array([one, .array([.null, .object(JSONObject())]), .string("")])),
  RoundTrip(#"{"":1,"b":{"a":true},"a":[]}"#, object(["": one, "b": object(["a": .bool(true)]), "a": .array([])])),
  RoundTrip(" {\r\n\t\"a\" : [ 1 , null ] } \n", object(["a": .array([one, .null])]), written: #"{"a":[1,null]}"#),
  // Canonically equivalent, yet two keys: é as one scalar, and as e with an accent.
  RoundTrip("{\"\u{E9}\":1,\"e\u{301}\":null}", object(["\u{E9}": one, "e\u{301}": .null])),
]

@Suite struct JSONRoundTripTests {
  @Test(arguments: roundTrips) func decodes(_ test: RoundTrip) throws {
    #expect(try JSONValue(parsing: test.text) == test.value)
    #expect(try JSONValue(parsing: [UInt8](test.text.utf8).span) == test.value)
  }

  @Test(arguments: roundTrips) func encodes(_ test: RoundTrip) throws {
    #expect([UInt8](test.value.text.utf8) == [UInt8](test.written.utf8))
    #expect([UInt8](try JSONValue(parsing: test.text).text.utf8) == [UInt8](test.written.utf8))
  }

  @Test(arguments: ["0", "-0", "1.0", "65.000000", "1e5", "1E+5", "-1.50e-07", "123456789012345678901234567890", "1e400", "0.1"])
  func numbersStayAsWritten(_ text: String) throws {
    #expect(try JSONValue(parsing: text).text == text)
    #expect(try JSONValue(parsing: text).number?.text == text)
  }

  @Test func keysKeepTheirOrder() throws {
    let text = #"{"zebra":1,"apple":2,"mango":3}"#
    #expect(try JSONValue(parsing: text).object?.members.map(\.key) == ["zebra", "apple", "mango"])
    #expect(try JSONValue(parsing: text).object?.text == text)
  }
}

@Suite struct JSONWriterTests {
  @Test func putsCommasBetweenAndNowhereElse() {
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    writer.key("a")
    writer.beginArray()
    writer.number(1)
    writer.beginArray()
    writer.endArray()
    writer.null()
    writer.endArray()
    writer.key("b\n")
    writer.bool(true)
    writer.key("c")
    writer.beginObject()
    writer.key("d")
    writer.string("e")
    writer.endObject()
    writer.members(JSONObject([JSONObject.Member(key: "f", value: .bool(false))]))
    writer.endObject()
    #expect(writer.text == #"{"a":[1,[],null],"b\n":true,"c":{"d":"e"},"f":false}"#)
    #expect(writer.bytes == [UInt8](writer.text.utf8))
  }

  @Test func escapesOnlyWhatMustBe() throws {
    for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) {
      let text = JSONValue.string("x\(scalar)").text
      let isEscaped = text.utf8.contains(UInt8(ascii: "\\"))
      #expect(isEscaped == (scalar.value < 0x20 || scalar == "\"" || scalar == "\\"))
      #expect(try JSONValue(parsing: text) == .string("x\(scalar)"))
    }
  }
}
