import Basics

/// A right answer is worth the more the sooner it comes: the most when the question opens, decreasing evenly over the allotted time.
///
/// Time is the programme's at the player's own position. Points are whole: what is left of the time makes its share, rounded down.
public struct SpeedRule: Equatable, Sendable {
  /// What a right answer is worth when the question opens.
  public var most: Int
  /// What it is worth when the allotted time is up.
  public var least: Int

  /// The largest number of points, so that sums stay far from overflow.
  public static let largestPoints = 1_000_000_000

  /// From `most` points down to `least`; both are held between 0 and ``largestPoints``, `least` up to `most`.
  public init(most: Int, least: Int = 0) {
    self.most = min(max(most, 0), Self.largestPoints)
    self.least = min(max(least, 0), self.most)
  }

  func award(isRight: Bool, time: MediaTime, opensAt: MediaTime, allottedTime: MediaTime) -> Int {
    guard isRight else { return 0 }
    let allotted = UInt64(max(allottedTime.ticks, 0))
    let passed = UInt64(max((time - opensAt).ticks, 0))
    guard allotted > 0 else { return most }
    guard passed < allotted else { return least }
    // The product may have more than 64 bits, the quotient is no larger than what is multiplied.
    let share = UInt64(most - least).multipliedFullWidth(by: allotted - passed)
    return least + Int(allotted.dividingFullWidth(share).quotient)
  }
}
