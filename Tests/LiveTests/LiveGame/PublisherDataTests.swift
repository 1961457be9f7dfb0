import Basics
import LiveGame
import RTMP
import Testing

/// Data of publishers as events, by the rules of Wowza.
@Suite struct PublisherDataTests {
  private func event(_ name: String, _ members: [AMF0Value.Member]) throws -> ForeignEvent {
    try ForeignEvent(data: name, [.object(members)])
  }

  private func said(_ members: [AMF0Value.Member]) throws -> String {
    JSONValue.object(try event("e", [.init("wowzaConverter", .string("basic_json"))] + members).data).text
  }

  @Test func whole() throws {
    let found = try event(
      "onTextData", [.init("text", .string("é")), .init("wowzaConverter", .string("Basic_JSON")), .init("guid", .string("g"))])
    #expect(found.name == "onTextData" && JSONValue.object(found.data).text == #"{"text":"é","guid":"g"}"#)
    // An associative array will do, and what comes behind it does not count.
    let members: [AMF0Value.Member] = [.init("wowzaConverter", .string("basic_json")), .init("name", .string("ad"))]
    let other = try ForeignEvent(data: "onCuePoint", [.array(members), .null])
    #expect(other == ForeignEvent(name: "onCuePoint", data: JSONObject([.init(key: "name", value: .string("ad"))])))
  }

  @Test func values() throws {
    let list = AMF0Value.list([
      .number(1), .number(-0.5), .number(1e300), .number(.infinity), .number(.nan), .boolean(true), .null, .undefined,
    ])
    #expect(try said([.init("l", list)]) == #"{"l":[1,-0.5,1e+300,null,null,true,null,null]}"#)
    #expect(
      try said([.init("o", .object([.init("a", .array([]))])), .init("d", .date(1_700_000_000_123))])
        == #"{"o":{"a":{}},"d":1700000000123}"#)
    #expect(
      try said([.init("n", .number(9_007_199_254_740_992)), .init("m", .number(9_007_199_254_740_994))])
        == #"{"n":9007199254740992,"m":9.007199254740994e+15}"#)
    // Of several members with one name, the last counts.
    #expect(try said([.init("a", .number(1)), .init("a", .number(2))]) == #"{"a":2}"#)
  }

  @Test func texts() throws {
    func payload(_ value: AMF0Value) throws -> String {
      let members: [AMF0Value.Member] = [
        .init("wowzaConverter", .string("basic_string")), .init("payload", value), .init("more", .null), .init("guid", .string("g")),
      ]
      return JSONValue.object(try event("e", members).data).text
    }
    #expect(try payload(.string("a\"b")) == #"{"guid":"g","payload":"a\"b"}"#)
    #expect(try payload(.number(5)) == #"{"guid":"g","payload":"5"}"#)
    for value in [AMF0Value.object([]), .list([]), .null, .undefined] {
      #expect(throws: ForeignEvent.DataProblem.noPayload(name: "e")) { try payload(value) }
    }
  }

  @Test func leftOut() {
    #expect(throws: ForeignEvent.DataProblem.noObject(name: "e")) { try ForeignEvent(data: "e", []) }
    #expect(throws: ForeignEvent.DataProblem.noObject(name: "e")) { try ForeignEvent(data: "e", [.string("x"), .object([])]) }
    #expect(throws: ForeignEvent.DataProblem.noConverter(name: "e")) { try event("e", [.init("wowzaConverter", .number(1))]) }
    #expect(throws: ForeignEvent.DataProblem.unknownConverter(name: "e", "x")) { try event("e", [.init("wowzaConverter", .string("x"))]) }
    #expect(
      "\(ForeignEvent.DataProblem.noConverter(name: "onTextData"))"
        == #""onTextData" has no wowzaConverter, and is left out; "basic_json" makes an event of it"#)
  }
}
