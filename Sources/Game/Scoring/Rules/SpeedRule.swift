import Basics

/// A right answer is worth the more the sooner it comes: the most when the question opens, decreasing evenly over the allotted time.
///
/// Time is the programme's at the player's own position, and counts in whole seconds: what a player knows of that position is hardly more exact,
/// and half a second should decide no game. Points are whole: what is left of the time makes its share, rounded down.
public struct SpeedRule: Equatable, Sendable {
  /// What a right answer is worth when the question opens.
  public var most: Int
  /// What it is worth when the allotted time is up.
  public var least: Int
  /// Whether parts of seconds count, too.
  public var isExact: Bool

  /// The largest number of points, so that sums stay far from overflow.
  public static let largestPoints = 1_000_000_000

  /// From `most` points down to `least`; both are held between 0 and ``largestPoints``, `least` up to `most`.
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
    // The product may have more than 64 bits, the quotient is no larger than what is multiplied.
    let share = UInt64(most - least).multipliedFullWidth(by: allotted - passed)
    return least + Int(allotted.dividingFullWidth(share).quotient)
  }
}
