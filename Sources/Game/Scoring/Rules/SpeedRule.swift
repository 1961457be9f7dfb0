import Basics

/// The sooner a right answer is given, the more it is worth: the most when the question opens, decreasing evenly over the allotted time.
///
/// The time is programme time at the player's own position, in whole seconds: a player hardly knows that position more exactly, and half a second
/// should not decide a game. Points are proportional to the remaining time, rounded down.
public struct SpeedRule: Equatable, Sendable {
  /// What a right answer is worth when the question opens.
  public var most: Int
  /// What it is worth when the allotted time is up.
  public var least: Int
  /// Whether fractions of seconds count, too.
  public var isExact: Bool

  /// The largest number of points, so that sums stay far from overflow.
  public static let largestPoints = 1_000_000_000

  /// From `most` points down to `least`; both are limited to 0 to ``largestPoints``, and `least` to `most`.
  public init(most: Int, least: Int = 0, isExact: Bool = false) {
    self.isExact = isExact
    self.most = min(max(most, 0), Self.largestPoints)
    self.least = min(max(least, 0), self.most)
  }

  /// In ticks.
  private static let second: UInt64 = 90_000

  func award(isRight: Bool, time: MediaTime, opensAt: MediaTime, allottedTime: MediaTime) -> Int {
    guard isRight else { return 0 }
    let allotted = UInt64(max(allottedTime.ticks, 0))
    var passed = UInt64(max((time - opensAt).ticks, 0))
    if !isExact { passed -= passed % Self.second }
    guard allotted > 0 else { return most }
    guard passed < allotted else { return least }
    // The product may have more than 64 bits; the quotient is not larger than the multiplicand.
    let share = UInt64(most - least).multipliedFullWidth(by: allotted - passed)
    return least + Int(allotted.dividingFullWidth(share).quotient)
  }
}
