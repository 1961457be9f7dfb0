/// Right answers in a row are worth more. A wrong answer or a missed question ends the streak.
public struct StreakRule: Equatable, Sendable {
  /// The extra points of each right answer, from the `length`th in a row on.
  public var points: Int
  /// How many right answers in a row it takes.
  public var length: Int

  /// `points` more from the second right answer in a row on, or from the `length`th.
  public init(points: Int, length: Int = 2) {
    self.points = points
    self.length = max(length, 1)
  }

  /// - Parameter streak: The number of right answers in a row, this one included.
  func award(streak: Int) -> Int { streak >= length ? points : 0 }
}
