import LiveSession

/// An allowance that grows evenly up to a limit, and of which each call takes one.
package struct TokenBucket: Sendable {
  private var left: Double
  /// When something was taken last.
  package private(set) var last: ContinuousClock.Instant

  /// An allowance that is full.
  package init(burst: Double, at now: ContinuousClock.Instant) { (left, last) = (burst, now) }

  /// Takes one; returns the seconds until there is one, if there is none left.
  package mutating func take(perSecond: Double, burst: Double, at now: ContinuousClock.Instant) -> Double? {
    left = min(left + (now - last).inSeconds * perSecond, burst)
    last = now
    guard left >= 1 else { return (1 - left) / perSecond }
    left -= 1
    return nil
  }
}
