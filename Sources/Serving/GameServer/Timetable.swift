import LiveSession
import Synchronization

/// The games that a thread has to look at, and when. A caller that changes a game says so, so that no thread polls for changes.
final class Timetable: Sendable {
  private struct State {
    /// Games in which something has happened.
    var told: Set<String> = []
    var areAllTold = true
    /// When games have something to do without a change.
    var instants: [String: ContinuousClock.Instant] = [:]
  }

  private let state = Mutex(State())
  private let wakeUp = WakeUp()

  /// Records that something has happened in a game.
  func tell(_ game: String) {
    state.withLock { _ = $0.told.insert(game) }
    wakeUp.signal()
  }

  /// Records that something has happened that may concern every game.
  func tellAll() {
    state.withLock { $0.areAllTold = true }
    wakeUp.signal()
  }

  /// Returns the games to look at, and removes them; `nil` for all.
  func take(at now: ContinuousClock.Instant) -> Set<String>? {
    state.withLock { state in
      let due = state.instants.filter { $0.value <= now }.map(\.key)
      for game in due { state.instants[game] = nil }
      defer { (state.told, state.areAllTold) = ([], false) }
      return state.areAllTold ? nil : state.told.union(due)
    }
  }

  /// Records when a game has something to do without a change; `nil` if it has not.
  func note(_ game: String, at instant: ContinuousClock.Instant?) { state.withLock { $0.instants[game] = instant } }

  /// Waits until there is something to look at, or until a moment.
  func wait(until latest: ContinuousClock.Instant) {
    let next = state.withLock { state in
      state.areAllTold || !state.told.isEmpty ? .now : state.instants.values.min().map { min($0, latest) } ?? latest
    }
    wakeUp.wait(until: next)
  }
}
