public import Basics
public import GameEvents

/// The scoreboard after a question: the outcome of its answers, and the leaders.
public struct Scoreboard: Equatable, Sendable {
  /// The game.
  public var game: GameID
  /// The time of the scoreboard. Players who joined later are not on it.
  public var time: MediaTime
  /// The outcome of the answers to the question.
  public var summary: QuestionSummary
  /// The first players.
  public var leaders: [Standing]
  /// The number of players.
  public var playerCount: Int
  /// The number of players who are not out of the game.
  public var playersLeft: Int
}

/// The results at the end of a game.
public struct GameResults: Equatable, Sendable {
  /// The game.
  public var game: GameID
  /// All who have won.
  public var winners: [Standing]
  /// The first players, or all.
  public var leaders: [Standing]
  /// The number of players.
  public var playerCount: Int
}

extension ScoredGame {
  /// The scoreboard after a question; `nil` while the question is unknown.
  ///
  /// - Parameters:
  ///   - game: The game's name.
  ///   - top: The maximum number of players on it.
  ///   - time: When it is shown.
  public mutating func scoreboard(of game: GameID, after question: GUID, top: Int, at time: MediaTime) -> Scoreboard? {
    guard let summary = summary(of: question) else { return nil }
    return Scoreboard(
      game: game, time: time, summary: summary, leaders: leaders(top, at: time), playerCount: roster.count(at: time),
      playersLeft: playersLeft(at: time))
  }

  /// The results at the end of a game, of the players who had joined by then.
  ///
  /// - Parameters:
  ///   - game: The game's name.
  ///   - top: The maximum number of leaders.
  ///   - time: When the game has ended.
  public mutating func results(of game: GameID, top: Int, at time: MediaTime) -> GameResults {
    GameResults(game: game, winners: winners(at: time), leaders: leaders(top, at: time), playerCount: roster.count(at: time))
  }
}
