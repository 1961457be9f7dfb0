import Synchronization

/// Counts the viewers of a stream: the addresses from which players have loaded a playlist lately. Viewers behind one address count as one for each kind of
/// player, and those that a cache answers do not count.
package final class ViewerCount: Sendable {
  private struct State {
    /// When each player came last, by a hash of its address and the name of its program.
    var seen: [Int: ContinuousClock.Instant] = [:]
    var nextCleaning = ContinuousClock.now

    /// Forgets players that have left.
    mutating func clean(at now: ContinuousClock.Instant) {
      seen = seen.filter { now - $0.value < ViewerCount.patience }
      nextCleaning = now + .seconds(1)
    }
  }

  private let state = Mutex(State())

  /// How long a player counts after it has loaded a playlist.
  static let patience = Duration.seconds(30)
  /// The maximum number of players that are remembered.
  static let most = 200_000

  package init() {}

  /// Records that a player loads a playlist.
  ///
  /// - Parameters:
  ///   - address: The address of the player.
  ///   - program: The name of its program, as it says it.
  func note(_ address: String, _ program: String, at now: ContinuousClock.Instant = .now) {
    var hasher = Hasher()
    hasher.combine(address)
    hasher.combine(program)
    let key = hasher.finalize()
    state.withLock { state in
      if state.nextCleaning <= now { state.clean(at: now) }
      if state.seen.count < Self.most || state.seen[key] != nil { state.seen[key] = now }
    }
  }

  /// The number of viewers.
  package func count(at now: ContinuousClock.Instant = .now) -> Int {
    state.withLock { state in
      state.clean(at: now)
      return state.seen.count
    }
  }
}
