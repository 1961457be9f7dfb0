import Dispatch
import Foundation
import Synchronization

/// A thread of its own for what may block: files, sockets, the disk. The threads that run Swift's tasks must not block.
package final class Worker: Sendable {
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Starts a thread.
  package init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let hasEnded = hasEnded
    let thread = Thread {
      body()
      hasEnded.signal()
    }
    thread.name = name
    // Parsers of containers and TLS libraries want more than the half MiB that threads have.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Waits until the thread has ended; returns whether it did within a time.
  @discardableResult
  package func join(seconds: Double) -> Bool {
    guard hasEnded.wait(timeout: .now() + seconds) == .success else { return false }
    // Whoever waits next finds it ended, too.
    hasEnded.signal()
    return true
  }
}

/// Jobs that one thread takes from others, in order.
package final class JobQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs: [Job] = []
    var isWoken = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Signalled when the first job arrives, when somebody wakes the thread, and at the end. The thread may find a signal whose jobs it has taken already:
  /// then it waits again.
  private let wakeUp = DispatchSemaphore(value: 0)

  /// No jobs.
  package init() {}

  /// Adds a job.
  package func add(_ job: sending Job) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      return state.jobs.count == 1
    }
    if isFirst { wakeUp.signal() }
  }

  /// How many jobs wait.
  package var count: Int { state.withLock { $0.jobs.count } }

  /// Lets the thread end once it has done what was added.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }

  /// Lets the thread look at something else: it takes the jobs that wait, or none. Calls that come before it looks count as one.
  package func wake() {
    let isFirst = state.withLock { state in
      defer { state.isWoken = true }
      return !state.isWoken
    }
    if isFirst { wakeUp.signal() }
  }

  /// All jobs that wait, or none once a time has passed without any; `nil` at once when the queue is closed and there will be no more.
  package func take(seconds: Double) -> [Job]? { take(until: .now() + seconds) }

  /// All jobs that wait, or none at a moment, or when somebody wakes the thread; `nil` at once when the queue is closed and there will be no more.
  ///
  /// - Parameter instant: `nil` for no such moment.
  package func take(until instant: ContinuousClock.Instant? = nil) -> [Job]? { take(until: .at(instant)) }

  /// The first job that waits; the ones behind it go on waiting. `nil` when there is none until a moment, and when the queue is closed.
  package func takeFirst(until instant: ContinuousClock.Instant) -> Job? {
    while let taken = take(until: .at(instant), atMost: 1) {
      if let first = taken.first { return first }
      if ContinuousClock.now >= instant { return nil }
    }
    return nil
  }

  private func take(until deadline: DispatchTime, atMost count: Int = .max) -> [Job]? {
    while true {
      let taken: [Job]?? = state.withLock { state in
        guard state.jobs.isEmpty, !state.isWoken else {
          state.isWoken = false
          let taken = state.jobs.prefix(count)
          state.jobs.removeFirst(taken.count)
          return Array(taken)
        }
        return state.isClosed ? .some(nil) : nil
      }
      if let taken { return taken }
      guard wakeUp.wait(timeout: deadline) == .success else { return [] }
    }
  }
}

/// A mark that something is to end, which many threads look at and wait for.
package final class StopFlag: Sendable {
  private struct Observers {
    var bodies: [@Sendable () -> Void] = []
  }

  private let flag = Atomic<Bool>(false)
  /// Has one member until the end is asked for.
  private let untilEnd = DispatchGroup()
  private let observers = Mutex(Observers())

  /// No end was asked for.
  package init() { untilEnd.enter() }

  // A group must have no member when it goes.
  deinit { if !isSet { untilEnd.leave() } }

  /// Whether the end was asked for.
  package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Asks for the end.
  package func set() {
    guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
    untilEnd.leave()
    let bodies = observers.withLock { observers in
      defer { observers.bodies = [] }
      return observers.bodies
    }
    for body in bodies { body() }
  }

  /// Calls `body` when the end is asked for, once or twice: at once if it was. It lets those go on who wait for something else as well.
  package func whenSet(_ body: @escaping @Sendable () -> Void) {
    observers.withLock { $0.bodies.append(body) }
    if isSet { body() }
  }

  /// Waits until a moment, or until the end is asked for.
  package func wait(until instant: ContinuousClock.Instant) {
    let left = instant - ContinuousClock.now
    if left > .zero { _ = untilEnd.wait(timeout: .now() + left.inSeconds) }
  }
}

/// Wakes one thread that waits for others, or for a moment.
package final class WakeUp: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isSignalled = Atomic<Bool>(false)

  /// Nobody has signalled.
  package init() {}

  /// Wakes the thread, or lets it not wait the next time. Signals that come before it looks count as one.
  package func signal() {
    if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
  }

  /// Waits until somebody signals, or until a moment. What was changed before the signal is seen afterwards.
  ///
  /// - Parameter instant: `nil` for no such moment.
  package func wait(until instant: ContinuousClock.Instant? = nil) {
    _ = semaphore.wait(timeout: .at(instant))
    _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
  }
}

extension DispatchTime {
  /// A moment on the clock that threads wait with; never for `nil`.
  fileprivate static func at(_ instant: ContinuousClock.Instant?) -> DispatchTime {
    instant.map { .now() + max($0 - ContinuousClock.now, .zero).inSeconds } ?? .distantFuture
  }
}

extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

/// The time of day.
package enum WallClock {
  /// Milliseconds since 1970.
  package static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
