import GameEvents
import Testing

/// Which event ends which.
@Suite struct CurrencyTests {
  private static func events(game: String?) -> [(name: String, event: GameEvent)] {
    [
      ("start", EventSample.start("start2", game: game)), ("ask", EventSample.ask("q2", game: game)),
      ("info", EventSample.info("i2", game: game)),
      ("show", EventSample.show("r2", of: "q1", game: game)), ("other show", EventSample.show("r3", of: "q9", game: game)),
      ("end", EventSample.end("e2", game: game)), ("poll", EventSample.poll("p2", game: game)),
    ]
  }

  @Test(arguments: [
    ("start", ["end"]), ("ask", ["ask", "show", "end"]), ("info", ["info", "end"]), ("show", ["ask", "end"]), ("end", []), ("poll", []),
  ])
  func ends(earlier: String, by expected: [String]) throws {
    let earlierEvents = [
      "start": EventSample.start("start1"), "ask": EventSample.ask("q1"), "info": EventSample.info("i1"),
      "show": EventSample.show("r1", of: "q1"),
      "end": EventSample.end("e1"), "poll": EventSample.poll("p1"),
    ]
    let event = try #require(earlierEvents[earlier])
    #expect(Self.events(game: "friday").filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == expected)
    // Another game ends everything by its start, and nothing by anything else.
    #expect(Self.events(game: "saturday").filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == ["start"])
    #expect(Self.events(game: nil).filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == ["start"])
  }
}
