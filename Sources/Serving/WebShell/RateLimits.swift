import Synchronization
import WebSupport

/// How often clients of one address may call, each call for itself.
package final class RateLimits: Sendable {
  package init() {}

  private let buckets: Mutex<[String: TokenBucket]> = Mutex([:])
  /// With more addresses than this, those that have said nothing for a minute are forgotten.
  private static let most = 100_000

  /// Takes a call from an allowance; returns the seconds to wait where there is none left.
  package func take(_ key: String, perMinute: Double, burst: Double) -> Int? {
    buckets.withLock { buckets in
      let now = ContinuousClock.now
      if buckets.count > Self.most { buckets = buckets.filter { now - $0.value.last < .seconds(60) } }
      if buckets.count > Self.most { buckets = [:] }
      return buckets[key, default: TokenBucket(burst: burst)].take(perSecond: perMinute / 60, burst: burst).map {
        max(Int($0.rounded(.up)), 1)
      }
    }
  }
}
