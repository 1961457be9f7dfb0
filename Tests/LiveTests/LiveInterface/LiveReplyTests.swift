import Basics
import Testing

@testable import LiveInterface

/// What answers mean, and what people read of them.
@Suite struct LiveReplyTests {
  private func reply(_ status: Int, _ body: String) -> LiveReply { LiveReply(status: status, body: Array(body.utf8)) }

  private func object(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }

  @Test func answers() throws {
    #expect(try reply(202, "{\"a\":1}\n") == .done(object("{\"a\":1}")) && reply(204, "") == .done(nil))
    for (status, body) in [(200, ""), (200, "[]"), (200, "{\"a\":"), (202, "<html>"), (418, "{\"a\":1}"), (502, "<html>"), (302, "")] {
      #expect(reply(status, body) == .foreign(status: status), "\(status) \(body)")
    }
  }

  @Test func refusals() throws {
    let text = #"""
      {"type":"urn:cuelight:problem:invalid","title":"invalid","status":422,"detail":"one","pointer":"/at","errors":[
      {"detail":"one","pointer":"/at"},{"detail":"two","pointer":""},{"pointer":"/x"}]}
      """#
    guard case .refused(let refusal) = reply(422, text) else { return #expect(Bool(false)) }
    #expect(try refusal.kind == "invalid" && refusal.status == 422 && refusal.object == object(text) && !refusal.isCancelledAlready)
    #expect(refusal.lines == ["/at: one", "two"])
    guard case .refused(let late) = reply(409, #"{"title":"tooLate","detail":"gone","now":5}"#) else { return #expect(Bool(false)) }
    #expect(late.lines == ["gone"])
    for (state, isCancelled) in [("cancelled", true), ("placed", false)] {
      guard case .refused(let refusal) = reply(409, #"{"title":"notCancellable","detail":"d","state":"\#(state)"}"#) else {
        return #expect(Bool(false))
      }
      #expect(refusal.isCancelledAlready == isCancelled)
    }
  }

  @Test func callsAgain() {
    var backOff = BackOff.call
    let delays = [200, 400, 800, 1_600].map { Duration.milliseconds($0) } + [nil, nil]
    #expect((0..<6).map { _ in backOff.fail() } == delays && backOff.failures == 4)
    var asked = BackOff.call
    #expect(
      ["1", "0", "3600", "-1", "Sun, 22 Nov 2026 20:00:00 GMT"].map { asked.fail(retryAfter: $0) }
        == [.seconds(1), .zero, .seconds(10), .milliseconds(1_600), nil])
    #expect((400..<600).filter { BackOff.isWorthRetrying(status: $0) } == [429, 502, 503, 504])
  }

  @Test func texts() throws {
    let placed = try object(
      #"{"guid":"g","event":"askQuestion","sequence":2,"state":"placed","at":65.04,"closesAt":75.04,"copies":3,"refreshes":1,"segments":[4,5]}"#
    )
    #expect(LiveText.event(placed) == "askQuestion g: placed at 01:05.040, number 2")
    #expect(
      LiveText.wholeEvent(placed)
        == "askQuestion g: placed at 01:05.040, number 2, answers until 01:15.040, 3 copies, 1 refresh, segments to 5")
    let waiting = try object(#"{"guid":"w","event":"poll","sequence":null,"state":"scheduled","at":null,"copies":0,"segments":[]}"#)
    #expect(LiveText.event(waiting) == "poll w: scheduled" && LiveText.wholeEvent(waiting) == "poll w: scheduled")
    let lost = try object(#"{"guid":"l","event":"poll","sequence":3,"state":"lost","reason":"it expired"}"#)
    #expect(LiveText.event(lost) == "poll l: lost, number 3, it expired")
    var list = JSONObject()
    #expect(LiveText.events(list) == ["no event was posted"])
    list.append("events", [placed, waiting])
    #expect(LiveText.events(list) == ["2  01:05.040  askQuestion  placed     g", "-          -  poll         scheduled  w"])
    #expect(
      try LiveText.now(object(#"{"at":65.04,"wallClock":"2026-11-22T20:00:00.000Z","latency":0.04,"sequence":7,"input":"up"}"#))
        == "01:05.040, 2026-11-22T20:00:00.000Z, input up, number 7 was the last, latency 0.04 s")
    #expect(
      try LiveText.now(object(#"{"at":null,"wallClock":null,"latency":null,"sequence":0,"input":"down"}"#))
        == "no programme yet, input down")
  }
}
