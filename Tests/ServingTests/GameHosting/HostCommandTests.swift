import AnswerIntake
import Basics
import GameEvents
import Scoring
import Testing

@testable import GameHosting

/// What a host may do when, and what is refused.
@Suite struct HostCommandTests {
  /// How far a show has come.
  enum Stage: CaseIterable, Sendable {
    case lobby, starting, asking, open, adjusting, closed, deciding, decided, shown, voided, asksAll, ended, over
  }

  /// A show of two players that has come so far.
  private func show(at stage: Stage) throws -> HostedShow {
    var show = HostedShow(HostedShow.settings { $0.delay = MediaTime(seconds: 5) })
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    switch stage {
    case .lobby: break
    case .starting:
      try show.plan(automatic: true, startsAt: HostedShow.wallClock(10))
      show.advance()
      try show.plan(automatic: false, startsAt: HostedShow.wallClock(10))
    case .asking: try show.command(.next)
    case .open: try show.ask()
    case .adjusting:
      try show.ask()
      try show.command(.extend(MediaTime(seconds: 3)))
    case .closed, .deciding, .decided, .shown:
      try show.ask()
      show.go(to: 22)
      show.advance()
      guard stage != .closed else { break }
      show.go(to: 26)
      show.advance()
      guard stage != .deciding else { break }
      show.decide(0)
      guard stage != .decided else { break }
      show.placeAll()
    case .voided:
      try show.ask()
      try show.command(.void)
    case .asksAll:
      for _ in 0..<3 {
        try show.ask()
        try show.command(.void)
      }
    case .ended, .over:
      try show.ask()
      try show.command(.end)
      if stage == .over { show.placeAll() }
    }
    return show
  }

  /// A host may begin without a question, and ask the first one afterwards; what has begun does not begin again.
  @Test func startWithoutAQuestion() throws {
    var show = try show(at: .lobby)
    #expect(throws: HostingProblem.notNow("another game is in the stream; end it first")) { try show.command(.start, mayBegin: false) }
    try show.command(.start, "s")
    #expect(show.game.asked.isEmpty && show.game.outgoing.map { $0.cue["event"]?.string } == ["startGame"])
    show.placeAll()
    #expect(try show.command(.start, "s").records == [])
    #expect(throws: HostingProblem.notNow("the game has begun")) { try show.command(.start) }
    show.advance()
    #expect(show.game.asked.isEmpty && show.game.phase(at: show.now) == .starting)
    try show.command(.next)
    #expect(show.game.asked.count == 1)
  }

  private static let commands: [HostedGame.Command] = [
    .next, .close, .reveal, .void, .end, .extend(MediaTime(seconds: 5)), .kick(player: 1), .kick(player: 2), .kick(player: -1),
  ]

  /// The kind of problem that each of ``commands`` meets; empty where it is carried out.
  private static func expected(_ stage: Stage) -> [String] {
    let (late, unknown) = ("not-now", "player-unknown")
    return switch stage {
    case .lobby, .starting, .shown, .voided, .asksAll: ["", late, late, late, "", late, "", unknown, unknown]
    case .asking: [late, late, late, late, "", late, "", unknown, unknown]
    case .open: [late, "", "", "", "", "", "", unknown, unknown]
    // A change of the time is on its way.
    case .adjusting: [late, late, "", "", "", late, "", unknown, unknown]
    case .closed: [late, late, "", "", "", late, "", unknown, unknown]
    // What is decided stays so, and the end comes behind it.
    case .deciding, .decided: [late, late, late, late, "", late, "", unknown, unknown]
    case .ended, .over: [String](repeating: "game-over", count: 9)
    }
  }

  /// A command that is refused changes nothing, and may be given again later. One that is carried out is so once.
  @Test(arguments: Stage.allCases) func everyCommandEverywhere(stage: Stage) throws {
    let show = try show(at: stage)
    for (command, kind) in zip(Self.commands, Self.expected(stage)) {
      var other = show
      let before = other.facts
      do throws(HostingProblem) {
        let change = try other.command(command, "x")
        #expect(kind == "", "\(command)")
        #expect(change.records.last == .command(id: "x") && other.game.hasDone("x"), "\(command)")
      } catch {
        #expect(error.kind == kind, "\(command)")
        #expect(other.facts == before && other.records == show.records && !other.game.hasDone("x"), "\(command)")
        continue
      }
      // Whatever is asked for under the same name again.
      let after = other.facts
      for again in Self.commands {
        let change = try other.command(again, "x")
        #expect(change.records == [] && change.messages == [] && change.closing == nil)
      }
      #expect(other.facts == after)
    }
  }

