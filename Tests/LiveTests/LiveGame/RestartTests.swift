import Basics
import CueSheet
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// A game that is read from its journal is the game that wrote the journal.
@Suite struct RestartTests {
  /// A game, and everything that it has written.
  private struct Written {
    var game = LiveGame(LiveSample.settings)
    var records: [JournalRecord] = [.started(game: "friday", sealKey: nil)]
    /// Events that are on their way into the stream.
    var underway: [LiveGame.Arrival] = []

    mutating func apply(_ change: LiveGame.Change) {
      records += change.records
      underway += change.arrivals
    }
  }

  private typealias Step = @Sendable (inout LiveGame, [LiveGame.Arrival]) throws -> LiveGame.Change

  /// What happens in a second of a show.
  private static func step(_ second: Int, using generator: inout SeededNumbers) -> Step {
    let now = LiveSample.now(Double(second))
    let name = "e\(second)"
    let time =
      ["", ",\"at\":\(second + Int.random(in: 1...9, using: &generator))", ",\"in\":3", ",\"at\":\"go\"", ",\"at\":1,\"late\":\"next\""]
      .randomElement(using: &generator) ?? ""
    let expires = Bool.random(using: &generator) ? ",\"expires\":4" : ""
    let key = Bool.random(using: &generator) ? "k\(second)" : nil
    let other = "e\(Int.random(in: 0...max(second, 1), using: &generator))"
    switch Int.random(in: 0..<9, using: &generator) {
    case 0, 1: return { game, _ in try game.accept(try LiveSample.poll(name, time + expires), key: key, now: now).1 }
    case 2: return { game, _ in try game.accept(try LiveSample.ask(name, time + ",\"allottedTime\":5"), key: key, now: now).1 }
    case 3: return { game, _ in try game.accept(try LiveSample.show(name, time), now: now).1 }
    case 4:
      return { game, _ in
        try game.accept(
          [try LiveSample.poll(name + "a", time), try LiveSample.poll(name + "b")], newGUID: { SampleGame.guid("none") }, now: now
        ).1
      }
    case 5: return { game, _ in try game.goNext(now: now).1 }
    case 6: return { game, _ in try game.cancel(SampleGame.guid(other)) }
    case 7:
      return { game, underway in
        let lost = underway.first.map { game.lose($0.planned.event.guid, "it expired") }
        return .init(records: lost.map { [$0] } ?? [])
      }
    default:
      return { game, underway in
        var records: [JournalRecord] = []
        for arrival in underway {
          var event = arrival.planned.event
          event.at = now.time
          let copy = EventCopy(of: event, copy: 1, copies: 3, age: .zero, signature: nil)
          records += game.place(copy, pts: UInt64(second), wallClock: now.wallClock).map { [$0] } ?? []
          _ = game.confirm(event.guid)
        }
        return .init(records: records)
      }
    }
  }

  private static func result(
    of step: Step, _ game: inout LiveGame, _ underway: [LiveGame.Arrival]
  ) -> Result<LiveGame.Change, LiveProblem> {
    do { return .success(try step(&game, underway)) } catch { return .failure(error as? LiveProblem ?? .nothingWaits) }
  }

  /// What a journal remembers of an event.
  private static func remembered(_ game: LiveGame) -> [EventStatus] {
    game.statuses.map { status in
      var status = status
      status.copies = 0
      status.copyDates = Array(status.copyDates.prefix(1))
      return status
    }
  }

