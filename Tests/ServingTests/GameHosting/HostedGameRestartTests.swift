import AnswerIntake
import Basics
import GameEvents
import GameHosting
import Scoring
import Testing

/// A game that is made again of what was kept is the game that was.
@Suite struct HostedGameRestartTests {
  // MARK: At every point

  /// A show in which everything happens once.
  private func sample(scoring: String = "speed:1000:500+streak:50") throws -> HostedShow {
    var show = HostedShow(HostedShow.settings(scoring: scoring))
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(5), entryOpensAt: HostedShow.wallClock(0))
    for name in ["Ann", "Ben", "Cem", "Dee"] { try show.join(name) }
    show.go(to: 5)
    show.advance()
    show.go(to: 6)
    show.placeAll()
    show.go(to: 8)
    show.advance()
    show.go(to: 9)
    show.placeAll()
    // The first question, by the plan: 9 s to 19 s.
    for (player, answer, seconds) in [(0, 1, 10.0), (1, 0, 11.0), (2, 1, 12.0), (3, 1, 12.5), (1, 1, 13.0)] {
      show.go(to: seconds)
      #expect(show.answer(answer, by: player) == nil)
    }
    try show.command(.kick(player: 3))
    show.finishQuestion()
    // The second one, led by a host.
    show.go(to: 40)
    try show.ask()
    show.go(to: 45)
    #expect(show.answer(1, by: 0) == nil)
    if !show.game.settings.endsEntry {
      try show.join("Eve", position: 45)
      #expect(show.answer(1, by: 4, at: 45) == nil)
    }
    show.go(to: 46)
    try show.command(.extend(MediaTime(seconds: 2)))
    show.placeAll()
    try show.command(.close)
    show.go(to: 50)
    #expect(show.answer(0, by: 1, at: 44) == nil)
    show.advance()
    show.go(to: 60)
    if let closing = show.advance().closing { show.decide(closing) }
    show.go(to: 61)
    show.placeAll()
    // The third one is shown before its time, the game ends.
    show.go(to: 65)
    try show.ask()
    show.go(to: 67)
    #expect(show.answer(0, by: 0) == nil)
    show.go(to: 68)
    try show.reveal()
    show.go(to: 70)
    try show.command(.next)
    show.go(to: 71)
    show.placeAll()
    return show
  }

  /// What was kept at each moment makes the game of that moment again.
  @Test(arguments: ["speed:1000:500+streak:50", "elimination", "first:3"]) func afterEveryChange(scoring: String) throws {
    let show = try sample(scoring: scoring)
    #expect(show.game.isOver && show.snapshots.count >= 40 && show.records.count > 20)
    for (index, snapshot) in show.snapshots.enumerated() {
      let restored = try show.restored(snapshot)
      #expect(restored.facts == GameFacts(snapshot.game, snapshot.now), "change \(index)")
    }
  }

  /// Also of a part of a change, which no store keeps, a game comes that can be played to its end: with the same identifiers, and one decision for
  /// each question.
  @Test func afterEveryRecord() throws {
    let show = try sample()
    for count in 0...show.records.count {
      let records = Array(show.records.prefix(count))
      let snapshot = show.snapshots.last { $0.records <= count }
      let now = try #require(snapshot).now
      // Answers are kept behind the question that they belong to.
      let askedCount = records.count { if case .asked = $0 { true } else { false } }
      let answers = show.answers.filter { $0.question < askedCount }
      var other = try HostedShow(show.game.settings, players: show.players, records: records, answers: answers, now: now)
      // Nobody leads it any more: the plan goes on, or a host does.
      if other.game.start == nil, !other.game.isAutomatic { try other.command(.next) }
      let isOver = try other.playToTheEnd()
      #expect(isOver, "\(count) records")
      #expect(other.game.asked.map(\.guid) == HostedShow.asked && other.game.end?.guid == HostedShow.end, "\(count) records")
      #expect(other.records.starts(with: records))
      for (index, question) in other.game.asked.enumerated() {
        let decisions = other.records.filter { if case .decided(_, index, _) = $0 { true } else { false } }
        #expect(decisions.count == 1 && question.phase == .shown && question.result == HostedShow.results[index], "\(count) records")
        // What was decided before stays as it was.
        if case .decided(_, _, let cue)? = decisions.first { #expect(question.resultCue == cue) }
      }
      for guid in [HostedShow.start, HostedShow.end] + HostedShow.asked + HostedShow.results {
        let placements = other.records.count { if case .placed(guid, _) = $0 { true } else { false } }
        #expect(placements == 1, "\(count) records, \(guid)")
      }
      // And it comes again of what was kept of it.
      let again = try HostedShow(
        other.game.settings, players: other.players, records: other.records, answers: other.answers, now: other.now)
      #expect(again.facts == other.facts, "\(count) records")
    }
  }

  // MARK: Anything that may happen

  private func step(_ show: inout HostedShow, _ numbers: inout SeededNumbers) throws {
    show.go(to: show.seconds + Double(1 + numbers.below(40)) / 10)
    let player = numbers.below(max(show.players.count, 1))
    switch numbers.below(20) {
    case 0: _ = try? show.join("player \(show.players.count)", position: show.seconds - Double(numbers.below(30)))
    case 1...6:
      guard player < show.players.count else { break }
      show.answer(numbers.below(4), by: player, at: show.seconds - Double(numbers.below(150)) / 10, to: numbers.below(4) - 1)
    case 7...9: show.placeAll()
    case 10...14: if let closing = show.advance().closing { show.decide(closing) }
    case 15, 16: _ = try? show.command(.next)
    case 17: _ = try? show.command(numbers.below(2) == 0 ? .close : .extend(MediaTime(seconds: 3)))
    case 18:
      if numbers.below(4) == 0 { _ = try? show.command(.void) }
      if numbers.below(3) == 0 { _ = try? show.command(.kick(player: player)) }
    default:
      guard numbers.below(2) == 0 else { break }
      if numbers.below(20) == 0 { _ = try? show.command(.end) } else { try? show.reveal() }
    }
  }

  @Test(arguments: 0..<UInt64(15)) func anyShow(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let rules = ["right", "elimination", "first:2+right", "elimination:1:answered+speed:100", "streak:5:2+right:3"]
    var show = HostedShow(HostedShow.settings(scoring: rules[Int(seed) % rules.count]))
    if seed % 3 == 0 { try show.plan(automatic: true, startsAt: HostedShow.wallClock(20)) }
    for index in 0..<4 { try show.join("player \(index)") }
    for _ in 0..<120 { try step(&show, &numbers) }
    #expect(!show.game.asked.isEmpty || show.game.end != nil)
    for (index, snapshot) in show.snapshots.enumerated() where index % 4 == Int(seed) % 4 || index == show.snapshots.count - 1 {
      let restored = try show.restored(snapshot)
      #expect(restored.facts == GameFacts(snapshot.game, snapshot.now), "change \(index)")
    }
  }

  /// Whoever joins after a result was shown is on its board as little after a restart as before.
  @Test func joinedBehindABoard() throws {
    var show = HostedShow()
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.finishQuestion()
    let board = try #require(show.game.boards.last?.scoreboard)
    // Somebody joins whose stream is behind the result.
    show.go(to: show.seconds + 1)
    try show.join("Ben")
    #expect(show.players[1].joinedAt.map { $0 > board.time } == true)
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.game.boards.last?.scoreboard == board)
    #expect(restored.facts == show.facts)
  }

  /// Also where nobody knows for the moment where the stream is: who joins then has missed nothing either.
  @Test func joinedWithoutAStreamBehindABoard() throws {
    var show = HostedShow(HostedShow.settings(scoring: "right"))
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    #expect(show.answer(1, by: 0) == nil)
    show.finishQuestion()
    let board = try #require(show.game.boards.last?.scoreboard)
    show.goWithoutStream(to: 34)
    try show.join("Ben")
    #expect(show.game.barred() == [false, false])
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.game.boards.last?.scoreboard == board)
    #expect(restored.facts == show.facts)
  }

  /// Who was taken out is on no board, not even on one that was shown before, whether or not the server has started again since.
  @Test func takenOutBehindABoard() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    show.answer(1, by: 1)
    show.finishQuestion()
    #expect(show.board == ["1 Ben 1", "2 Ann 0"])
    try show.command(.kick(player: 1))
    #expect(show.board == ["1 Ann 0"])
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.board == ["1 Ann 0"] && restored.facts == show.facts)
  }

  // MARK: Answers

  /// Answers as they come: some change their minds, some at one moment, some too late.
  private func answers(_ show: HostedShow, _ numbers: inout SeededNumbers) -> [PackedAnswer] {
    (0..<40).map { _ in
      let question = numbers.below(2)
      let opens = show.game.asked[question].opensAt ?? .zero
      let time = opens + MediaTime(ticks: Int64(numbers.below(24)) * 45_000 - 45_000)
      return PackedAnswer(
        player: UInt32(numbers.below(6)), question: UInt32(question), answer: UInt32(numbers.below(3)), time: time)
    }
  }

  /// The same answers in any order, and some of them twice, make the same boards.
  @Test(arguments: ["speed:1000:500+streak:50", "first:2+elimination:1"]) func anyOrderOfAnswers(scoring: String) throws {
    var show = HostedShow(HostedShow.settings(scoring: scoring))
    for index in 0..<6 { try show.join("player \(index)") }
    show.go(to: 10)
    for _ in 0..<2 {
      try show.ask()
      show.finishQuestion()
    }
    var prepared = HostedGame(show.game.settings)
    for player in show.players {
      let isThere = prepared.restore(player: player.nickname, key: player.key, at: player.joinedAt)
      #expect(isThere)
    }
    for record in show.records { prepared.restore(record) }
    var numbers = SeededNumbers(seed: 1_000)
    // Each one is a batch of its own.
    let answers = Array(answers(show, &numbers).enumerated())
    func boards(_ answers: [(offset: Int, element: PackedAnswer)]) -> [Scoreboard?] {
      var game = prepared
      for answer in answers { game.record([answer.element], batch: answer.offset) }
      game.republish()
      return game.boards.map(\.scoreboard)
    }
    let expected = boards(answers)
    #expect(expected.count == 2 && expected.last??.leaders.first.map { $0.score > 0 } == true)
    for number in 0..<1_000 {
      let shuffled = numbers.shuffled(answers)
      #expect(boards(shuffled + shuffled.prefix(number % 3)) == expected, "shuffle \(number)")
    }
  }

  /// Answers to questions that were not asked, and of players who are not there or were taken out, are none.
  @Test func answersOfNobody() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    try show.command(.kick(player: 1))
    let before = show.facts
    let time = MediaTime(seconds: 11)
    show.game.record([
      PackedAnswer(player: 2, question: 0, answer: 1, time: time), PackedAnswer(player: .max, question: 0, answer: 1, time: time),
      PackedAnswer(player: 0, question: 1, answer: 1, time: time), PackedAnswer(player: 0, question: .max, answer: 1, time: time),
      PackedAnswer(player: 1, question: 0, answer: 1, time: time),
    ])
    #expect(show.facts == before && before.counts == [0, 0, 0])
    // Answers that the question does not have are kept, and count for nothing.
    show.game.record([PackedAnswer(player: 0, question: 0, answer: .max, time: time)])
    #expect(show.facts.counts == [0, 0, 0])
    show.game.record([PackedAnswer(player: 0, question: 0, answer: 2, time: time)])
    #expect(show.facts.counts == [0, 0, 1])
  }

  // MARK: Damage

  /// Records in any order, and some that contradict others, make some game, of which everything can be asked.
  @Test(arguments: 0..<UInt64(12)) func recordsInAnyOrder(seed: UInt64) throws {
    let show = try sample()
    var numbers = SeededNumbers(seed: seed, purpose: 9)
    let further: [HostingRecord] = [
      .asked(HostedShow.results[0], question: 99), .placed(HostedShow.results[1], at: MediaTime(ticks: .max)),
      .closed(question: 77, at: .zero), .closed(question: 0, at: MediaTime(ticks: .min)), .voided(question: 5),
      .adjusting(HostedShow.results[2], question: 1, allottedTime: MediaTime(ticks: .max)), .withdrawn(HostedShow.results[2]),
      .adjusting(HostedShow.end, question: 0, allottedTime: MediaTime(ticks: .max)), .placed(HostedShow.end, at: .zero),
      .decided(HostedShow.asked[0], question: 9, cue: JSONObject()),
      .decided(HostedShow.asked[0], question: 0, cue: JSONObject()), .placed(HostedShow.asked[1], at: MediaTime(ticks: -90_000)),
      .planned(startsAt: .min, entryOpensAt: .max), .command(id: ""), .kicked(player: 99), .kicked(player: 0), .ending,
    ]
    for _ in 0..<12 {
      var records = numbers.shuffled(show.records + further)
      records.removeLast(numbers.below(records.count))
      let other = try HostedShow(
        show.game.settings, players: show.players, records: records, answers: numbers.shuffled(show.answers), now: show.now)
      let facts = other.facts
      #expect(facts.asked.count <= 3 && facts.standings.count == show.players.count && facts.barred.count == show.players.count)
    }
  }
}
