import Basics
import GameEvents
import Scoring

/// A game with a large audience, made for measuring: everybody has answered all questions, by turns with each answer.
struct BenchmarkAudience {
  /// The game, scored by the rules that take most work.
  var game = ScoredGame(
    rules: ScoringRules(
      right: RightAnswerRule(), first: FirstAnswerRule(), speed: SpeedRule(most: 1_000, least: 500), streak: StreakRule(points: 100)))
  /// The latest question.
  private(set) var question: ScoredQuestion?

  private static let answerCount = 4

  /// A game with these numbers of players and questions.
  init(players: Int, questions: Int) {
    for index in 0..<players { _ = try? game.join("player \(index)") }
    for number in 1...max(questions, 1) {
      guard let guid = GUID("question-\(number)") else { return }
      var question = ScoredQuestion(
        guid: guid, number: number, answerCount: Self.answerCount, opensAt: MediaTime(seconds: 20 * number),
        allottedTime: MediaTime(seconds: 10))
      game.receive([question])
      for player in game.roster.players {
        let time = question.opensAt + MediaTime(ticks: Int64(player.index) % question.allottedTime.ticks)
        _ = game.answer((player.index + number) % Self.answerCount, to: guid, by: player, at: time)
      }
      question.correctAnswer = 0
      game.receive([question])
      self.question = question
    }
  }

  /// The latest result is told anew, and is another one: everybody's points are counted anew, to see who leads. Returns how many answers count.
  mutating func update() -> Int {
    guard var question else { return 0 }
    question.correctAnswer = ((question.correctAnswer ?? 0) + 1) % Self.answerCount
    self.question = question
    game.receive([question])
    return game.leaders(1).isEmpty ? 0 : game.summary(of: question.guid)?.taken ?? 0
  }

  /// The best hundred, and those who share the last one's points; how many they are.
  mutating func top() -> Int { game.leaders(100).count }
}
