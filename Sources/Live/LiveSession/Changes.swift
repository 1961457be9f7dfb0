import Synchronization

/// Notifies observers that something has changed. They read what it is.
package final class Changes: Sendable {
  private struct State {
    var observers: [Int: @Sendable () -> Void] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls `body` after each change, as long as this object lives.
  ///
  /// - Parameter body: Called on the thread that makes the change, which holds no lock then. It returns at once, and tolerates calls without a change.
  package func observe(_ body: @escaping @Sendable () -> Void) { _ = add(body) }

  /// The number of those that are notified.
  package var observerCount: Int { state.withLock { $0.observers.count } }

  private func add(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextNumber += 1
      state.observers[state.nextNumber] = body
      return state.nextNumber
    }
  }

  /// Notifies all observers. The caller holds no lock.
  package func tell() {
    for body in state.withLock({ Array($0.observers.values) }) { body() }
  }

  /// Waits until a condition is true, until a moment, or until the task is cancelled. It suspends the task and blocks no thread.
  ///
  /// - Parameters:
  ///   - instant: `nil` to wait without a limit.
  ///   - condition: Evaluated now, and after each change.
  package func wait(until instant: ContinuousClock.Instant? = nil, for condition: () -> Bool) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = add { continuation.yield() }
    defer { state.withLock { _ = $0.observers.removeValue(forKey: number) } }
    // The stream has every change after this check.
    guard !condition() else { return }
    let timer = instant.map { instant in
      Task {
        // If it is cancelled, nothing waits for it.
        try? await Task.sleep(until: instant, clock: .continuous)
        continuation.finish()
      }
    }
    defer { timer?.cancel() }
    for await _ in stream where condition() { return }
  }
}
