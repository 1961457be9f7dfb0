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
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Signalled when the first job arrives, and at the end. The thread may find a signal whose jobs it has taken already: then it waits again.
  private let wake = DispatchSemaphore(value: 0)

  /// No jobs.
  package init() {}

  /// Adds a job.
  package func add(_ job: sending Job) {
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      return state.jobs.count == 1
    }
    if isFirst { wake.signal() }
  }

  /// How many jobs wait.
  package var count: Int { state.withLock { $0.jobs.count } }

  /// Lets the thread end once it has done what was added.
  package func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  /// All jobs that wait, or none once a time has passed without any; `nil` at once when the queue is closed and there will be no more.
  package func take(seconds: Double) -> [Job]? {
    let deadline = DispatchTime.now() + seconds
    while true {
      let taken: [Job]?? = state.withLock { state in
        guard state.jobs.isEmpty else {
          defer { state.jobs = [] }
          return state.jobs
        }
        return state.isClosed ? .some(nil) : nil
      }
      if let taken { return taken }
      guard wake.wait(timeout: deadline) == .success else { return [] }
    }
  }
}

/// A mark that something is to end, which many threads look at and wait for.
package final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Has one member until the end is asked for.
  private let untilEnd = DispatchGroup()

  /// No end was asked for.
  package init() { untilEnd.enter() }

  // A group must have no member when it goes.
  deinit { set() }

  /// Whether the end was asked for.
  package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Asks for the end.
  package func set() { if !flag.exchange(true, ordering: .acquiringAndReleasing) { untilEnd.leave() } }

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
  package func wait(until instant: ContinuousClock.Instant) {
    let left = max(instant - ContinuousClock.now, .zero)
    _ = semaphore.wait(timeout: .now() + left.inSeconds)
    _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
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
