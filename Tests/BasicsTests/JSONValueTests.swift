import Basics
import Testing

@Suite struct JSONValueTests {
  @Test func valuesAreOfOneKind() throws {
    let values = try ["null", "true", "1", #""s""#, "[1]", #"{"a":1}"#].map { try JSONValue(parsing: $0) }
    for (index, value) in values.enumerated() {
      #expect(value.bool == (index == 1 ? true : nil))
      #expect(value.int == (index == 2 ? 1 : nil))
      #expect(value.number == (index == 2 ? JSONNumber(1) : nil))
      #expect(value.string == (index == 3 ? "s" : nil))
      #expect(value.array == (index == 4 ? [.number(JSONNumber(1))] : nil))
      #expect((value.object != nil) == (index == 5))
      for (otherIndex, other) in values.enumerated() { #expect((value == other) == (index == otherIndex)) }
    }
  }

  @Test func stringsAreEqualByTheirBytes() {
    #expect(JSONValue.string("\u{E9}") == .string("\u{E9}"))
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    #expect(JSONValue.string("a") != .string("b"))
  }
}

@Suite struct JSONNumberTests {
  @Test(arguments: [
    ["0", "-0", "0.0", "0e5", "-0.00E-99999999999999999999", "0e99999999999999999999"],
    ["1", "1.0", "1e0", "10e-1", "0.1e1", "0.001E+3"],
    ["10", "1e1", "1e+01", "100e-1", "10.000"],
    ["-1.5", "-15e-1", "-0.15e1"],
    ["1e400", "10e399", "0.1e401"],
    ["1e-400", "10e-401"],
    ["123456789012345678901234567890", "12345678901234567890123456789e1"],
    ["1e1000000000000000", "10e999999999999999"],
    ["1e99999999999999999999"],
    ["1e-99999999999999999999"],
    ["0.1000000000000000055511151231257827"],
    ["0.1"],
  ])
  func equalMeansEqualInValue(_ texts: [String]) throws {
    let others = ["0", "1", "10", "-1.5", "1e400", "1e-400", "15", "11", "2", "1e9999999999999999999"]
    for left in texts {
      for right in texts { #expect(try number(left) == number(right)) }
      for right in others where !texts.contains(right) { #expect(try number(left) != number(right)) }
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("2.0", 2), ("2e0", 2), ("20e-1", 2), ("-2.50e2", -250), ("0.07E+2", 7), ("0.0", 0),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("-922337203685477580.8e1", .min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("922337203685477580.8e1", nil), ("1e18", 1_000_000_000_000_000_000),
      ("1e19", nil), ("1e20", nil), ("1e21", nil), ("1e99999999999999999999", nil), ("0e99999999999999999999", 0),
      ("1.5", nil), ("1e-1", nil), ("0.999999999999999999999", nil), ("1e-99999999999999999999", nil),
      ("123456789012345678901234567890", nil), ("100000000000000000000000e-22", 10),
    ] as [(String, Int?)])
  func integersAreExact(_ text: String, _ value: Int?) throws {
    #expect(try number(text).int == value)
  }

  @Test func integersAreWrittenPlainly() {
    #expect(JSONNumber(-12).text == "-12")
    #expect(JSONNumber(.min).intValue == .min)
  }

  @Test(arguments: [
    "", "-", "+1", "01", "-01", "00", "1.", ".5", "1e", "1e+", "1 ", " 1", "0x1", "1_0", "NaN", "Infinity", "1.e1", "--1", "1e1.5", "١",
  ])
  func otherTextIsNoNumber(_ text: String) {
    #expect(JSONNumber(text) == nil)
  }
}

@Suite struct JSONObjectTests {
  private func parse(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }

  @Test func findsByBytes() throws {
    let object = try parse("{\"a\":1,\"\u{E9}\":2}")
    #expect(object["a"]?.int == 1)
    #expect(object["\u{E9}"]?.int == 2)
    #expect(object["e\u{301}"] == nil)
    #expect(object["A"] == nil)
    #expect(object.count == 2)
    #expect(!object.isEmpty)
  }

  @Test func appendsAndReplaces() {
    var object = JSONObject()
    #expect(object.isEmpty)
    object.append("b", .null)
    object.append("a", .bool(true))
    object.append("b", .bool(false))
    #expect(object.text == #"{"b":false,"a":true}"#)
    #expect(
      JSONObject([.init(key: "b", value: .null), .init(key: "a", value: .null), .init(key: "b", value: .bool(true))]).text
        == #"{"b":true,"a":null}"#)
  }

  @Test func removes() throws {
    var object = try parse(#"{"a":1,"b":2,"c":3,"d":4}"#)
    #expect(object.removing(["d", "x", "a"]).text == #"{"b":2,"c":3}"#)
    #expect(object.removeValue(for: "b")?.int == 2)
    #expect(object.removeValue(for: "b") == nil)
    #expect(object.text == #"{"a":1,"c":3,"d":4}"#)
  }

  @Test func theOrderOfKeysDoesNotCount() throws {
    let object = try parse(#"{"a":1,"b":{"c":1.0,"d":[1,2]}}"#)
    #expect(object == (try parse(#"{"b":{"d":[1,2],"c":1},"a":1e0}"#)))
    for other in [#"{"a":1}"#, #"{"a":1,"b":{"c":1,"d":[2,1]}}"#, #"{"a":1,"x":{"c":1.0,"d":[1,2]}}"#, #"{"b":1,"a":{"c":1.0,"d":[1,2]}}"#]
    {
      #expect(object != (try parse(other)))
    }
  }
}
