import Basics

/// The first right answer takes the points, further ones none (the AirPlay quiz).
///
/// The first answer is the first one on the programme's timeline, not by the clock: the question stays open for players who are behind, and one
/// of them may still take the points from somebody who answered earlier by the clock. Several players who answered at the same tick, which is
/// 1/90,000 s, all get the points, because none of them was earlier.
public struct FirstAnswerRule: Equatable, Sendable {
  /// What the first right answer is worth.
  public var points: Int

  /// The first right answer is worth `points`.
  public init(points: Int = 1) { self.points = points }

  func award(isRight: Bool, time: MediaTime, first: MediaTime?) -> Int { isRight && time == first ? points : 0 }
}