  /// What each command makes of a question that takes answers.
  @Test func whatBecomesOfAQuestion() throws {
    let show = try show(at: .open)
    let (guid, edge) = (HostedShow.asked[0], MediaTime(ticks: 945_000))
    let cases: [(HostedGame.Command, [HostingRecord], HostedGame.Phase)] = [
      (
        .close,
        [.closed(question: 0, at: edge), .adjusting(HostedShow.adjustment(0, 1), question: 0, allottedTime: .zero)], .closed
      ), (.reveal, [.closed(question: 0, at: edge)], .closed),
      (.void, [.voided(question: 0)], .result),
      (
        .extend(MediaTime(seconds: 7)),
        [.adjusting(HostedShow.adjustment(0, 1), question: 0, allottedTime: MediaTime(seconds: 17))], .open
      ),
    ]
    for (command, records, phase) in cases {
      var other = show
      let change = try other.command(command, "x")
      #expect(change.records == records + [.command(id: "x")])
      #expect(other.game.phase(at: other.now) == phase, "\(command)")
      #expect(other.game.asked[0].guid == guid && (change.closing == 0) == (command == .reveal))
    }
    // The end voids it first.
    var other = show
    let change = try other.command(.end, "x")
    let cue = try #require(other.game.end?.cue)
    #expect(
      change.records == [.voided(question: 0), .ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock), .command(id: "x")])
    #expect(change.messages == [.voided(guid), .ended] && cue["totalQuestions"]?.int == 1)
  }

  /// A question that is on its way when the game ends never comes into the stream; its number would be missing there, so that it cannot be voided.
  @Test func endedOnItsWay() throws {
    var show = try show(at: .asking)
    #expect(throws: HostingProblem.notNow("no question waits for its result")) { try show.command(.void) }
    let change = try show.command(.end, "x")
    let cue = try #require(show.game.end?.cue)
    #expect(
      change.records == [.voided(question: 0), .ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock), .command(id: "x")])
    #expect(show.game.outgoing.map(\.guid) == [HostedShow.start, HostedShow.end] && show.game.windows == [:])
    #expect(show.place(HostedShow.asked[0]).records == [])
    #expect(show.game.phase(at: show.now) == .ended && show.game.current == nil)
  }

  /// A result that is decided may be in the stream already, where nobody has heard of it yet: it is not voided, and the end comes behind it.
  @Test func theEndWaitsForTheResult() throws {
    for stage in [Stage.deciding, .decided] {
      var show = try show(at: stage)
      #expect(throws: HostingProblem.notNow("the result is decided, and may be in the stream already")) { try show.command(.void) }
      let change = try show.command(.end, "x")
      #expect(change.records == [.ending, .command(id: "x")] && change.messages == [])
      #expect(throws: HostingProblem.ended) { try show.command(.end, "y") }
      // Also after a restart.
      var restored = try show.restored(try #require(show.snapshots.last))
      #expect(restored.game.isEnding && restored.game.end == nil)
      if let closing = restored.advance().closing { restored.decide(closing) }
      #expect(restored.game.outgoing.map(\.guid) == [HostedShow.results[0]] && restored.advance().records == [])
      restored.placeAll()
      #expect(restored.game.boards.count == 1 && restored.game.asked[0].phase == .shown)
      #expect(restored.advance().messages == [.ended])
      #expect(restored.game.outgoing.map(\.guid) == [HostedShow.end])
      restored.placeAll()
      #expect(restored.game.isOver && restored.game.boards.count == 2 && restored.advance().records == [])
    }
  }

  /// A result or a question that the stream does not take is voided, and the show goes on; the stream's numbers do not count such a question.
  @Test func withdrawn() throws {
    var show = try show(at: .decided)
    #expect(show.withdraw(HostedShow.results[0]).records == [.voided(question: 0)])
    #expect(show.game.outgoing == [] && show.game.boards.isEmpty && show.withdraw(HostedShow.results[0]).records == [])
    try show.command(.next)
    #expect(show.withdraw(HostedShow.asked[1]).records == [.voided(question: 1)])
    #expect(show.game.outgoing == [] && show.game.phase(at: show.now) == .result)
    try show.ask()
    show.finishQuestion()
    #expect(show.game.asked[2].resultCue?["questionNumber"]?.int == 2)
    #expect(show.game.boards.map(\.scoreboard?.summary.question.number) == [2])
    // The start is waited for, as long as there is something to start.
    var other = try self.show(at: .lobby)
    try other.command(.next)
    #expect(other.withdraw(HostedShow.start).records == [])
    try other.command(.end)
    #expect(other.withdraw(HostedShow.end).records == [.placed(HostedShow.end, at: MediaTime(seconds: 10))] && other.game.isOver)
    // A result that is waited for before the end.
    var last = try self.show(at: .decided)
    try last.command(.end)
    last.withdraw(HostedShow.results[0])
    #expect(last.advance().messages == [.ended] && last.game.outgoing.map(\.guid) == [HostedShow.end])
  }

  /// A game that ends before it began leaves nothing in the stream.
  @Test func endedBeforeItBegan() throws {
    var show = try show(at: .lobby)
    let change = try show.command(.end, "x")
    let cue = try #require(show.game.end?.cue)
    #expect(
      change.records == [.ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock), .command(id: "x")]
        && change.messages == [.ended])
    #expect(show.game.outgoing == [] && show.game.isOver && show.game.phase(at: show.now) == .ended)
    #expect(throws: HostingProblem.ended) { try show.join("Cem") }
  }

  /// Another game is in the stream: this one does not begin, and may later.
  @Test func anotherGameIsInTheStream() throws {
    var show = try show(at: .lobby)
    let before = show.facts
    #expect(throws: HostingProblem.notNow("another game is in the stream; end it first")) { try show.command(.next, "x", mayBegin: false) }
    #expect(show.facts == before && !show.game.hasDone("x"))
    #expect(try show.command(.next, "x").records.count == 3)
    // It is asked for once, at the beginning.
    var other = try self.show(at: .shown)
    #expect(try other.command(.next, mayBegin: false).records.first == .asked(HostedShow.asked[1], question: 1))
  }

  /// A question takes answers ten minutes longer at most, all in all, from when that is in the stream.
  @Test func extended() throws {
    var show = try show(at: .open)
    let problem = HostingProblem.notNow("a question is extended by 10 minutes at most")
    #expect(throws: problem) { try show.command(.extend(MediaTime(seconds: 601))) }
    try show.command(.extend(MediaTime(seconds: 300)))
    let guid = HostedShow.adjustment(0, 1)
    #expect(
      show.game.outgoing.map(\.cue.text) == [
        #"{"event":"adjustTime","guid":"\#(guid.text)","game":"g1","questionNumber":1,"allottedTime":310}"#
      ])
    #expect(show.game.asked[0].closesAt == MediaTime(seconds: 20.5))
    // One after the other.
    #expect(throws: HostingProblem.notNow("a change of the time is on its way into the stream")) {
      try show.command(.extend(MediaTime(seconds: 300)))
    }
    show.go(to: 11)
    show.placeAll()
    #expect(show.game.asked[0].closesAt == MediaTime(seconds: 320.5) && show.game.outgoing == [])
    try show.command(.extend(MediaTime(seconds: 300)))
    show.placeAll()
    #expect(throws: problem) { try show.command(.extend(MediaTime(ticks: 1))) }
    show.go(to: 620)
    show.advance()
    #expect(show.game.phase(at: show.now) == .open && show.answer(1, by: 0) == nil)
    #expect(show.game.revealAt(show.game.asked[0], now: show.now) == HostedShow.wallClock(625.5))
    show.go(to: 620.5)
    show.advance()
    #expect(show.answer(1, by: 0) == .tooLate)
    #expect(throws: HostingProblem.notNow("the time is up already")) { try show.command(.extend(MediaTime(ticks: 1))) }
    show.go(to: 625.5)
    #expect(show.advance().closing == 0)
    // The next question has its own ten minutes.
    show.decide(0)
    show.placeAll()
    try show.ask()
    try show.command(.extend(MediaTime(seconds: 600)))
  }

  /// A change that comes into the stream when the time is up there changes nothing, for nobody; one that the stream does not take is forgotten.
  @Test func extendedTooLate() throws {
    var show = try show(at: .open)
    show.go(to: 20)
    try show.command(.extend(MediaTime(seconds: 10)))
    show.go(to: 20.5)
    #expect(show.advance().messages == [.closed(HostedShow.asked[0])])
    show.placeAll()
    #expect(show.game.asked[0].closesAt == MediaTime(seconds: 20.5) && show.game.outgoing == [])
    var other = try self.show(at: .open)
    try other.command(.extend(MediaTime(seconds: 10)))
    #expect(other.withdraw(HostedShow.adjustment(0, 1)).records == [.withdrawn(HostedShow.adjustment(0, 1))])
    #expect(other.game.outgoing == [] && other.game.asked[0].closesAt == MediaTime(seconds: 20.5))
    #expect(other.withdraw(HostedShow.adjustment(0, 1)).records == [])
    // The next one has another identifier.
    #expect(
      try other.command(.extend(MediaTime(seconds: 5)), "x").records == [
        .adjusting(HostedShow.adjustment(0, 2), question: 0, allottedTime: MediaTime(seconds: 15)), .command(id: "x"),
      ])
  }

  /// A result never overtakes a change of the time of its question.
  @Test func resultsComeBehind() throws {
    var show = try show(at: .open)
    try show.command(.close)
    if let closing = try show.command(.reveal).closing { show.decide(closing) }
    #expect(show.game.outgoing.map(\.guid) == [HostedShow.adjustment(0, 1)])
    show.place(HostedShow.adjustment(0, 1))
    #expect(show.game.outgoing.map(\.guid) == [HostedShow.results[0]])
  }

  /// Without a stream nobody knows when to close.
  @Test func withoutAStream() throws {
    var show = try show(at: .open)
    show.goWithoutStream(to: 14)
    #expect(throws: HostingProblem.notNow("no question takes answers")) { try show.command(.close) }
    #expect(show.game.revealAt(show.game.asked[0], now: show.now) == nil)
    #expect(show.advance().records == [] && show.game.phase(at: show.now) == .open)
    show.goWithoutStream(to: 5_000)
    #expect(show.advance().closing == nil)
    // The stream comes back later.
    show.go(to: 5_001)
    #expect(show.advance().closing == 0)
  }

  /// Also after a restart a command is not carried out again, as long as it is one of the last ten thousand.
  @Test func remembered() throws {
    var show = try show(at: .shown)
    try show.command(.next, "again")
    var restored = try show.restored(try #require(show.snapshots.last))
    let before = restored.facts
    #expect(try restored.command(.end, "again").records == [])
    #expect(restored.facts == before)
    var game = HostedGame(HostedShow.settings())
    for number in 0...10_000 { game.restore(.command(id: "\(number)")) }
    #expect(!game.hasDone("0") && game.hasDone("1") && game.hasDone("10000") && !game.hasDone("10001"))
  }

  // MARK: Results that another process has decided

  @Test func adopted() throws {
    var show = try show(at: .decided)
    let guid = HostedShow.results[0]
    let own = try #require(show.game.asked[0].resultCue)
    var other = own
    other.append("counts", [7, 8, 9])
    #expect(show.adopt(other, for: HostedShow.results[1]).records == [])
    let change = show.adopt(other, for: guid)
    #expect(change.records == [.decided(guid, question: 0, cue: other)] && change.messages == [.decision(guid)])
    #expect(show.game.outgoing.map(\.cue.text) == [other.text])
    // What is in the stream is so.
    show.placeAll()
    #expect(show.adopt(own, for: guid).records == [])
    #expect(show.game.asked[0].resultCue == other)
    // The end may be another one, too.
    try show.command(.end)
    var end = try #require(show.game.end?.cue)
    end.append("winners", ["Ann"])
    #expect(show.adopt(end, for: HostedShow.end).records == [.ended(HostedShow.end, cue: end)])
    #expect(show.game.outgoing.map(\.cue.text) == [end.text])
  }
}
