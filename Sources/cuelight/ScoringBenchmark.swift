import GameEvents
import MediaTime
import Scoring

/// How long the scoring of a large game takes.
struct ScoringBenchmark {
  /// What was measured.
  struct Row {
    var what: String
    var duration: Duration
  }

  /// How many players the game has.
  var players = 1_000_000
  /// How many questions are asked.
  var questions = 10
  /// How they are scored: by the rules that take most work.
  var rules = ScoringRules(
    right: RightAnswerRule(), first: FirstAnswerRule(), speed: SpeedRule(most: 1_000, least: 500), streak: StreakRule(points: 100))

  private static let answerCount = 4
  private static let wrongResult = CommandFailure("the benchmark of the scoring came to a wrong result", status: 1)

  /// Plays a game and measures each kind of work, of several questions the slowest.
  ///
  /// - Throws: where the result is not right.
  func rows() throws(CommandFailure) -> [Row] {
    var game = ScoredGame(rules: rules)
    let count = "\(players) players"
    var rows = [Row(what: "\(count) join", duration: try Self.measure { () throws(CommandFailure) in try join(&game) })]
    var (answering, updating, listing) = (Duration.zero, Duration.zero, Duration.zero)
    for number in 1...questions {
      var question = try Self.question(number)
      game.take([question])
      answering = max(answering, Self.measure { answer(question, &game) })
      question.correctAnswer = 0
      updating = max(
        updating,
        try Self.measure { () throws(CommandFailure) in
          game.take([question])
          guard game.summary(of: question.guid)?.taken == players else { throw Self.wrongResult }
        })
      listing = max(
        listing,
        try Self.measure { () throws(CommandFailure) in
          guard game.leaders(100).count == min(players, 100) else { throw Self.wrongResult }
        })
    }
    rows.append(Row(what: "\(count) answer a question", duration: answering))
    rows.append(Row(what: "a result updates \(count)", duration: updating))
    rows.append(Row(what: "the top 100 of \(count)", duration: listing))
    var corrected = try Self.question(1)
    corrected.correctAnswer = 1
    let correcting = Self.measure {
      game.take([corrected])
      _ = game.leaders(1)
    }
    rows.append(Row(what: "the first of \(questions) results is corrected, \(count)", duration: correcting))
    return rows
  }

  private func join(_ game: inout ScoredGame) throws(CommandFailure) {
    for index in 0..<players {
      do throws(JoiningError) { _ = try game.join("player \(index)") } catch { throw Self.wrongResult }
    }
  }

  private func answer(_ question: ScoredQuestion, _ game: inout ScoredGame) {
    for player in game.roster.players {
      let time = question.opensAt + MediaTime(ticks: Int64(player.index) % question.allottedTime.ticks)
      _ = game.answer((player.index + question.number) % Self.answerCount, to: question.guid, by: player, at: time)
    }
  }

  private static func question(_ number: Int) throws(CommandFailure) -> ScoredQuestion {
    guard let guid = GUID("question-\(number)") else { throw wrongResult }
    return ScoredQuestion(
      guid: guid, number: number, answerCount: answerCount, opensAt: MediaTime(seconds: 20 * number), allottedTime: MediaTime(seconds: 10))
  }

  private static func measure<Failure>(_ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let start = ContinuousClock.now
    try work()
    return ContinuousClock.now - start
  }
}
