import Dispatch
import GameStore
import LiveSession
import Synchronization
import WebSupport

/// Writes to the store: one thread, which puts everything that came while it was writing into the next transaction. So many requests share one wait
/// for the disk. Where a transaction costs more than a wait, the next one begins only after an interval.
final class StoreWriter: Sendable {
  private struct Job: Sendable {
    var changes: [StoreChange]
    /// Whether the changes still make sense, asked right before they are made.
    var isValid: @Sendable () -> Bool = { true }
    /// Called when the changes are in the store, or why they are not.
    var done: @Sendable (StoreError?) -> Void
  }

  /// What was written since the start.
  struct Figures: Sendable {
    var transactions = 0
    var changes = 0
    /// How long the transactions took together.
    var seconds = 0.0
    /// How many took no longer than each of ``limits``, and more than the one before.
    var counts = [Int](repeating: 0, count: limits.count)

    /// Seconds.
    static let limits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    mutating func add(changes: Int, seconds: Double) {
      transactions += 1
      self.changes += changes
      self.seconds += seconds
      if let place = Self.limits.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
    }
  }

  /// Tells what is to be stored, if anything is.
  typealias Source = @Sendable () -> (changes: [StoreChange], done: @Sendable (StoreError?) -> Void)?

  let store: any GameStore
  /// The least time from the beginning of one transaction to the next.
  private let interval: Duration
  private let stop = StopFlag()
  private let jobs = JobQueue<Job>()
  private let sources: Mutex<[ObjectIdentifier: Source]> = Mutex([:])
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let failure: Mutex<StoreError?> = Mutex(nil)
  private let say: @Sendable (String) -> Void
  private let figures = Mutex(Figures())
  /// Reads wait for the disk on threads of their own.
  private let readers = DispatchQueue(label: "store", attributes: .concurrent)

  /// - Parameters:
  ///   - interval: The least time from the beginning of one transaction to the next.
  ///   - say: Receives messages for the operator: that nothing can be stored, why, and that it can be again.
  init(_ store: any GameStore, interval: Duration = .zero, say: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.store, self.interval, self.say) = (store, interval, say)
  }

  /// Why the last transaction failed; `nil` if it did not.
  var lastFailure: StoreError? { failure.withLock { $0 } }

  /// What was written since the start.
  var written: Figures { figures.withLock { $0 } }

  /// How many wait for their turn.
  var waitingCount: Int { jobs.count }

  /// Begins to write.
  func start() {
    worker.withLock { worker in
      if worker == nil { worker = Worker("store") { [self] in run() } }
    }
  }

  /// Writes what is left, and ends.
  func close() {
    stop.set()
    jobs.close()
    worker.withLock { $0 }?.join(seconds: 5)
  }

  /// Adds somebody who is asked for changes before each transaction.
  func addSource(of owner: AnyObject, _ source: @escaping Source) { sources.withLock { $0[ObjectIdentifier(owner)] = source } }

  /// Stops asking somebody.
  func removeSource(of owner: AnyObject) { sources.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(owner)) } }

  /// How many are asked.
  var sourceCount: Int { sources.withLock { $0.count } }

  /// Tells the thread that a source has something.
  func wake() { jobs.add(Job(changes: [], done: { _ in })) }

  /// Makes changes in the order of the calls.
  ///
  /// - Parameter isValid: Whether they still make sense, asked right before they are made.
  func submit(
    _ changes: [StoreChange], isValid: @escaping @Sendable () -> Bool = { true }, _ done: @escaping @Sendable (StoreError?) -> Void
  ) {
    jobs.add(Job(changes: changes, isValid: isValid, done: done))
  }

  /// Makes changes, and waits until they are made.
  func write(_ changes: [StoreChange]) async throws(StoreError) {
    let failure: StoreError? = await withCheckedContinuation { continuation in submit(changes) { continuation.resume(returning: $0) } }
    if let failure { throw failure }
  }

  /// Asks the store something.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any GameStore) throws(StoreError) -> Value) async throws(StoreError) -> Value {
    try await readers.run { [store] () throws(StoreError) in try body(store) }
  }

  private static let unfounded = StoreError.unavailable("what it builds on was not stored")

  private func run() {
    while var jobs = jobs.take(seconds: 1) {
      for source in sources.withLock({ Array($0.values) }) {
        if let (changes, done) = source() { jobs.append(Job(changes: changes, done: done)) }
      }
      var changing: [Job] = []
      for job in jobs where !job.changes.isEmpty {
        if job.isValid() { changing.append(job) } else { job.done(Self.unfounded) }
      }
      let start = ContinuousClock.now
      if !changing.isEmpty {
        write(changing)
      } else if lastFailure != nil {
        // A server that is not ready gets nothing to write: it finds out by itself whether it is again.
        do throws(StoreError) {
          try store.check()
          note(nil)
        } catch {
          note(error)
        }
      }
      for job in jobs where job.changes.isEmpty { job.done(job.isValid() ? nil : Self.unfounded) }
      if !changing.isEmpty { stop.wait(until: start + interval) }
    }
  }

  /// Records why nothing can be stored, or that it can, and tells the operator once.
  private func note(_ error: StoreError?) {
    guard failure.withLock({ exchange(&$0, with: error) != error }) else { return }
    say(error.map { "nothing can be stored: \($0)" } ?? "the store can be written to again")
  }

  private func write(_ jobs: [Job]) {
    do throws(StoreError) {
      let (start, changes) = (ContinuousClock.now, jobs.flatMap(\.changes))
      try store.apply(changes)
      let seconds = (ContinuousClock.now - start).inSeconds
      figures.withLock { $0.add(changes: changes.count, seconds: seconds) }
      note(nil)
      for job in jobs { job.done(nil) }
    } catch {
      // One that breaks a rule of the tables must not take the others with it.
      guard jobs.count > 1, error.isRefusal else {
        // What breaks a rule of the tables says nothing of the store.
        if !error.isRefusal { note(error) }
        for job in jobs { job.done(error) }
        return
      }
      for job in jobs {
        if job.isValid() { write([job]) } else { job.done(Self.unfounded) }
      }
    }
  }
}
