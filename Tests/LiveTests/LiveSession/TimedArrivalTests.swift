import Basics
import CueSheet
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LiveGame
@testable import LiveSession

/// How long events wait for an access unit, whatever the machine's clock says.
@Suite struct TimedArrivalTests {
  private let start = ContinuousClock.now

  private func arrival(deadline: Int64?, wallClock: Int64) -> TimedArrival {
    let event = GameEvent(guid: SampleGame.guid("a"), game: "g", sequence: 1, at: nil, content: .endGame(EndGame(totalQuestions: 1)))
    let arrival = LiveGame.Arrival(planned: PlannedEvent(event), deadline: deadline)
    return TimedArrival(arrival, at: ClockReading(instant: start, wallClock: wallClock))
  }

  @Test func countsFromTheReading() {
    let waiting = arrival(deadline: 1_010_000, wallClock: 1_000_000)
    #expect(!waiting.hasExpired(at: start + .seconds(10)) && waiting.hasExpired(at: start + .milliseconds(10_001)))
    #expect(waiting.arrival.deadline == 1_010_000)
    // After a restart the rest of the time counts, which may be none.
    let restored = arrival(deadline: 1_010_000, wallClock: 1_010_001)
    #expect(restored.hasExpired(at: start))
  }

  @Test func extremes() {
    #expect(!arrival(deadline: nil, wallClock: 0).hasExpired(at: start + .seconds(1_000_000_000)))
    #expect(!arrival(deadline: .max, wallClock: -1_000).hasExpired(at: start + .seconds(1_000_000_000)))
    #expect(arrival(deadline: .min, wallClock: 1_000).hasExpired(at: start))
  }

  /// The desk's events expire by the moment at which the stream takes them.
  @Test func desk() async throws {
    let settings = LiveGame.Settings(game: "friday", title: "T", policy: CopyPolicy(), answers: .open)
    let desk = EventDesk(LiveGame(settings), arrivals: [], journal: nil, after: JournalText.Chain(), feed: LiveFeed()) { $0.object(at: "") }
    desk.start()
    let notes = Notes()
    desk.changes.observe { notes.add(desk.read { game, _ in game.statuses.map { "\($0.guid.text) \($0.state)" }.joined(separator: ", ") }) }
    let before = ContinuousClock.now
    try await TestThread.run {
      for (name, keys) in [("a", #","expires":10"#), ("b", "")] {
        let request = try LiveRequest(json: #"{"event":"poll","guid":"\#(name)"\#(keys)}"#)
        _ = try await desk.change { (game, now) throws(LiveProblem) in try game.accept(request, newGUID: SampleGame.guid("none"), now: now)
        }
      }
      await notes.wait(for: "a accepted, b accepted")
      #expect(desk.takeArrivals(at: before + .seconds(60)).map(\.planned.event.guid.text) == ["b"])
      await notes.wait(for: "a lost, b accepted")
      #expect(desk.read { game, _ in game.status(SampleGame.guid("a"))?.reason } == "it expired before the stream could take it")
      let request = try LiveRequest(json: #"{"event":"poll","guid":"c","expires":10}"#)
      _ = try await desk.change { (game, now) throws(LiveProblem) in try game.accept(request, newGUID: SampleGame.guid("none"), now: now) }
      #expect(desk.takeArrivals(at: before + .seconds(10)).map(\.planned.event.guid.text) == ["c"])
      desk.close(.over)
    }
  }
}
