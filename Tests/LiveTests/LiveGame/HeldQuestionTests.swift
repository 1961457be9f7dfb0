import Basics
import EventSchedule
import GameEvents
import SCTE35
import TestSupport
import Testing

@testable import LiveGame

/// Questions whose time meets an ad break.
@Suite struct HeldQuestionTests {
  private func guid(_ text: String) -> GUID { SampleGame.guid(text) }

  private func game(_ policy: BreakPolicy) -> LiveGame {
    var settings = LiveSample.settings
    settings.breaks = policy
    return LiveGame(settings)
  }

  /// An open break from one second to another one.
  private func known(from start: Int, to end: Int, _ state: AdBreak.State = .open) -> AdBreak {
    var known = AdBreak(
      .init(eventID: 77), number: 3, start: MediaTime(seconds: start), duration: MediaTime(seconds: end - start), returnsByItself: true,
      out: [0xFC, 0x30])
    known.state = state
    return known
  }

  @Test func aQuestionWaitsForTheEndOfTheBreak() throws {
    var game = game(.hold)
    let now = LiveSample.now(12)
    let noted = game.note([known(from: 10, to: 40)], now: now)
    #expect(noted.change.records == [.adBreak(known(from: 10, to: 40))])
    let (answer, change) = try game.accept(try LiveSample.ask("q1"), now: now)
    #expect(change.records == [LiveSample.accepted(try LiveSample.ask("q1"), "q1", now)])
    #expect(change.arrivals == [])
    #expect(answer.status.state == .held)
    #expect(answer.status.reason == "waits for the end of the ad break from 00:10.000 to 00:40.000")
    #expect(game.release(now: LiveSample.now(39)).arrivals == [])
    #expect(game.nextRelease(dates: now.dates) == MediaTime(ticks: 40 * 90_000 - 22_500))
    let released = game.release(now: LiveSample.now(39.9))
    #expect(released.arrivals.map(\.planned.event.guid) == [guid("q1")])
    #expect(released.arrivals.map(\.planned.event.at) == [MediaTime(seconds: 40)])
  }

  @Test func otherEventsAndOtherTimesPass() throws {
    var game = game(.hold)
    let now = LiveSample.now(12)
    _ = game.note([known(from: 10, to: 40)], now: now)
    #expect(try game.accept(try LiveSample.poll("p1"), now: now).1.arrivals.count == 1)
    #expect(try game.accept(try LiveSample.ask("q1", ",\"at\":41"), now: now).0.status.state == .scheduled)
    var passing = self.game(.pass)
    _ = passing.note([known(from: 10, to: 40)], now: now)
    #expect(try passing.accept(try LiveSample.ask("q1"), now: now).1.arrivals.count == 1)
  }

  /// The question is open for ten seconds.
  @Test func aScheduledQuestionIsHeldAndReleasedAsBreaksChange() throws {
    var game = game(.hold)
    let now = LiveSample.now(5)
    _ = try game.accept(try LiveSample.ask("q1", ",\"at\":20"), now: now)
    #expect(game.status(guid("q1"))?.state == .scheduled)
    #expect(game.note([known(from: 25, to: 50, .announced)], now: now).statuses.map(\.state) == [.held])
    #expect(game.note([known(from: 30, to: 50, .announced)], now: now).statuses.map(\.state) == [.scheduled])
    #expect(game.note([known(from: 25, to: 50)], now: now).statuses.map(\.state) == [.held])
    #expect(game.note([known(from: 25, to: 28, .ended)], now: now).statuses.map(\.state) == [.scheduled])
  }

  @Test func refused() throws {
    var game = game(.refuse)
    let now = LiveSample.now(12)
    _ = game.note([known(from: 10, to: 40)], now: now)
    #expect(throws: LiveProblem.inBreak(known(from: 10, to: 40))) { try game.accept(try LiveSample.ask("q1"), now: now) }
    #expect(throws: LiveProblem.inBreak(known(from: 10, to: 40))) {
      try game.accept(try LiveSample.ask("q1", ",\"at\":35"), now: now)
    }
    #expect(try game.accept(try LiveSample.ask("q1", ",\"at\":45"), now: now).0.status.state == .scheduled)
  }

  /// After a crash the journal has the break and the question without a number.
  @Test func heldOverARestart() throws {
    var game = game(.hold)
    let now = LiveSample.now(12)
    var records = game.note([known(from: 10, to: 40)], now: now).change.records
    records += try game.accept(try LiveSample.ask("q1"), now: now).1.records
    let written = records.compactMap { JournalRecord($0.object) }
    #expect(written == records)
    var (restored, arrivals) = try LiveGame.restored(written, game.settings)
    #expect(arrivals == [])
    #expect(restored.breaks == [known(from: 10, to: 40)])
    #expect(restored.breakCount == 4)
    #expect(restored.release(now: LiveSample.now(20)).arrivals == [])
    #expect(restored.release(now: LiveSample.now(40)).arrivals.map(\.planned.event.guid) == [guid("q1")])
  }

  @Test func aSignInABreakIsHeld() throws {
    var game = game(.hold)
    let now = LiveSample.now(12)
    _ = try game.accept(try LiveSample.ask("q1", ",\"at\":\"go\""), now: now)
    _ = game.note([known(from: 10, to: 40)], now: now)
    let (answer, change) = try game.goNext(now: now)
    #expect(answer.status.state == .held)
    #expect(change.records == [.released(guid: guid("q1"), key: nil)])
    #expect(game.release(now: LiveSample.now(40)).arrivals.map(\.planned.event.guid) == [guid("q1")])
  }
}
