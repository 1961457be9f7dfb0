import Basics
import CueSheet
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// What is posted, when it goes into the stream, and what becomes of it.
@Suite struct LiveGameTests {
  private func guid(_ text: String) -> GUID { SampleGame.guid(text) }

  // MARK: At once

  @Test func anEventWithoutATime() throws {
    var game = LiveGame(LiveSample.settings)
    let request = try LiveSample.ask("a", ",\"allottedTime\":10,\"expires\":5")
    let now = LiveSample.now(65)
    let (answer, change) = try game.accept(request, now: now)
    var status = EventStatus.of("a", "askQuestion", .accepted, 1)
    status.allottedTime = MediaTime(seconds: 10)
    #expect(answer == .init(status: status, isNew: true))
    let deadline = now.wallClock + 5_000
    #expect(change.records == [LiveSample.accepted(request, "a", now), .numbered(guid: guid("a"), sequence: 1, deadline: deadline)])
    let arrival = try #require(change.arrivals.first)
    #expect(change.arrivals.count == 1 && arrival.deadline == deadline)
    #expect(arrival.planned.event.at == nil && arrival.planned.event.guid == guid("a") && arrival.planned.event.sequence == 1)
    guard case .askQuestion(let question) = arrival.planned.event.content else { return #expect(Bool(false)) }
    #expect(question.correctAnswer == nil && question.seal != nil && question.questionNumber == 1)
    #expect(game.statuses == [status] && game.lastSequence == 1 && game.waitingCount == 0 && game.request(guid("a")) == request.object)
  }

  @Test func anIdentifierIsGiven() throws {
    var game = LiveGame(LiveSample.settings)
    let (answer, change) = try game.accept(try LiveSample.poll(nil), newGUID: guid("new"), now: LiveSample.now(nil))
    #expect(answer == .init(status: .of("new", .accepted, 1), isNew: true))
    #expect(change.arrivals.map(\.planned.event.guid) == [guid("new")])
  }

  /// The same request again changes nothing; another one with its name is refused.
  @Test func sentAgain() throws {
    var game = LiveGame(LiveSample.settings)
    let (first, change) = try game.accept(try LiveSample.poll("a", ",\"x\":1"), key: "k", now: LiveSample.now(1))
    let before = game.statuses
    for (guid, key) in [("a", nil), ("a", "k"), ("a", "other")] as [(String?, String?)] {
      let (answer, change) = try game.accept(try LiveSample.poll(guid, ",\"x\":1"), key: key, now: LiveSample.now(2))
      #expect(answer == .init(status: first.status, isNew: false) && change == .init())
    }
    #expect(throws: LiveProblem.conflict("a")) { try game.accept(try LiveSample.poll("a", ",\"x\":2"), now: LiveSample.now(2)) }
    #expect(throws: LiveProblem.conflict("k")) { try game.accept(try LiveSample.poll("b"), key: "k", now: LiveSample.now(2)) }
    #expect(throws: LiveProblem.conflict("k")) { try game.accept(try LiveSample.poll(nil, ",\"x\":1"), key: "k", now: LiveSample.now(2)) }
    #expect(game.statuses == before && game.lastSequence == 1)
    // It is the first answer, also when the event is in the stream.
    var copy = EventCopy(of: try #require(change.arrivals.first).planned.event)
    copy.event.at = .zero
    #expect(game.place(copy, pts: 5, wallClock: 7) != nil && game.confirm(guid("a"))?.state == .placed)
    #expect(try game.accept(try LiveSample.poll("a", ",\"x\":1"), now: LiveSample.now(3)).0 == .init(status: first.status, isNew: false))
    // But one that will never be there says so.
    _ = game.lose(guid("a"), "gone")
    let (later, _) = try game.accept(try LiveSample.poll("a", ",\"x\":1"), now: LiveSample.now(3))
    #expect(later.status.state == .lost && later.status.reason == "gone" && !later.isNew)
  }

  @Test func whatIsWrongChangesNothing() throws {
    var game = LiveGame(LiveSample.settings)
    let wrong = try LiveRequest(json: "{\"event\":\"askQuestion\",\"question\":\"Q\",\"answers\":[\"A\",\"A\"],\"corect\":\"A\"}")
    let problem = #expect(throws: LiveProblem.self) { try game.accept(wrong, key: "k", now: LiveSample.now(1)) }
    guard case .invalid(let mistakes) = problem else { return #expect(Bool(false)) }
    #expect(mistakes.contains { $0.pointer == "/corect" } && mistakes.contains { $0.pointer == "/answers/1" })
    #expect(game.statuses == [] && game.lastSequence == 0)
    // The key is free.
    #expect(try game.accept(try LiveSample.poll("a"), key: "k", now: LiveSample.now(1)).0.isNew)
    // A mistake of an event that waits shows at once.
    for time in ["at\":9", "in\":9", "at\":\"go\""] {
      #expect(throws: LiveProblem.self) { try game.accept(try LiveSample.show("s", ",\"\(time)"), now: LiveSample.now(1)) }
    }
    #expect(game.statuses.count == 1 && game.waitingCount == 0)
  }

  // MARK: Later

  @Test func tooLate() throws {
    var game = LiveGame(LiveSample.settings)
    let now = LiveSample.now(65)
    let date = LiveProblem.Moment.date(now.wallClock - 500, now: now.wallClock)
    for (key, moment) in [
      ("at\":65", .time(MediaTime(seconds: 65))), ("at\":0", .time(.zero)), ("at\":64.5", .time(MediaTime(seconds: 64.5))),
      ("wallClock\":\"1970-01-01T00:17:44.5Z\"", date),
    ] as [(String, LiveProblem.Moment)] {
      #expect(throws: LiveProblem.tooLate(at: moment, now: MediaTime(seconds: 65))) {
        try game.accept(try LiveSample.poll("a", ",\"\(key)"), now: now)
      }
    }
    #expect(
      "\(LiveProblem.tooLate(at: date, now: MediaTime(seconds: 65)))"
        == "1970-01-01T00:17:44.500Z has passed: it is 1970-01-01T00:17:45.000Z")
    #expect(game.statuses == [])
    let (answer, change) = try game.accept(try LiveSample.poll("a", ",\"at\":64,\"late\":\"next\""), now: now)
    #expect(answer.status == .of("a", .accepted, 1) && change.arrivals.map(\.planned.event.at) == [nil])
    // Nobody knows what is late before there is a programme.
    var waiting = LiveGame(LiveSample.settings)
    #expect(try waiting.accept(try LiveSample.poll("a", ",\"at\":0"), now: LiveSample.now(nil)).0.status == .of("a", .scheduled))
  }

  /// Events get their numbers in the order of their times, a quarter of a second before.
  @Test func atTheirTimes() throws {
    var game = LiveGame(LiveSample.settings)
    let now = LiveSample.now(10)
    for (guid, keys) in [
      ("late", ",\"at\":30"), ("in", ",\"in\":15"), ("wall", ",\"wallClock\":\"1970-01-01T00:17:00Z\""), ("soon", ",\"at\":20.1"),
    ] {
      let (answer, change) = try game.accept(try LiveSample.poll(guid, keys), now: now)
      #expect(answer.status == .of(guid, .scheduled) && change.records.count == 1 && change.arrivals == [])
    }
    #expect(game.waitingCount == 4)
    #expect(game.nextRelease(now: now) == MediaTime(seconds: 19.75))
    func release(_ seconds: Double) -> [String] {
      let change = game.release(now: LiveSample.now(seconds))
      let arrivals = change.arrivals.map {
        "\($0.planned.event.guid.text) \($0.planned.event.sequence ?? 0) \($0.planned.event.at?.ticks ?? -1)"
      }
      #expect(change.records == change.arrivals.map { .numbered(guid: $0.planned.event.guid, sequence: $0.planned.event.sequence ?? 0) })
      return arrivals
    }
    #expect(release(19.7) == [])
    // The date is 20 s on the timeline: 1,020 s are 10 s after what the clock shows at 10 s.
    #expect(release(19.8) == ["wall 1 1800000"])
    #expect(release(19.85) == ["soon 2 1809000"])
    #expect(release(19.9) == [])
    // What was missed comes in the order of the times.
    #expect(release(40) == ["in 3 2250000", "late 4 2700000"])
    #expect(game.waitingCount == 0 && game.lastSequence == 4 && game.nextRelease(now: now) == nil)
  }

  @Test func withoutAProgrammeNothingIsReleased() throws {
    var game = LiveGame(LiveSample.settings)
    _ = try game.accept(try LiveSample.poll("in", ",\"in\":5"), now: LiveSample.now(nil))
    _ = try game.accept(try LiveSample.poll("at", ",\"at\":0"), now: LiveSample.now(nil))
    #expect(game.release(now: LiveSample.now(nil, wallClock: 9_000_000)) == .init())
    #expect(game.nextRelease(now: LiveSample.now(nil)) == MediaTime(seconds: -0.25))
    // Without an input `in` counts by the clock.
    #expect(game.release(now: LiveSample.now(1, wallClock: 1_004_000)).arrivals.map(\.planned.event.guid.text) == ["at"])
    #expect(game.release(now: LiveSample.now(2, wallClock: 1_005_000)).arrivals.map(\.planned.event.guid.text) == ["in"])
  }

  /// Whatever the order of requests, numbers have the order of the arrivals, and within one release that of the times.
  @Test(arguments: 0..<UInt64(30)) func numbersHaveTheOrderOfTimes(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var game = LiveGame(LiveSample.settings)
    var times: [Int64] = []
    var numbers: [Int] = []
    for step in 0..<60 {
      let seconds = Double(step)
      if Bool.random(using: &generator) {
        let time = step + Int.random(in: 1...20, using: &generator)
        _ = try game.accept(try LiveSample.poll("\(step)", ",\"at\":\(time)"), now: LiveSample.now(seconds))
      }
      for arrival in game.release(now: LiveSample.now(seconds)).arrivals {
        times.append(arrival.planned.event.at?.ticks ?? 0)
        numbers.append(arrival.planned.event.sequence ?? 0)
      }
    }
    #expect(times == times.sorted() && numbers == Array(1..<numbers.count + 1) && times.count > 10)
  }

  @Test func takenBack() throws {
    var game = LiveGame(LiveSample.settings)
    _ = try game.accept(try LiveSample.ask("q", ",\"at\":20"), now: LiveSample.now(10))
    _ = try game.accept(try LiveSample.show("s", ",\"at\":30"), now: LiveSample.now(10))
    _ = try game.accept(try LiveSample.poll("now"), now: LiveSample.now(10))
    #expect(try game.cancel(guid("q")) == .init(records: [.cancelled(guid: guid("q"))]))
    #expect(game.status(guid("q")) == .of("q", "askQuestion", .cancelled))
    #expect(throws: LiveProblem.notCancellable(.cancelled)) { try game.cancel(guid("q")) }
    #expect(throws: LiveProblem.notCancellable(.accepted)) { try game.cancel(guid("now")) }
    #expect(throws: LiveProblem.unknownEvent("x")) { try game.cancel(guid("x")) }
    // A result without its question cannot be shown.
    let change = game.release(now: LiveSample.now(40))
    let reason = try #require(game.status(guid("s"))?.reason)
    #expect(change == .init(records: [.lost(guid: guid("s"), reason: reason)]) && game.status(guid("s"))?.state == .lost)
    #expect(game.lastSequence == 1)
  }

  @Test func atASign() throws {
    var game = LiveGame(LiveSample.settings)
    #expect(throws: LiveProblem.nothingWaits) { try game.goNext(now: LiveSample.now(1)) }
    _ = try game.accept(try LiveSample.ask("q", ",\"at\":\"go\",\"expires\":2"), now: LiveSample.now(1))
    _ = try game.accept(try LiveSample.poll("p", ",\"at\":50"), now: LiveSample.now(1))
    _ = try game.accept(try LiveSample.show("s", ",\"at\":\"go\""), now: LiveSample.now(1))
    #expect(game.release(now: LiveSample.now(20)) == .init())
    let (answer, change) = try game.goNext(now: LiveSample.now(20))
    #expect(answer.isNew && answer.status.sequence == 1 && answer.status.state == .accepted)
    // The time after which the event is too late counts from the sign on.
    #expect(change.records == [.released(guid: guid("q")), .numbered(guid: guid("q"), sequence: 1, deadline: 1_022_000)])
    #expect(change.arrivals.map(\.planned.event.at) == [nil])
    let (next, _) = try game.goNext(now: LiveSample.now(21))
    #expect(next.status.guid == guid("s") && next.status.sequence == 2)
    #expect(throws: LiveProblem.nothingWaits) { try game.goNext(now: LiveSample.now(22)) }
    #expect(game.waitingCount == 1)
  }

  /// A sign that is given again under its name, because no answer came, sends nothing else.
  @Test func aSignUnderAName() throws {
    var game = LiveGame(LiveSample.settings)
    for name in ["a", "b"] { _ = try game.accept(LiveSample.poll(name, ",\"at\":\"go\""), now: LiveSample.now(1)) }
    let (first, change) = try game.goNext(key: "k", now: LiveSample.now(2))
    #expect(change.records.first == .released(guid: guid("a"), key: "next\nk"))
    let (again, nothing) = try game.goNext(key: "k", now: LiveSample.now(3))
    #expect(again == .init(status: first.status, isNew: false) && nothing == .init())
    // An event may have the same name: it is another request.
    #expect(try game.accept(LiveSample.poll("c"), key: "k", now: LiveSample.now(4)).0.isNew)
    // A restart keeps it in mind.
    let accepted = JournalRecord.accepted(
      guid: guid("a"), key: nil, request: try LiveSample.poll("a", ",\"at\":\"go\"").object, from: .init(wallClock: 0, time: nil))
    var (restored, _) = try LiveGame.restored([accepted] + change.records, LiveSample.settings)
    #expect(try restored.goNext(key: "k", now: LiveSample.now(5)).0.status.guid == guid("a"))
    #expect(try game.goNext(key: "l", now: LiveSample.now(5)).0.status.guid == guid("b"))
  }

  // MARK: Several

  @Test func allOrNone() throws {
    var game = LiveGame(LiveSample.settings)
    var names = ["n2", "n1"]
    func newGUID() -> GUID { guid(names.popLast() ?? "none") }
    let now = LiveSample.now(10)
    let before = try game.accept(try LiveSample.poll("old"), now: now).0
    let wrong = try [LiveSample.poll("a"), LiveSample.show("s"), LiveSample.poll("b")]
    let problem = #expect(throws: LiveProblem.self) { try game.accept(wrong, newGUID: newGUID, now: now) }
    guard case .invalid(let mistakes) = problem else { return #expect(Bool(false)) }
    #expect(mistakes.map(\.pointer) == ["/1"] && game.statuses == [before.status])
    #expect(throws: LiveProblem.tooLate(at: .time(MediaTime(seconds: 9)), now: MediaTime(seconds: 10))) {
      try game.accept([LiveSample.poll("a"), LiveSample.poll("b", ",\"at\":9")], newGUID: newGUID, now: now)
    }
    #expect(throws: LiveProblem.conflict("old")) {
      try game.accept([LiveSample.poll("a"), LiveSample.poll("old", ",\"x\":1")], newGUID: newGUID, now: now)
    }
    #expect(game.statuses == [before.status] && game.lastSequence == 1)
    let requests = try [LiveSample.poll(nil), LiveSample.poll("old"), LiveSample.ask("q", ",\"at\":20"), LiveSample.poll(nil)]
    names = ["n2", "n1"]
    let (answers, change) = try game.accept(requests, newGUID: newGUID, now: now)
    #expect(answers.map(\.isNew) == [true, false, true, true])
    #expect(
      answers.map(\.status) == [.of("n1", .accepted, 2), before.status, .of("q", "askQuestion", .scheduled), .of("n2", .accepted, 3)])
    #expect(
      change.records == [
        LiveSample.accepted(requests[0], "n1", now), .numbered(guid: guid("n1"), sequence: 2), LiveSample.accepted(requests[2], "q", now),
        LiveSample.accepted(requests[3], "n2", now), .numbered(guid: guid("n2"), sequence: 3),
      ])
    #expect(change.arrivals.map(\.planned.event.guid.text) == ["n1", "n2"])
  }

  // MARK: What becomes of events

  @Test func placedAndPublished() throws {
    var game = LiveGame(LiveSample.settings)
    var event = try #require(try game.accept(try LiveSample.ask("q", ",\"allottedTime\":10"), now: LiveSample.now(10)).1.arrivals.first)
      .planned.event
    event.at = MediaTime(seconds: 11)
    func copy(_ number: Int) -> EventCopy { EventCopy(of: event, copy: number, copies: 3, age: .zero, signature: nil) }
    #expect(
      game.place(copy(1), pts: 5, wallClock: 7) == .placed(guid: guid("q"), at: MediaTime(seconds: 11), pts: 5, wallClock: 7))
    for number in 2...5 { #expect(game.place(copy(number), pts: 9, wallClock: 9) == nil) }
    var status = EventStatus.of("q", "askQuestion", .accepted, 1)
    status.allottedTime = MediaTime(seconds: 10)
    (status.copies, status.refreshes) = (3, 2)
    // Nobody learns of a place that the journal does not have: after a crash it would be another one.
    #expect(game.status(guid("q")) == status && game.statuses == [status])
    status.state = .placed
    (status.at, status.pts, status.wallClock) = (MediaTime(seconds: 11), 5, 7)
    status.copyDates = [7, 9, 9, 9, 9]
    #expect(game.confirm(guid("q")) == status)
    #expect(game.status(guid("q")) == status && status.closesAt == MediaTime(seconds: 21))
    #expect(game.placedEvents.map(\.event) == [event])
    game.publish([guid("q"), guid("unknown")], in: 411)
    game.publish([guid("q")], in: 412)
    status.state = .published
    status.segments = [411, 412]
    #expect(game.status(guid("q")) == status)
    for number in 413..<500 { game.publish([guid("q")], in: UInt64(number)) }
    #expect(game.status(guid("q"))?.segments == Array(468..<500))
    #expect(
      JSONValue.object(status.object(at: "/x")).text
        == "{\"guid\":\"q\",\"event\":\"askQuestion\",\"sequence\":1,\"state\":\"published\",\"at\":11,\"pts\":5,"
        + "\"wallClock\":\"1970-01-01T00:00:00.007Z\",\"closesAt\":21,\"copies\":3,\"refreshes\":2,\"segments\":[411,412],\"status\":\"/x\"}"
    )
  }
}
