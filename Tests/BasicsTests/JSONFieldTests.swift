import Basics
import Testing

/// Members that are read and written one by one.
@Suite struct JSONFieldTests {
  private static let object = JSONObject(fields: [
    "text": "a", "yes": true, "number": 7, "time": MediaTime(ticks: 135_000), "object": JSONObject(fields: ["x": 1]),
    "list": [1, 2], "nothing": Int?.none, "something": Optional(3),
  ])

  @Test func written() {
    #expect(
      Self.object.text
        == #"{"text":"a","yes":true,"number":7,"time":1.5,"object":{"x":1},"list":[1,2],"nothing":null,"something":3}"#)
    #expect(
      JSONObject(fields: ["a": 1]).with("b", 2).with("c", Int?.none).with("d", Optional(Int?.none)).text == #"{"a":1,"b":2,"d":null}"#)
    #expect(JSONObject(fields: ["a": 1, "a": "x"]).text == #"{"a":"x"}"#)
  }

  @Test func read() throws {
    #expect(try Self.object.string("text") == "a" && Self.object.bool("yes") && Self.object.int("number", in: 7...7) == 7)
    #expect(try Self.object.time("time") == MediaTime(ticks: 135_000))
    #expect(try Self.object.object("object").text == #"{"x":1}"#)
    #expect(try Self.object.list("list") { $0.int } == [1, 2])
    #expect(try Self.object.optional("something") { $0.int } == 3)
    #expect(try Self.object.optional("nothing") { $0.int } == nil)
    #expect(try Self.object.optional("missing") { $0.int } == nil)
  }

  /// The error says which member it is.
  @Test func errors() {
    let object = Self.object
    func error(_ body: () throws(JSONFieldError) -> Void) -> String? {
      do throws(JSONFieldError) {
        try body()
        return nil
      } catch {
        return error.key
      }
    }
    #expect(error { () throws(JSONFieldError) in _ = try object.string("missing") } == "missing")
    #expect(error { () throws(JSONFieldError) in _ = try object.string("nothing") } == "nothing")
    #expect(error { () throws(JSONFieldError) in _ = try object.string("number") } == "number")
    #expect(error { () throws(JSONFieldError) in _ = try object.bool("text") } == "text")
    #expect(error { () throws(JSONFieldError) in _ = try object.int("number", in: 0...6) } == "number")
    #expect(error { () throws(JSONFieldError) in _ = try object.int("time") } == "time")
    #expect(error { () throws(JSONFieldError) in _ = try object.time("text") } == "text")
    #expect(error { () throws(JSONFieldError) in _ = try object.object("list") } == "list")
    #expect(error { () throws(JSONFieldError) in _ = try object.list("list") { $0.string } } == "list")
    #expect(error { () throws(JSONFieldError) in _ = try object.list("object") { $0.int } } == "object")
    #expect(error { () throws(JSONFieldError) in _ = try object.optional("text") { $0.int } } == "text")
    #expect("\(JSONFieldError("x"))" == "the member \"x\" is missing, or is not what it should be")
  }
}
