import LiveSession
import Synchronization

/// Which games a thread has to look at, and when. Whoever changes a game says so; nobody looks again and again whether something has changed.
final class Timetable: Sendable {
  private struct State {
    /// Games that something has happened to.
    var told: Set<String> = []
    var areAllTold = true
    /// When games go on by themselves.
    var instants: [String: ContinuousClock.Instant] = [:]
  }

  private let state = Mutex(State())
  private let wakeUp = WakeUp()

  /// Says that something has happened to a game.
  func tell(_ game: String) {
    state.withLock { _ = $0.told.insert(game) }
    wakeUp.signal()
  }

  /// Says that something has happened that may concern every game.
  func tellAll() {
    state.withLock { $0.areAllTold = true }
    wakeUp.signal()
  }

  /// The games to look at; `nil` for all. They are crossed out.
  func take(at now: ContinuousClock.Instant) -> Set<String>? {
    state.withLock { state in
      let due = state.instants.filter { $0.value <= now }.map(\.key)
      for game in due { state.instants[game] = nil }
      defer { (state.told, state.areAllTold) = ([], false) }
      return state.areAllTold ? nil : state.told.union(due)
    }
  }

  /// Notes when a game goes on by itself; with `nil` it does not.
  func note(_ game: String, at instant: ContinuousClock.Instant?) { state.withLock { $0.instants[game] = instant } }

  /// Waits until there is something to look at, or until a moment.
  func wait(until latest: ContinuousClock.Instant) {
    let next = state.withLock { state in
      state.areAllTold || !state.told.isEmpty ? .now : state.instants.values.min().map { min($0, latest) } ?? latest
    }
    wakeUp.wait(until: next)
  }
}
