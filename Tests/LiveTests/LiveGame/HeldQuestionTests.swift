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
    #expect(game.nextRelease(now: now) == MediaTime(ticks: 40 * 90_000 - 22_500))
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
    #expect(change.records == [.released(guid: guid("q1"), key: nil), .moved(guid: guid("q1"), at: MediaTime(seconds: 12))])
    #expect(game.release(now: LiveSample.now(40)).arrivals.map(\.planned.event.guid) == [guid("q1")])
  }

  /// The GUIDs and times in seconds of the events that go now.
  private func released(_ game: inout LiveGame, _ seconds: Double) -> [String] {
    game.release(now: LiveSample.now(seconds)).arrivals.map { arrival in
      "\(arrival.planned.event.guid.text) \(arrival.planned.event.at.map { Double($0.ticks) / 90_000 } ?? -1)"
    }
  }

  /// A sheet asks at 20 s and shows the result at 35 s; then it asks at 50 s, after the break, and at 100 s.
  @Test func aResultKeepsItsDistanceFromAQuestionThatIsHeld() throws {
    var game = game(.hold)
    let now = LiveSample.now(5)
    var records: [JournalRecord] = []
    for (request, time) in [("q1", 20), ("r1", 35), ("q2", 50), ("r2", 65), ("q3", 100)] {
      let keys = ",\"at\":\(time)"
      records += try game.accept(request.hasPrefix("q") ? LiveSample.ask(request, keys) : LiveSample.show(request, keys), now: now).1
        .records
    }
    let noted = game.note([known(from: 15, to: 45, .announced)], now: now)
    records += noted.change.records
    #expect(
      noted.statuses.map { "\($0.guid.text): \($0.reason ?? "")" } == [
        "q1: waits for the end of the ad break from 00:15.000 to 00:45.000", "r1: waits for a question that is held",
        "q2: waits for a question that is held", "r2: waits for a question that is held",
      ])
    #expect(game.heldCount == 2)
    #expect(released(&game, 44) == [])
    var restored = try LiveGame.restored(records, game.settings).game
    for seconds in [44.9] {
      #expect(released(&game, seconds) == ["q1 45.0"])
      let change = restored.release(now: LiveSample.now(seconds))
      #expect(
        change.records.prefix(3) == [
          .moved(guid: guid("r1"), at: MediaTime(seconds: 60)), .moved(guid: guid("q2"), at: MediaTime(seconds: 75)),
          .moved(guid: guid("r2"), at: MediaTime(seconds: 90)),
        ])
      records += change.records
    }
    // A crash after that changes no time.
    restored = try LiveGame.restored(records.compactMap { JournalRecord($0.object) }, game.settings).game
    for (seconds, names) in [(59.9, ["r1 60.0"]), (74, []), (74.9, ["q2 75.0"]), (89.9, ["r2 90.0"]), (99, []), (99.9, ["q3 100.0"])] {
      #expect(released(&game, seconds) == names)
      #expect(released(&restored, seconds) == names)
    }
  }

  /// The break ends before its time, and the question goes then: 18 s late. Its result was posted while it waited, 6 s after it.
  @Test func aResultIsPostedWhileItsQuestionIsHeld() throws {
    var game = game(.hold)
    _ = game.note([known(from: 10, to: 40)], now: LiveSample.now(10))
    _ = try game.accept(try LiveSample.ask("q1"), now: LiveSample.now(12))
    let (answer, change) = try game.accept(try LiveSample.show("r1"), now: LiveSample.now(18))
    #expect(answer.status.state == .held && answer.status.reason == "waits for a question that is held")
    #expect(change.arrivals == [])
    let end = known(from: 10, to: 30, .ended)
    _ = game.note([end], now: LiveSample.now(30))
    #expect(released(&game, 30) == ["q1 30.0"])
    #expect(released(&game, 35) == [])
    #expect(released(&game, 36) == ["r1 36.0"])
  }

  /// The result of a question that is in the stream does not wait for another question.
  @Test func aResultOfAnEarlierQuestionPasses() throws {
    var game = game(.hold)
    #expect(try game.accept(try LiveSample.ask("q0"), now: LiveSample.now(1)).1.arrivals.count == 1)
    _ = game.note([known(from: 10, to: 40)], now: LiveSample.now(10))
    _ = try game.accept(try LiveSample.ask("q1"), now: LiveSample.now(12))
    #expect(try game.accept(try LiveSample.show("r0"), now: LiveSample.now(18)).1.arrivals.count == 1)
    #expect(try game.accept(try LiveSample.show("r1"), now: LiveSample.now(19)).0.status.state == .held)
  }

  /// After a restart in a break, a question that the operator has released is still held.
  @Test func aSignInABreakIsHeldOverARestart() throws {
    var game = game(.hold)
    let now = LiveSample.now(12)
    var records = try game.accept(try LiveSample.ask("q1", ",\"at\":\"go\""), now: now).1.records
    records += game.note([known(from: 10, to: 40)], now: now).change.records
    records += try game.goNext(now: now).1.records
    var restored = try LiveGame.restored(records, game.settings).game
    #expect(released(&restored, 20) == [])
    #expect(released(&restored, 39.9) == ["q1 40.0"])
  }

  /// Two breaks follow each other, and the end of neither is known before it comes: nothing goes between a question's time and the end of both.
  @Test func breaksOneAfterTheOther() throws {
    var game = game(.hold)
    var first = known(from: 10, to: 20)
    first.duration = nil
    _ = game.note([first], now: LiveSample.now(10))
    _ = try game.accept(try LiveSample.ask("q1"), now: LiveSample.now(12))
    (first.state, first.end) = (.ended, MediaTime(seconds: 25))
    var second = known(from: 25, to: 35)
    second.number = 4
    _ = game.note([first, second], now: LiveSample.now(25))
    #expect(released(&game, 26) == [])
    #expect(released(&game, 34.9) == ["q1 35.0"])
  }
}
