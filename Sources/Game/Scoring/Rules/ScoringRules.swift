/// How a game is scored: a set of optional rules, whose points are added up.
public struct ScoringRules: Equatable, Sendable {
  /// Points for each right answer.
  public var right: RightAnswerRule?
  /// Points for the first right answer.
  public var first: FirstAnswerRule?
  /// Points per answer.
  public var points: PointsPerAnswerRule?
  /// Points for speed.
  public var speed: SpeedRule?
  /// Points for right answers in a row.
  public var streak: StreakRule?
  /// When players are eliminated.
  public var elimination: EliminationRule?

  /// Rules; with none of those that award points for single answers, a right answer counts one.
  public init(
    right: RightAnswerRule? = nil, first: FirstAnswerRule? = nil, points: PointsPerAnswerRule? = nil, speed: SpeedRule? = nil,
    streak: StreakRule? = nil, elimination: EliminationRule? = nil
  ) {
    self.right = right
    self.first = first
    self.points = points
    self.speed = speed
    self.streak = streak
    self.elimination = elimination
  }

  /// A right answer counts one.
  public static let standard = ScoringRules(right: RightAnswerRule())

  /// Whether a rule awards points for single answers.
  private var awardsAnswers: Bool { right != nil || first != nil || points != nil || speed != nil }

  /// Whether everybody who is left wins, however many points they have: elimination is the only rule.
  var allSurvivorsWin: Bool { elimination != nil && !awardsAnswers && streak == nil }

  /// The rule for right answers, which applies by default if no other rule awards points for single answers.
  var effectiveRight: RightAnswerRule? { awardsAnswers ? right : RightAnswerRule() }
}
