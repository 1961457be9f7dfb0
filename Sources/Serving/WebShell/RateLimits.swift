import Synchronization
package import WebSupport

/// Limits how often clients of one address may make each call.
package final class RateLimits: Sendable {
  private let clock: @Sendable () -> ContinuousClock.Instant

  /// - Parameter clock: Returns the current time.
  package init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

  private let buckets: Mutex<[String: TokenBucket]> = Mutex([:])
  /// Beyond this number of addresses, those without a call for a minute are forgotten.
  private static let most = 100_000

  /// Counts a call of an address. Calls from this machine have no limit.
  ///
  /// - Parameter name: The name of the call: each call has an allowance of its own.
  /// - Throws: `Problem` if the address has made too many calls.
  package func require(_ limit: CallLimit, _ name: String, of caller: Caller) throws(Problem) {
    if !caller.isLocal { try require(limit, "\(name) \(IPAddress.place(of: caller.address))") }
  }

  /// Counts a call.
  ///
  /// - Parameter key: What the allowance is for.
  /// - Throws: `Problem` if nothing is left of it.
  package func require(_ limit: CallLimit, _ key: String) throws(Problem) {
    let now = clock()
    let wait: Double? = buckets.withLock { buckets in
      if buckets.count > Self.most { buckets = buckets.filter { now - $0.value.last < .seconds(60) } }
      if buckets.count > Self.most { buckets = [:] }
      return buckets[key, default: TokenBucket(burst: limit.burst, at: now)].take(
        perSecond: limit.perMinute / 60, burst: limit.burst, at: now)
    }
    if let wait { throw .rateLimited(max(Int(wait.rounded(.up)), 1)) }
  }
}
