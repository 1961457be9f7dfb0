/// Each answer is worth the points in the question's result, which may be negative (the anti-quiz, where funny wrong answers win).
///
/// If the result has no points, the right answer is worth the points of the question, or one.
public struct PointsPerAnswerRule: Equatable, Sendable {
  /// The rule.
  public init() {}

  func award(answer: Int, points: [Int]?, worth: Int? = nil, isRight: Bool) -> Int {
    guard let points else { return isRight ? worth ?? 1 : 0 }
    return points.indices.contains(answer) ? points[answer] : 0
  }
}
