/// Each answer is worth what the question's result says, which may be negative (the anti-quiz, where funny wrong answers win).
///
/// Where a result says nothing, the right answer is worth a point.
public struct PointsPerAnswerRule: Equatable, Sendable {
  /// Each answer is worth what the result says.
  public init() {}

  func award(answer: Int, points: [Int]?, isRight: Bool) -> Int {
    guard let points else { return isRight ? 1 : 0 }
    return points.indices.contains(answer) ? points[answer] : 0
  }
}
