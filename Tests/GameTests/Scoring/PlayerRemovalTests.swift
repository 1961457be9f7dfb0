import Basics
import GameEvents
import Testing

@testable import Scoring

/// A player whom the host takes out, and who is out by the rules.
@Suite struct PlayerRemovalTests {
  /// What a scoreboard of a time says, without the places in the roster.
  private struct Board: Equatable {
    var lines: [String]
    var winners: [String]
    var playerCount: Int
    var playersLeft: Int
    var summaries: [QuestionSummary]
  }

  private func board(_ game: ScoredGame, at time: MediaTime) -> Board {
    var game = game
    let lines = game.standings(at: time).map { standing in
      "\(standing.rank) \(standing.nickname) \(standing.score) \(standing.right)/\(standing.answered) \(standing.outAt ?? 0)"
    }
    let summaries = game.questions.compactMap { game.summary(of: $0.guid) }
    return Board(
      lines: lines, winners: game.winners(at: time).map(\.nickname.text), playerCount: game.roster.count(at: time),
      playersLeft: game.playersLeft(at: time), summaries: summaries)
  }

  private static let end = MediaTime(seconds: 1_000)

  @Test func nothingIsLeftOfAPlayer() throws {
    var game = try Sample.scoredGame(players: 3)
    game.receive([Sample.question(1, right: 0), Sample.question(2)])
    for name in ["a", "b", "c"] { #expect(try game.answer(name, 1, 0, after: 1) == .taken) }
    // One answer that was changed, one that came too late, and one to a question that is open.
    for (answer, seconds) in [(1, 2.0), (0, 3.0), (2, 11.0)] { _ = try game.answer("b", 1, answer, after: seconds) }
    _ = try game.answer("b", 2, 1, after: 1)
    let player = try #require(game.roster.player(named: Nickname("b")))
    #expect(board(game, at: Self.end).lines == ["1 a 1 1/1 0", "1 b 1 1/1 0", "1 c 1 1/1 0"])
    game.remove(player)
    let board = board(game, at: Self.end)
    #expect(board.lines == ["1 a 1 1/1 0", "1 c 1 1/1 0"] && board.winners == ["a", "c"])
    #expect(board.playerCount == 2 && board.playersLeft == 2)
    #expect(board.summaries.map(\.counts) == [[2, 0, 0], [0, 0, 0]])
    #expect(board.summaries.map { $0.tooLate + $0.tooEarly + $0.otherwiseRefused } == [0, 0])
    // Taken out twice is taken out.
    game.remove(player)
    #expect(self.board(game, at: Self.end) == board)
  }

  /// The nickname stays taken, and what the player says later does not count.
  @Test func thePlayerDoesNotComeBack() throws {
    var game = try Sample.scoredGame(players: 2)
    game.receive([Sample.question(1)])
    let player = try #require(game.roster.player(named: Nickname("b")))
    game.remove(player)
    let (upper, lower) = (try Nickname("B"), try Nickname("b"))
    #expect(throws: JoiningError.taken(upper, by: lower)) { _ = try game.join("B") }
    #expect(try game.answer("b", 1, 0, after: 1) == .beforeJoining)
    game.record(0, to: Sample.guid("q1"), by: player, at: MediaTime(seconds: 22))
    game.receive([Sample.question(1, right: 0)])
    let board = board(game, at: Self.end)
    #expect(board.lines == ["1 a 0 0/0 0"] && board.winners == [] && board.summaries.map(\.counts) == [[0, 0, 0]])
  }

  /// Also a scoreboard of all, whenever they joined, has no trace of the player.
  @Test func withoutATime() throws {
    var game = try Sample.scoredGame(players: 3)
    game.receive([Sample.question(1, right: 0)])
    for name in ["a", "b"] { _ = try game.answer(name, 1, 0, after: 1) }
    game.remove(try #require(game.roster.player(named: Nickname("b"))))
    #expect(game.board() == ["1 a 1", "2 c 0"])
    #expect(game.playersLeft() == 2)
  }

  /// Who was behind the first right answer takes the points of a player who is taken out.
  @Test func theNextOneIsFirst() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "first:3"), players: 3)
    game.receive([Sample.question(1, right: 0)])
    for (name, seconds) in [("a", 3.0), ("b", 1.0), ("c", 2.0)] { _ = try game.answer(name, 1, 0, after: seconds) }
    #expect(board(game, at: Self.end).winners == ["b"])
    game.remove(try #require(game.roster.player(named: Nickname("b"))))
    #expect(board(game, at: Self.end).lines == ["1 c 3 1/1 0", "2 a 0 1/1 0"])
  }

