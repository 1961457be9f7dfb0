import Basics
import Testing

/// A text that is no JSON, and where and why it is refused.
struct Refusal: CustomTestStringConvertible, Sendable {
  let bytes: [UInt8]
  let error: ParseError

  init(_ text: String, _ what: String, at offset: Int) {
    self.init([UInt8](text.utf8), .invalid(what), at: offset)
  }

  init(_ bytes: [UInt8], _ reason: ParseError.Reason, at offset: Int) {
    self.bytes = bytes
    self.error = ParseError(reason, at: offset)
  }

  var testDescription: String { String(decoding: bytes, as: UTF8.self) }
}

private let value = "a JSON value is expected here"
private let listEnd = "a comma or a closing bracket is expected here"
private let repeated = "a key occurs twice in one object"
private let unpaired = "a surrogate without its partner"
private let hexDigit = "a hexadecimal digit is expected here"

/// A string that holds `bytes` after `ä!`.
private func string(_ bytes: UInt8...) -> [UInt8] { Array("\"ä!".utf8) + bytes + Array("?\"".utf8) }

private let refusals: [Refusal] = [
  Refusal("[1,]", value, at: 3),
  Refusal("[,1]", value, at: 1),
  Refusal("[1 2]", listEnd, at: 3),
  Refusal("[1}", listEnd, at: 2),
  Refusal(#"{"a":1]"#, listEnd, at: 6),
  Refusal(#"{"a":1,}"#, "a key in quotes is expected here", at: 7),
  Refusal("{a:1}", "a key in quotes is expected here", at: 1),
  Refusal(#"{"a" 1}"#, "a colon is expected here", at: 5),
  Refusal(#"{"a":}"#, value, at: 5),
  Refusal("'a'", value, at: 0),
  Refusal("\u{FEFF}1", value, at: 0),
  Refusal("\u{A0}1", value, at: 0),
  Refusal("[nul]", "a JSON value is expected here, such as null", at: 4),
  Refusal("trUe", "a JSON value is expected here, such as true", at: 2),
  Refusal("[01]", "a number starts with a superfluous 0", at: 2),
  Refusal("[-]", "a digit is expected here", at: 2),
  Refusal("[1.e1]", "a digit is expected here", at: 3),
  Refusal("[1e+]", "a digit is expected here", at: 4),
  Refusal("[+1]", value, at: 1),
  Refusal("[.5]", value, at: 1),
  Refusal("[0x1]", listEnd, at: 2),
  Refusal("[NaN]", value, at: 1),
  Refusal("\"a\tb\"", "a control character stands unescaped in a string", at: 2),
  Refusal("\"ä\\n\n\"", "a control character stands unescaped in a string", at: 5),
  Refusal(#""\x""#, "no such escape", at: 2),
  Refusal(#""\U0041""#, "no such escape", at: 2),
  Refusal(#""\u00g0""#, hexDigit, at: 5),
  Refusal(#""\u+041""#, hexDigit, at: 3),
  Refusal(#""ab\udc00""#, unpaired, at: 3),
  Refusal(#""ab\ud800""#, unpaired, at: 3),
  Refusal(#""ab\ud800x""#, unpaired, at: 3),
  Refusal(#""ab\ud800\n""#, unpaired, at: 3),
  Refusal(#""ab\ud800\ud800""#, unpaired, at: 3),
  Refusal(#""ab\ud800\u0041""#, unpaired, at: 3),
  Refusal(#"{"a":1,"b":2,"\u0061":3}"#, repeated, at: 13),
  Refusal(#"[{"a":{"x":1},"b":{"a":1,"a":1}}]"#, repeated, at: 25),
  Refusal([UInt8]("1 2".utf8), .trailingBytes(1), at: 2),
  Refusal([UInt8]("{} \n,,".utf8), .trailingBytes(2), at: 4),
  Refusal([UInt8]("1\0".utf8), .trailingBytes(1), at: 1),
  Refusal([], .truncated(needed: 1, available: 0), at: 0),
  Refusal([UInt8](" \n".utf8), .truncated(needed: 1, available: 0), at: 2),
  Refusal([UInt8](#"{"a":"#.utf8), .truncated(needed: 1, available: 0), at: 5),
  Refusal([UInt8]("[-".utf8), .truncated(needed: 1, available: 0), at: 2),
  // Not UTF-8: a lone continuation, overlong forms, a surrogate, above U+10FFFF, cut sequences, bytes that UTF-8 has not.
  Refusal(string(0x80), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xC0, 0xAF), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xE0, 0x80, 0xAF), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xF0, 0x80, 0x80, 0xAF), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xED, 0xA0, 0x80), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xF4, 0x90, 0x80, 0x80), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xE2, 0x82), .invalid("no UTF-8"), at: 4),
  Refusal(string(0xFF), .invalid("no UTF-8"), at: 4),
  Refusal(string(0x5C, 0x6E, 0xC3, 0x5C, 0x6E), .invalid("no UTF-8"), at: 6),
  Refusal([0xFE, 0xFF, 0x00, 0x31], .invalid(value), at: 0),
]

@Suite struct JSONErrorTests {
  @Test(arguments: refusals) func isRefusedAtItsByte(_ test: Refusal) {
    #expect(throws: test.error) { try JSONValue(parsing: test.bytes.span) }
  }

  @Test func everyBeginningIsRefused() throws {
    let text = #" {"a":[1,-2.5e+3,"x\n\ud83d\ude00é"],"b":{"c":null,"d":true,"e":false}}"#
    let bytes = [UInt8](text.utf8)
    _ = try JSONValue(parsing: bytes.span)
    for length in bytes.indices {
      #expect(throws: ParseError(.truncated(needed: 1, available: 0), at: length)) {
        try JSONValue(parsing: bytes.span.extracting(first: length))
      }
    }
  }

  @Test(arguments: [2, 24, 25, 4_000]) func repeatedKeysAreFoundInLargeObjects(count: Int) throws {
    // 7 divides none of the counts' neighbours, so that the keys come in no order.
    var keys = (0..<count).map { "key \($0 * 7 % 4_001)" }
    func text() -> String { "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
    #expect(try JSONValue(parsing: text()).object?.count == count)
    keys[count - 1] = keys[count / 2 - 1]
    let offset = text().utf8.count - keys[count - 1].utf8.count - 5
    #expect(throws: ParseError(.invalid(repeated), at: offset)) { try JSONValue(parsing: text()) }
  }

  @Test func limitsAreKept() throws {
    let limits = JSONLimits(depth: 2, bytes: 20, members: 3)
    #expect(try JSONValue(parsing: #"[{"a":1},[],[1,2,3]]"#, limits: limits).array?.count == 3)
    #expect(throws: ParseError(.aboveLimit(what: "length of a JSON text", limit: 20), at: 20)) {
      try JSONValue(parsing: #"[{"a":1},[],[1,2,3] ]"#, limits: limits)
    }
    #expect(throws: ParseError(.aboveLimit(what: "depth of JSON", limit: 2), at: 5)) {
      try JSONValue(parsing: #"[1,[ {}]]"#, limits: limits)
    }
    #expect(throws: ParseError(.aboveLimit(what: "number of members in JSON", limit: 3), at: 7)) {
      try JSONValue(parsing: "[1,2,3,4]", limits: limits)
    }
    #expect(throws: ParseError(.aboveLimit(what: "number of members in JSON", limit: 0), at: 1)) {
      try JSONValue(parsing: #"{"a":1}"#, limits: JSONLimits(members: 0))
    }
  }

  @Test func thereAreLimitsUnlessOthersAreGiven() throws {
    func list(_ count: Int) -> String { "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
    #expect(try JSONValue(parsing: list(4_096)).array?.count == 4_096)
    #expect(throws: ParseError(.aboveLimit(what: "number of members in JSON", limit: 4_096), at: 8_193)) {
      try JSONValue(parsing: list(4_097))
    }
    let long = "\"" + String(repeating: "x", count: (1 << 20) - 2) + "\""
    #expect(try JSONValue(parsing: long).string?.utf8.count == (1 << 20) - 2)
    #expect(throws: ParseError(.aboveLimit(what: "length of a JSON text", limit: 1 << 20), at: 1 << 20)) {
      try JSONValue(parsing: long + " ")
    }
  }

  @Test func depthEndsBeforeTheStackDoes() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(32)) }
    #expect(throws: ParseError(.aboveLimit(what: "depth of JSON", limit: 32), at: 32)) { try JSONValue(parsing: nested(33)) }
    let deepest = JSONLimits(depth: .max)
    #expect(try JSONValue(parsing: nested(128), limits: deepest).text == nested(128))
    #expect(throws: ParseError(.aboveLimit(what: "depth of JSON", limit: 128), at: 128)) {
      try JSONValue(parsing: nested(100_000), limits: deepest)
    }
  }
}
