import Synchronization
package import WebSupport

/// How often clients of one address may call, each call for itself.
package final class RateLimits: Sendable {
  private let clock: @Sendable () -> ContinuousClock.Instant

  /// - Parameter clock: What says the time.
  package init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

  private let buckets: Mutex<[String: TokenBucket]> = Mutex([:])
  /// With more addresses than this, those that have said nothing for a minute are forgotten.
  private static let most = 100_000

  /// Counts a call of an address. Calls from this machine have no limit.
  ///
  /// - Parameter name: The call's name: each call has an allowance of its own.
  /// - Throws: `Problem` if the address has called too often.
  package func require(_ limit: CallLimit, _ name: String, of caller: Caller) throws(Problem) {
    if !caller.isLocal { try require(limit, "\(name) \(IPAddress.place(of: caller.address))") }
  }

  /// Counts a call.
  ///
  /// - Parameter key: What the allowance is for.
  /// - Throws: `Problem` if there is none left.
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