  // MARK: As if nobody had joined

  private struct Step: Sendable {
    var name: String
    /// When the player joins, in seconds; below 0 for the beginning.
    var joins: Int?
    var question = 0
    var answer = 0
    var seconds = 0.0
  }

  private static let rules = [
    "right", "first:2", "points", "speed:1000:500+streak:50", "elimination", "elimination:1:answered", "right+streak:3+elimination:1",
  ]

  private func steps(_ numbers: inout SeededNumbers) -> [Step] {
    var steps = (0..<8).map { index in
      Step(name: Sample.name(index), joins: numbers.below(3) > 0 ? -1 : 15 + numbers.below(80))
    }
    for _ in 0..<60 {
      steps.append(
        Step(
          name: Sample.name(numbers.below(8)), question: 1 + numbers.below(4), answer: numbers.below(4),
          seconds: Double(numbers.below(12) - 1)))
    }
    return steps
  }

  private func play(_ step: Step, _ game: inout ScoredGame) throws {
    if let joins = step.joins {
      _ = try game.join(step.name, at: joins < 0 ? nil : MediaTime(seconds: joins))
    } else {
      _ = try game.answer(step.name, step.question, step.answer, after: step.seconds)
    }
  }

  /// Wherever in the game the player is taken out: every scoreboard is that of a game without the player, and so is the list of who is out.
  @Test(arguments: 0..<UInt64(40)) func asIfNobodyHadJoined(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let rules = try ScoringRules(parsing: Self.rules[Int(seed) % Self.rules.count])
    let steps = steps(&numbers)
    let victim = Sample.name(numbers.below(8))
    let (moment, known) = (8 + numbers.below(60), numbers.below(4))
    var (game, other) = (ScoredGame(rules: rules), ScoredGame(rules: rules))
    for (index, step) in steps.enumerated() {
      if index == moment { game.remove(try #require(game.roster.player(named: Nickname(victim)))) }
      // Results come at any time, too.
      if index == 8 + 15 * known {
        for number in 1...3 {
          let question = Sample.question(number, right: numbers.below(3), points: [1, -2, 5])
          game.receive([question])
          other.receive([question])
        }
        game.receive([Sample.question(4)])
        other.receive([Sample.question(4)])
      }
      if step.name != victim || index < moment { try play(step, &game) }
      if step.name != victim { try play(step, &other) }
    }
    for seconds in [0, 14, 30, 45, 60, 70, 90, 1_000] {
      let time = MediaTime(seconds: seconds)
      #expect(board(game, at: time) == board(other, at: time), "\(victim) at \(seconds) s")
    }
    let place = try #require(game.roster.player(named: Nickname(victim))).index
    var out = game.playersOut()
    #expect(out.count == 8)
    let isVictimOut = out.remove(at: place)
    let others = other.playersOut()
    #expect(!isVictimOut && out == others)
  }

  // MARK: Who is out

  @Test func playersOut() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "elimination"), players: 3)
    #expect(game.playersOut() == [false, false, false])
    game.receive([Sample.question(1)])
    for (name, answer) in [("a", 0), ("b", 1)] { _ = try game.answer(name, 1, answer, after: 1) }
    // Nobody is out before the result is known: then who was wrong is, and who has said nothing.
    #expect(game.playersOut() == [false, false, false])
    game.receive([Sample.question(1, right: 0)])
    #expect(game.playersOut() == [false, true, true])
    // A result that is corrected puts others out.
    game.receive([Sample.question(1, right: 1)])
    #expect(game.playersOut() == [true, false, true])
    // Without the rule nobody is ever out.
    var other = try Sample.scoredGame(players: 2)
    other.receive([Sample.question(1, right: 0)])
    _ = try other.answer("a", 1, 2, after: 1)
    #expect(other.playersOut() == [false, false])
  }
}
