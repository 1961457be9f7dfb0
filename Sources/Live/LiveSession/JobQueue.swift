import Dispatch
import Synchronization

/// Jobs that one thread takes from others, in order.
package final class JobQueue<Job: Sendable>: Sendable {
  private struct State {
    var jobs: [(job: Job, cost: Int)] = []
    var cost = 0
    var isWoken = false
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Signalled for the first job, for a wake-up, and at the end. If the thread finds a signal whose jobs it has taken already, it waits again.
  private let wakeUp = DispatchSemaphore(value: 0)
  private let costOf: @Sendable (Job) -> Int

  /// An empty queue.
  ///
  /// - Parameter cost: What a waiting job costs, for example its number of bytes.
  package init(cost: @escaping @Sendable (Job) -> Int = { _ in 1 }) { costOf = cost }

  /// The number of waiting jobs.
  package var count: Int { state.withLock { $0.jobs.count } }

  /// The cost of all waiting jobs.
  var cost: Int { state.withLock { $0.cost } }

  /// Adds a job.
  package func add(_ job: sending Job) {
    let cost = costOf(job)
    let isFirst = state.withLock { state in
      state.jobs.append((job, cost))
      state.cost += cost
      return state.jobs.count == 1
    }
    if isFirst { wakeUp.signal() }
  }

  /// Lets the thread end once it has done all jobs.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }

  /// Wakes the thread, which takes the waiting jobs, or none. Calls before it wakes count as one.
  package func wake() {
    let wasWoken = state.withLock { exchange(&$0.isWoken, with: true) }
    if !wasWoken { wakeUp.signal() }
  }

  /// All waiting jobs, or none if there is none for some time; `nil` at once when the queue is closed and empty.
  package func take(seconds: Double) -> [Job]? { take(until: .now() + seconds) }

  /// All waiting jobs, or none if there is none until an instant or a wake-up; `nil` at once when the queue is closed and empty.
  ///
  /// - Parameter instant: `nil` for no such instant.
  package func take(until instant: ContinuousClock.Instant? = nil) -> [Job]? { take(until: .at(instant)) }

  /// The first waiting job. The other ones go on waiting. `nil` if there is none until an instant, and when the queue is closed and empty.
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
          for (_, cost) in taken { state.cost -= cost }
          return taken.map(\.job)
        }
        return state.isClosed ? .some(nil) : nil
      }
      if let taken { return taken }
      guard wakeUp.wait(timeout: deadline) == .success else { return [] }
    }
  }
}
