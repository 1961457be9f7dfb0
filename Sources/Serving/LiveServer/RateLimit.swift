import Synchronization
import WebSupport

/// Lets 500 requests a second through, and up to 1,000 at once after a pause.
final class RateLimit: Sendable {
  private let bucket = Mutex(TokenBucket(burst: most))
  private static let most = 1_000.0
  private static let perSecond = 500.0

  /// Whether another request may come.
  func take() -> Bool { bucket.withLock { $0.take(perSecond: Self.perSecond, burst: Self.most) == nil } }
}
