/// A wrong answer puts a player out of the game, after a number of second chances (HQ Trivia).
///
/// Answers of a player who is out no longer count, and the player ranks behind all who are left.
public struct EliminationRule: Equatable, Sendable {
  /// How many wrong answers are forgiven.
  public var secondChances: Int
  /// Whether a question that a player did not answer counts as a wrong answer. What was over before the player joined was not missed.
  public var countsMissed: Bool

  /// No second chances, and missed questions count, unless said otherwise.
  public init(secondChances: Int = 0, countsMissed: Bool = true) {
    self.secondChances = max(secondChances, 0)
    self.countsMissed = countsMissed
  }

  /// Whether this number of mistakes puts a player out.
  func isOut(mistakes: Int) -> Bool { mistakes > secondChances }
}
