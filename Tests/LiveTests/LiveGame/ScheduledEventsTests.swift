import Basics
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// The events that wait for their time or for the operator.
@Suite struct ScheduledEventsTests {
  private static func events(_ dues: [(String, LiveRequest.Due)]) throws -> ScheduledEvents {
    var events = ScheduledEvents()
    let request = try LiveRequest(json: #"{"event":"poll"}"#)
    for (name, due) in dues { events.add(SampleGame.guid(name), request, due) }
    return events
  }

  private static func names(_ events: [ScheduledEvents.Event]) -> String { events.map(\.guid.text).joined(separator: " ") }

  private static func now(_ seconds: Double, dates: DateAnchor? = nil) -> LiveGame.Now {
    LiveGame.Now(time: MediaTime(seconds: seconds), wallClock: 0, dates: dates)
  }

  /// Events come a quarter of a second before their time, in the order of their times, then in that of their acceptance.
  @Test func dueInOrder() throws {
    var events = try Self.events([
      ("late", .at(MediaTime(seconds: 5))), ("b", .at(MediaTime(seconds: 3))), ("a", .at(MediaTime(seconds: 2))),
      ("date", .wallClock(3_000)), ("go", .go), ("c", .at(MediaTime(seconds: 3))),
    ])
    #expect(events.nextTime(Self.now(0)) == MediaTime(seconds: 1.75))
    let early = events.takeDue(Self.now(1.7))
    #expect(early.due.isEmpty)
    let dates = DateAnchor(time: .zero, wallClock: 0)
    let due = events.takeDue(Self.now(2.75, dates: dates))
    #expect(Self.names(due.due.map(\.event)) == "a b date c" && due.due.map(\.time) == [2, 3, 3, 3].map { MediaTime(seconds: $0) })
    #expect(Self.names(events.events) == "late go")
    let withoutInput = events.takeDue(LiveGame.Now(time: nil, wallClock: 0))
    #expect(withoutInput.due.isEmpty)
  }

  /// An event for the operator that could not be sent keeps its turn.
  @Test func operatorsTurn() throws {
    var events = try Self.events([("a", .go), ("b", .at(.zero)), ("c", .go)])
    let next = events.takeNext()
    let first = try #require(next)
    #expect(first.guid == SampleGame.guid("a") && Self.names(events.events) == "b c")
    events.putBack(first)
    #expect(Self.names(events.events) == "a b c")
    let guids = [
      events.takeNext()?.guid, events.remove(SampleGame.guid("c"))?.guid, events.remove(SampleGame.guid("c"))?.guid,
      events.takeNext()?.guid,
    ]
    #expect(guids == [SampleGame.guid("a"), SampleGame.guid("c"), nil, nil])
  }
}
