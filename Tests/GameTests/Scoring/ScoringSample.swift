import Basics
import GameEvents

@testable import Scoring

/// Questions and games to score.
enum ScoringSample {
  static func guid(_ text: String) -> GUID { .of(text) }

  /// The question of a number: three answers, open for 10 s from 20 s times its number on.
  static func question(_ number: Int, right: Int? = nil, points: [Int]? = nil, result: String? = nil) -> ScoredQuestion {
    ScoredQuestion(
      guid: guid("q\(number)"), number: number, answerCount: 3, opensAt: MediaTime(seconds: 20 * number),
      allottedTime: MediaTime(seconds: 10), correctAnswer: right, points: points, result: result.map { guid($0) })
  }

  /// A game of players `a`, `b`, `c` …
  static func game(_ rules: ScoringRules = .standard, players: Int) throws -> ScoredGame {
    var game = ScoredGame(rules: rules)
    for index in 0..<players { _ = try game.join(name(index)) }
    return game
  }

  static func name(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }
}

extension ScoredGame {
  /// Answers for the player of this nickname, so many seconds after the question opened.
  mutating func answer(_ nickname: String, _ number: Int, _ answer: Int, after seconds: Double) throws -> AnswerOutcome {
    let player = try entering(nickname)
    return self.answer(
      answer, to: ScoringSample.guid("q\(number)"), by: player, at: MediaTime(seconds: 20 * number) + MediaTime(seconds: seconds))
  }

  /// What stands on the scoreboard: `1 ann 3`, and `out 2` for whom question 2 put out.
  mutating func board(_ count: Int = 100) -> [String] {
    leaders(count).map { "\($0.rank) \($0.nickname) \($0.score)\($0.outAt.map { " out \($0)" } ?? "")" }
  }

  mutating func winnerNames() -> [String] { winners().map { $0.nickname.text } }
}
