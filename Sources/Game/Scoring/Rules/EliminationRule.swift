/// A wrong answer eliminates a player, after a number of second chances (HQ Trivia).
///
/// Answers of an eliminated player no longer count, and the player ranks below all who are left.
public struct EliminationRule: Equatable, Sendable {
  /// How many wrong answers are forgiven.
  public var secondChances: Int
  /// Whether a question that a player did not answer counts as a wrong answer. Questions from before the player joined were not missed.
  public var countsMissed: Bool

  /// By default there are no second chances, and missed questions count.
  public init(secondChances: Int = 0, countsMissed: Bool = true) {
    self.secondChances = max(secondChances, 0)
    self.countsMissed = countsMissed
  }

  /// Whether this number of mistakes eliminates a player.
  func isOut(mistakes: Int) -> Bool { mistakes > secondChances }
}
