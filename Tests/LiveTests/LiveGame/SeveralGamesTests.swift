import Basics
import CueSheet
import EventSchedule
import GameEvents
import Sheets
import TestSupport
import Testing

@testable import LiveGame

/// Several games in one stream, and events whose identifiers come from the address that they are put to.
@Suite struct SeveralGamesTests {
  private func guid(_ text: String) -> GUID { SampleGame.guid(text) }

  /// The key of a request for its game; empty for the session's game.
  private static func key(_ name: String?) -> String { name.map { ",\"game\":\"\($0)\"" } ?? "" }

  private func results(_ change: LiveGame.Change) throws -> ShowResults {
    let event = try #require(change.arrivals.first).planned.event
    guard case .showResults(let results) = event.content else { throw LiveProblem.unknownEvent(event.guid.text) }
    return results
  }

  // MARK: Numbers

  /// Each game has its own numbers. Naming the session's game changes nothing.
  @Test func eachGameCountsForItself() throws {
    var game = LiveGame(LiveSample.settings)
    var found: [String] = []
    let events: [(name: String, game: String?)] = [
      ("a1", "a"), ("b1", "b"), ("f1", nil), ("a2", "a"), ("f2", "friday"), ("b2", "b"), ("f3", nil), ("a3", "a"), ("a4", "a"),
    ]
    for event in events {
      let request = try LiveSample.poll(event.name, Self.key(event.game))
      #expect(request.game == event.game)
      let (answer, change) = try game.accept(request, now: LiveSample.now(1))
      let planned = try #require(change.arrivals.first).planned.event
      #expect(answer == .init(status: .of(event.name, .accepted, planned.sequence), isNew: true))
      found.append("\(event.name) \(planned.game ?? "") \(planned.sequence ?? 0)")
    }
    #expect(found == ["a1 a 1", "b1 b 1", "f1 friday 1", "a2 a 2", "f2 friday 2", "b2 b 2", "f3 friday 3", "a3 a 3", "a4 a 4"])
    #expect(game.lastSequence == 4 && game.statuses.map(\.guid.text) == events.map(\.name))
  }

