import Dispatch
import GameStore
import LiveSession
import Synchronization
import WebSupport

/// Writes to the store: one thread, which puts all changes that arrived during a transaction into the next one, so that many requests share one wait
/// for the disk. If a transaction costs more than that wait, the next one begins only after an interval.
final class StoreWriter: Sendable {
  private struct Job: Sendable {
    var changes: [StoreChange]
    /// Whether the changes still apply, checked right before they are made.
    var isValid: @Sendable () -> Bool = { true }
    /// Called when the changes are in the store, or with the error.
    var done: @Sendable (StoreError?) -> Void
  }

  /// The totals since the start.
  struct Figures: Sendable {
    var transactions = 0
    var changes = 0
    /// The total duration of the transactions.
    var seconds = 0.0
    /// The number of transactions that took no longer than each of ``limits``, and longer than the limit before.
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

  /// Returns changes to store, if there are any.
  typealias Source = @Sendable () -> (changes: [StoreChange], done: @Sendable (StoreError?) -> Void)?

  let store: any GameStore
  /// The minimum time from the beginning of one transaction to the next.
  private let interval: Duration
  private let stop = StopFlag()
  private let jobs = JobQueue<Job>()
  private let sources: Mutex<[ObjectIdentifier: Source]> = Mutex([:])
  private let worker: Mutex<Worker?> = Mutex(nil)
  private let failure: Mutex<StoreError?> = Mutex(nil)
  private let say: @Sendable (String) -> Void
  private let figures = Mutex(Figures())
  /// Reading waits for the disk on threads of its own.
  private let readers = DispatchQueue(label: "store", attributes: .concurrent)

  /// - Parameters:
  ///   - interval: The minimum time from the beginning of one transaction to the next.
  ///   - say: Receives messages for the operator: that nothing can be stored, why, and that the store works again.
  init(_ store: any GameStore, interval: Duration = .zero, say: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.store, self.interval, self.say) = (store, interval, say)
  }

  /// Why the last transaction failed; `nil` if it did not.
  var lastFailure: StoreError? { failure.withLock { $0 } }

  /// The totals since the start.
  var written: Figures { figures.withLock { $0 } }

  /// The number of waiting jobs.
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

  /// Adds a source that is asked for changes before each transaction.
  func addSource(of owner: AnyObject, _ source: @escaping Source) { sources.withLock { $0[ObjectIdentifier(owner)] = source } }

  /// Removes the source of an owner.
  func removeSource(of owner: AnyObject) { sources.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(owner)) } }

  /// The number of sources.
  var sourceCount: Int { sources.withLock { $0.count } }

  /// Tells the thread that a source has changes.
  func wake() { jobs.add(Job(changes: [], done: { _ in })) }

  /// Makes changes in the order of the calls.
  ///
  /// - Parameter isValid: Whether they still apply, checked right before they are made.
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

  /// Reads from the store.
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
        // A server that is not ready gets nothing to write, so it has to find out by itself when the store works again.
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

  /// Records why nothing can be stored, or that the store works again, and tells the operator once.
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
      // A change that breaks a rule of the tables must not make the others fail.
      guard jobs.count > 1, error.isRefusal else {
        // A change that breaks a rule of the tables says nothing about the state of the store.
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
