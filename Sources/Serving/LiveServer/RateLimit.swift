import LiveSession
import Synchronization

/// Lets 500 requests a second through, and up to 1,000 at once after a pause.
final class RateLimit: Sendable {
  private struct State {
    var left = RateLimit.most
    var last = ContinuousClock.now
  }

  private let state = Mutex(State())
  private static let most = 1_000.0
  private static let perSecond = 500.0

  /// Whether another request may come.
  func take() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      state.left = min(state.left + (now - state.last).inSeconds * Self.perSecond, Self.most)
      state.last = now
      guard state.left >= 1 else { return false }
      state.left -= 1
      return true
    }
  }
}
