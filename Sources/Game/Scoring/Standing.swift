public import GameEvents

/// A player's place on the scoreboard.
public struct Standing: Equatable, Sendable {
  /// The player.
  public var player: PlayerID
  /// The player's nickname.
  public var nickname: Nickname
  /// One more than the number of players who are ahead. Players with equal points share a rank (1, 2, 2, 4), except those who joined late: with
  /// equal points, those are ahead who joined before more of the scored questions closed.
  public var rank: Int
  /// The player's points.
  public var score: Int
  /// How many questions the player answered right.
  public var right: Int
  /// How many questions with known results the player answered.
  public var answered: Int
  /// The number of the question that eliminated the player.
  public var outAt: Int?
}

/// The outcome of the answers to a question.
public struct QuestionSummary: Equatable, Sendable {
  /// The question.
  public var question: ScoredQuestion
  /// How many players chose each answer; for an order, how many had it in its right place, once that is known. Empty for numbers and texts.
  public var counts: [Int]
  /// How many players gave which numbers.
  public var histogram: Histogram?
  /// The texts that most players gave.
  public var texts: TextCounts?
  /// How many players gave the text of each code.
  var textCodes: [UInt32: Int] = [:]
  /// How many answers were taken, one for each player.
  public var taken = 0
  /// How many answers were too late.
  public var tooLate = 0
  /// How many answers were given before the question was asked.
  public var tooEarly = 0
  /// How many answers were refused for other reasons: there is no such answer, its player had not joined yet or was out, or it is one of
  /// ``tooMany``.
  public var otherwiseRefused = 0
  /// By player: the number of answers that were not kept, because ``ScoredGame/largestAnswerCount`` earlier ones are. An answer that was recorded
  /// twice is counted twice here.
  public var tooMany: [PlayerID: Int] = [:]

  /// A question without answers.
  init(question: ScoredQuestion) {
    self.question = question
    counts = Array(repeating: 0, count: question.answerCount)
    if case .number(let scale) = question.form { histogram = Histogram(of: scale) }
  }

  /// Counts an answer that was taken.
  mutating func count(_ code: UInt32) {
    taken += 1
    switch question.form {
    case .none: break
    case .one: counts[Int(code)] += 1
    case .several: for index in counts.indices where code & 1 << UInt32(index) != 0 { counts[index] += 1 }
    case .order:
      guard case .order(let given) = question.form.answer(code), case .order(let right) = question.right else { break }
      for (item, other) in zip(given, right) where item == other { counts[item] += 1 }
    case .text: textCodes[code, default: 0] += 1
    case .number(let scale): histogram?.count(step: code, of: scale)
    }
  }

  mutating func countTexts(of table: TextTable, _ comparison: TextComparison) {
    texts = table.counts(textCodes, comparison)
    textCodes = [:]
  }

  /// Whether the right answer is known, so that the question has been scored.
  public var isScored: Bool { question.right != nil }
}

extension LeaderboardEntry {
  /// A line of a leaderboard for a standing.
  public init(_ standing: Standing) { self.init(nickname: standing.nickname.text, score: standing.score) }
}