  @Test(arguments: 0..<UInt64(25)) func atEveryStep(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var written = Written()
    for second in 0..<40 {
      let step = Self.step(second, using: &generator)
      // As it is read from the file.
      let bytes = JournalText.bytes(written.records, room: 0)
      let contents = try JournalText.contents(bytes)
      let read = contents.records
      #expect(read == written.records && contents.byteCount == bytes.count)
      var (game, arrivals) = try LiveGame.restored(read, LiveSample.settings)
      #expect(Self.remembered(game) == Self.remembered(written.game), "second \(second)")
      #expect(game.lastSequence == written.game.lastSequence && game.waitingCount == written.game.waitingCount)
      #expect(game.placedEvents == written.game.placedEvents)
      let underway = written.underway.filter { written.game.status($0.planned.event.guid)?.state == .accepted }
      #expect(arrivals.map(\.deadline) == underway.map(\.deadline))
      #expect(
        arrivals.map(\.planned)
          == underway.map { arrival in
            var planned = arrival.planned
            planned.event.at = nil
            return planned
          })
      // Both go on in the same way.
      let now = LiveSample.now(Double(second) + 0.5)
      let released = written.game.release(now: now)
      #expect(game.release(now: now) == released)
      written.apply(released)
      written.underway.removeAll { written.game.status($0.planned.event.guid)?.state != .accepted }
      let (again, change) = (Self.result(of: step, &game, written.underway), Self.result(of: step, &written.game, written.underway))
      #expect(again == change)
      if case .success(let change) = change { written.apply(change) }
    }
    #expect(written.game.statuses.count > 8)
  }

  /// Accepted events go into the stream, even if the last record was not written completely.
  @Test func atEveryRecord() throws {
    var game = LiveGame(LiveSample.settings)
    var records: [JournalRecord] = []
    for change in [
      try game.accept(try LiveSample.ask("q"), key: "k", now: LiveSample.now(1)).1,
      try game.accept(try LiveSample.show("s", ",\"at\":\"go\""), now: LiveSample.now(2)).1,
      try game.accept(try LiveSample.poll("p", ",\"at\":1,\"late\":\"next\""), now: LiveSample.now(3)).1,
      try game.accept(try LiveSample.poll("t", ",\"at\":5"), now: LiveSample.now(3)).1,
      try game.goNext(now: LiveSample.now(4)).1, game.release(now: LiveSample.now(5)),
    ] { records += change.records }
    #expect(records.count == 9)
    for count in 0...records.count {
      var (restored, arrivals) = try LiveGame.restored(Array(records[..<count]), LiveSample.settings)
      let released = restored.release(now: LiveSample.now(9))
      arrivals += released.arrivals
      let accepted = records[..<count].compactMap { if case .accepted(let guid, _, _, _) = $0 { guid.text } else { nil } }
      let hasSign = records[..<count].contains { if case .released(SampleGame.guid("s"), _) = $0 { true } else { false } }
      #expect(Set(arrivals.map(\.planned.event.guid.text)) == Set(accepted.filter { $0 != "s" || hasSign }), "\(count) records")
      #expect(arrivals.compactMap(\.planned.event.sequence).sorted() == Array(1..<arrivals.count + 1))
      // And it is known by its key.
      guard count > 0 else { continue }
      #expect(try restored.accept(try LiveSample.ask("q"), key: "k", now: LiveSample.now(9)).0.isNew == false)
      #expect(throws: LiveProblem.conflict("k")) { try restored.accept(try LiveSample.poll("z"), key: "k", now: LiveSample.now(9)) }
    }
  }

  @Test func aJournalThatContradictsItself() throws {
    let now = LiveSample.now(1)
    let accepted = LiveSample.accepted(try LiveSample.poll("a"), "a", now)
    let numbered = JournalRecord.numbered(guid: SampleGame.guid("a"), sequence: 1)
    let cases: [([JournalRecord], Int)] = [
      ([numbered], 1), ([accepted, numbered, numbered], 3), ([.cancelled(guid: SampleGame.guid("a"))], 1),
      ([accepted, numbered, .cancelled(guid: SampleGame.guid("a"))], 3),
      ([LiveSample.accepted(try LiveSample.show("s"), "s", now), .numbered(guid: SampleGame.guid("s"), sequence: 1)], 2),
    ]
    for (records, line) in cases {
      let damage = #expect(throws: JournalText.Damage.self) { try LiveGame.restored(records, LiveSample.settings) }
      #expect(damage?.line == line)
    }
  }
}
