import GameEvents
import Testing

/// Which event ends which.
@Suite struct CurrencyTests {
  private static func events(game: String?) -> [(name: String, event: GameEvent)] {
    [
      ("start", Sample.start("start2", game: game)), ("ask", Sample.ask("q2", game: game)),
      ("info", Sample.info("i2", game: game)),
      ("show", Sample.show("r2", of: "q1", game: game)), ("other show", Sample.show("r3", of: "q9", game: game)),
      ("end", Sample.end("e2", game: game)), ("poll", Sample.poll("p2", game: game)),
    ]
  }

  @Test(arguments: [
    ("start", ["end"]), ("ask", ["ask", "show", "end"]), ("info", ["info", "end"]), ("show", ["ask", "end"]), ("end", []), ("poll", []),
  ])
  func whichEventEndsWhich(earlier: String, by expected: [String]) throws {
    let earlierEvents = [
      "start": Sample.start("start1"), "ask": Sample.ask("q1"), "info": Sample.info("i1"),
      "show": Sample.show("r1", of: "q1"),
      "end": Sample.end("e1"), "poll": Sample.poll("p1"),
    ]
    let event = try #require(earlierEvents[earlier])
    #expect(Self.events(game: "friday").filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == expected)
    // Another game ends everything by its start, and nothing by anything else.
    #expect(Self.events(game: "saturday").filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == ["start"])
    #expect(Self.events(game: nil).filter { $0.event.endsActiveSpan(of: event) }.map { $0.name } == ["start"])
  }
}
