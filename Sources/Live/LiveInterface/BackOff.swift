/// Decides when something that has failed is tried again, and remembers why it failed. The time is passed in.
package struct BackOff: Equatable, Sendable {
  /// The number of failures since the last success.
  package private(set) var failures = 0
  /// Why the latest attempt failed, in words; `nil` after a success, and if no failure gave a reason.
  package private(set) var reason: String?
  /// When the next attempt is due; `nil` without a failure.
  package private(set) var nextTry: ContinuousClock.Instant?
  private let first: Duration
  private let longest: Duration
  /// The maximum number of attempts in a row.
  package let attempts: Int

  /// - Parameters:
  ///   - first: The delay after the first failure. It doubles with each further one.
  ///   - longest: The longest delay; `nil` for a delay that does not grow.
  ///   - attempts: The maximum number of attempts in a row.
  package init(_ first: Duration, longest: Duration? = nil, attempts: Int = .max) {
    (self.first, self.longest, self.attempts) = (first, longest ?? first, attempts)
  }

  /// Counts a failure.
  ///
  /// - Parameter wanted: The delay that the other side asks for; `nil` if it asks for none.
  /// - Returns: The delay before the next attempt; `nil` after the last one.
  package mutating func fail(wanted: Duration? = nil) -> Duration? {
    guard failures < attempts - 1 else { return nil }
    defer { failures += 1 }
    return min(wanted ?? first * (1 << min(failures, 20)), longest)
  }

  /// Records a failure at a moment.
  ///
  /// - Parameters:
  ///   - reason: Why, in words; `nil` if a connection has just ended.
  ///   - wanted: The delay that the other side asks for; `nil` if it asks for none.
  /// - Returns: Whether the reason is another one than that of the failure before.
  @discardableResult
  package mutating func fail(_ reason: String?, wanted: Duration? = nil, at now: ContinuousClock.Instant) -> Bool {
    nextTry = fail(wanted: wanted).map { now + $0 }
    guard let reason, reason != self.reason else { return false }
    self.reason = reason
    return true
  }

  /// Records a success.
  ///
  /// - Returns: Whether the attempt before had failed.
  @discardableResult
  package mutating func succeed() -> Bool {
    defer { (failures, reason, nextTry) = (0, nil, nil) }
    return failures > 0
  }
}
