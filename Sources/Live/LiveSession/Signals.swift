import Dispatch
import Synchronization

/// Asks many threads to end. They can poll it and wait for it.
package final class StopFlag: Sendable {
  private struct Observers {
    var bodies: [@Sendable () -> Void] = []
  }

  private let flag = Atomic<Bool>(false)
  /// Has one member until the flag is set.
  private let untilEnd = DispatchGroup()
  private let observers = Mutex(Observers())

  /// A flag that is not set.
  package init() { untilEnd.enter() }

  // A group must have no member when it is released.
  deinit { if !isSet { untilEnd.leave() } }

  package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Asks all threads to end.
  package func set() {
    guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
    untilEnd.leave()
    for body in observers.withLock({ exchange(&$0.bodies, with: []) }) { body() }
  }

  /// Calls `body` when the flag is set, once or twice: at once if it is set already. It wakes threads that wait for something else as well.
  package func whenSet(_ body: @escaping @Sendable () -> Void) {
    observers.withLock { $0.bodies.append(body) }
    if isSet { body() }
  }

  /// Waits until an instant, or until the flag is set.
  package func wait(until instant: ContinuousClock.Instant) { _ = untilEnd.wait(timeout: .at(instant)) }
}

/// Wakes one thread that waits for other threads or for an instant.
package final class WakeUp: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isSignalled = Atomic<Bool>(false)

  package init() {}

  /// Wakes the thread, or keeps it from waiting the next time. Signals before it wakes count as one.
  package func signal() {
    if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  /// Waits for a signal, or until an instant. Changes before the signal are visible afterwards.
  ///
  /// - Parameter instant: `nil` to wait for a signal alone.
  package func wait(until instant: ContinuousClock.Instant? = nil) {
    _ = semaphore.wait(timeout: .at(instant))
    _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
  }
}
