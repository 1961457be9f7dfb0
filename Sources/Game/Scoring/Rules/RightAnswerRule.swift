/// Points for each right answer, by default one (TriviaWOW).
public struct RightAnswerRule: Equatable, Sendable {
  /// What a right answer is worth.
  public var points: Int

  /// A right answer is worth `points`.
  public init(points: Int = 1) { self.points = points }

  func award(isRight: Bool) -> Int { isRight ? points : 0 }
}