  /// Questions are numbered in their game, and results belong to a question of their game.
  @Test func questionsAndResults() throws {
    var game = LiveGame(LiveSample.settings)
    let now = LiveSample.now(1)
    for (number, name) in [(1, "a"), (1, "b"), (2, "b")] {
      let (_, change) = try game.accept(try LiveSample.ask("\(name)\(number)", Self.key(name)), now: now)
      guard case .askQuestion(let question) = try #require(change.arrivals.first).planned.event.content else {
        return #expect(Bool(false))
      }
      #expect(question.questionNumber == number)
    }
    // Neither the session's own game nor a third one has a question.
    let before = game.statuses
    for name in [nil, "friday", "c"] {
      #expect(throws: LiveProblem.self) { try game.accept(try LiveSample.show("s", Self.key(name)), now: now) }
    }
    #expect(throws: LiveProblem.self) { try game.accept(try LiveSample.show("s", ",\"questionNumber\":2" + Self.key("a")), now: now) }
    #expect(game.statuses == before)
    for (name, number) in [("b", 2), ("a", 1), ("b", 1)] {
      let request = try LiveSample.show("s-\(name)\(number)", ",\"questionNumber\":\(number)" + Self.key(name))
      let (_, change) = try game.accept(request, now: now)
      let results = try results(change)
      #expect(results.questionGuid == guid("\(name)\(number)") && results.questionNumber == number)
      #expect(change.arrivals.first?.planned.event.game == name)
    }
    // A question has one result, in each game.
    #expect(throws: LiveProblem.self) { try game.accept(try LiveSample.show("s", ",\"questionNumber\":1" + Self.key("a")), now: now) }
  }

  /// What waits for its time is checked against what its own game has then.
  @Test func eventsThatWait() throws {
    var game = LiveGame(LiveSample.settings)
    let now = LiveSample.now(1)
    _ = try game.accept(try LiveSample.ask("a1", ",\"at\":20" + Self.key("a")), now: now)
    #expect(throws: LiveProblem.self) { try game.accept(try LiveSample.show("b2", ",\"at\":30" + Self.key("b")), now: now) }
    _ = try game.accept(try LiveSample.show("a2", ",\"at\":30" + Self.key("a")), now: now)
    _ = try game.accept(try LiveSample.poll("b1", ",\"at\":25" + Self.key("b")), now: now)
    _ = try game.accept(try LiveSample.poll("a3", ",\"at\":\"go\"" + Self.key("a")), now: now)
    #expect(game.waitingCount == 4)
    let events = game.release(now: LiveSample.now(40)).arrivals.map(\.planned.event)
    #expect(events.map { "\($0.guid.text) \($0.game ?? "") \($0.sequence ?? 0)" } == ["a1 a 1", "b1 b 1", "a2 a 2"])
    let (next, _) = try game.goNext(now: LiveSample.now(41))
    #expect(next.status == .of("a3", .accepted, 3))
  }

  /// The show's title holds for all games of the session.
  @Test func theTitle() throws {
    var game = LiveGame(LiveSample.settings)
    for name in ["a", "b"] {
      let request = try LiveRequest(json: "{\"event\":\"startGame\",\"guid\":\"\(name)\",\"totalQuestions\":3\(Self.key(name))}")
      let (_, change) = try game.accept(request, now: LiveSample.now(1))
      #expect(change.arrivals.first?.planned.event.content == .startGame(StartGame(title: "T", totalQuestions: 3)))
    }
  }

  // MARK: Names

  @Test func names() throws {
    for name in ["g", String(repeating: "g", count: 100), "\u{E9}", "a b", "\u{1F600}", "true", "12"] {
      #expect(try LiveSample.poll("a", Self.key(name)).game == name)
    }
    let long = "\"game\" has 101 bytes; write 1 to 100"
    let cases = [
      ("\"\"", "\"game\" is empty; write a text or leave the key out"), ("\"\(String(repeating: "g", count: 101))\"", long),
      ("\"\(String(repeating: "g", count: 99))\u{E9}\"", long),
    ]
    for (name, message) in cases {
      #expect(throws: LiveProblem.invalid([.init(pointer: "/game", message: message)])) {
        try LiveRequest(json: "{\"event\":\"poll\",\"game\":\(name)}")
      }
    }
    for name in ["[\"a\"]", "{\"a\":1}"] {
      let problem = #expect(throws: LiveProblem.self) { try LiveRequest(json: "{\"event\":\"poll\",\"game\":\(name)}") }
      guard case .invalid(let mistakes) = problem else { return #expect(Bool(false)) }
      #expect(mistakes.map(\.pointer) == ["/game"])
    }
  }

  /// Names with different bytes are two games, even if they look the same.
  @Test func namesAreBytes() throws {
    var game = LiveGame(LiveSample.settings)
    for (name, guid) in [("caf\u{E9}", "1"), ("cafe\u{301}", "2")] {
      let (_, change) = try game.accept(try LiveSample.poll(guid, Self.key(name)), now: LiveSample.now(1))
      let event = try #require(change.arrivals.first).planned.event
      #expect(Array((event.game ?? "").utf8) == Array(name.utf8) && event.sequence == 1)
    }
  }

  // MARK: Restarts

  /// A game that is read from the journal gives every game's next event the same number, and its next question, too.
  @Test(arguments: 0..<UInt64(8)) func restarts(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    var game = LiveGame(LiveSample.settings)
    var records: [JournalRecord] = [.started(game: "friday", sealKey: nil)]
    let names = [nil, "a", "b", "caf\u{E9}"]
    var open: [String: String] = [:]
    for step in 0..<24 {
      let now = LiveSample.now(Double(step))
      let name = names[numbers.below(names.count)]
      let key = Self.key(name) + (numbers.below(4) == 0 ? ",\"at\":\(step + 1 + numbers.below(5))" : "")
      let request: LiveRequest
      switch numbers.below(3) {
      case 0: request = try LiveSample.ask("e\(step)", key)
      case 1 where open[name ?? ""] != nil: request = try LiveSample.show("e\(step)", Self.key(name))
      default: request = try LiveSample.poll("e\(step)", key)
      }
      // A result needs a question that has none.
      if let (_, change) = try? game.accept(request, now: now) {
        records += change.records
        if change.arrivals.contains(where: { $0.planned.event.type == .askQuestion }) { open[name ?? ""] = "e\(step)" }
      }
      records += game.release(now: now).records
      let (restored, _) = try LiveGame.restored(records, LiveSample.settings)
      #expect(restored.statuses == game.statuses && restored.lastSequence == game.lastSequence)
      for name in names {
        let next = try LiveSample.ask("next", Self.key(name))
        var (left, right) = (game, restored)
        let (answer, change) = try left.accept(next, now: now)
        let (sameAnswer, sameChange) = try right.accept(next, now: now)
        #expect(answer == sameAnswer && change == sameChange, "step \(step), \(name ?? "the session's")")
      }
    }
    #expect(game.statuses.count > 10)
  }

  // MARK: Events that are put

  /// As the HTTP interface does it: the address has the identifier, whether the request has it or not.
  private func put(_ json: String, to name: String, _ game: inout LiveGame, at seconds: Double) throws -> (LiveGame.Answer, LiveGame.Change)
  {
    var request = try LiveRequest(json: json)
    request.guid = guid(name)
    return try game.accept(request, newGUID: guid("none"), now: LiveSample.now(seconds))
  }

  /// The first event counts. The same event again changes nothing; another one is refused, and the first one can be read.
  @Test func putTwice() throws {
    var game = LiveGame(LiveSample.settings)
    let first = "{\"event\":\"poll\",\"game\":\"a\",\"options\":[1,2]}"
    let (answer, change) = try put(first, to: "x", &game, at: 1)
    #expect(answer == .init(status: .of("x", .accepted, 1), isNew: true))
    let request = try LiveRequest(json: first)
    #expect(change.records == [LiveSample.accepted(request, "x", LiveSample.now(1)), .numbered(guid: guid("x"), sequence: 1)])
    let (restored, _) = try LiveGame.restored(change.records, LiveSample.settings)
    for before in [game, restored] {
      var game = before
      for again in [
        first, "{\"options\":[1,2],\"game\":\"a\",\"event\":\"poll\"}", "{ \"event\" : \"poll\", \"game\":\"a\",\"options\":[1.0,2e0]}",
      ] {
        let (answer, nothing) = try put(again, to: "x", &game, at: 2)
        #expect(answer == .init(status: .of("x", .accepted, 1), isNew: false) && nothing == .init())
      }
      for other in [
        "{\"event\":\"poll\",\"game\":\"a\",\"options\":[2,1]}", "{\"event\":\"poll\",\"game\":\"b\",\"options\":[1,2]}",
        "{\"event\":\"poll\",\"options\":[1,2]}", "{\"event\":\"poll\",\"game\":\"a\"}",
        "{\"event\":\"pool\",\"game\":\"a\",\"options\":[1,2]}",
      ] {
        #expect(throws: LiveProblem.conflict("x"), "\(other)") { try put(other, to: "x", &game, at: 2) }
      }
      #expect(game.request(guid("x")) == request.object && game.statuses == [.of("x", .accepted, 1)])
      // Under another identifier it is another event.
      let (other, _) = try put(first, to: "y", &game, at: 3)
      #expect(other == .init(status: .of("y", .accepted, 2), isNew: true))
    }
  }
}
