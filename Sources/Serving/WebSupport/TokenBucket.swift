import LiveSession

/// An allowance that grows evenly up to a limit, and of which each call takes one.
package struct TokenBucket: Sendable {
  private var left: Double
  /// When the allowance was last used.
  package private(set) var last: ContinuousClock.Instant

  /// A full allowance.
  package init(burst: Double, at now: ContinuousClock.Instant) { (left, last) = (burst, now) }

  /// Takes one; if none is left, returns the seconds until there is one.
  package mutating func take(perSecond: Double, burst: Double, at now: ContinuousClock.Instant) -> Double? {
    left = min(left + (now - last).inSeconds * perSecond, burst)
    last = now
    guard left >= 1 else { return (1 - left) / perSecond }
    left -= 1
    return nil
  }
}
