import Dispatch
import Synchronization
import WebSupport

/// Does work that takes long on a thread of its own, so that answers, states and joins never wait for it.
///
/// Callers take turns: each has one piece of work done at a time, and a bounded number waiting. So nobody keeps the others waiting for long, and what
/// waits is bounded, too.
final class HeavyQueue: Sendable {
  private struct State {
    /// What waits, by callers.
    var waiting: [String: [@Sendable () -> Void]] = [:]
    /// How much of each caller waits or is being done.
    var counts: [String: Int] = [:]
    /// The callers that wait for their turn, in order.
    var turns: [String] = []
    /// How much waits or is being done, of all callers.
    var count = 0
    var isBusy = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "heavy")
  private let most: Int
  private let mostOfCaller: Int

  /// - Parameters:
  ///   - most: The maximum number of pieces of work that wait or are being done.
  ///   - mostOfCaller: The same of one caller.
  init(most: Int = 64, mostOfCaller: Int = 8) { (self.most, self.mostOfCaller) = (most, mostOfCaller) }

  /// How much waits or is being done.
  var count: Int { state.withLock { $0.count } }

  /// Does something.
  ///
  /// - Parameter caller: Whose work it is.
  /// - Throws: `Problem` if too much waits already, or what `body` throws.
  func run<Value: Sendable>(for caller: String, _ body: @escaping @Sendable () throws(Problem) -> Value) async throws(Problem) -> Value {
    let result: Result<Value, Problem> = await withCheckedContinuation { continuation in
      let refusal = add(caller) { continuation.resume(returning: Result(catching: body)) }
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    return try result.get()
  }

  private func add(_ caller: String, _ work: @escaping @Sendable () -> Void) -> Problem? {
    let refusal: Problem? = state.withLock { state in
      guard state.count < most else { return .overloaded }
      let count = state.counts[caller, default: 0]
      guard count < mostOfCaller else { return .rateLimited(1) }
      state.waiting[caller, default: []].append(work)
      state.counts[caller] = count + 1
      state.count += 1
      if count == 0 { state.turns.append(caller) }
      return nil
    }
    if refusal == nil { begin() }
    return refusal
  }

  /// Begins the next piece of work, unless one is being done.
  private func begin() {
    let next: (caller: String, work: @Sendable () -> Void)? = state.withLock { state in
      guard !state.isBusy, !state.turns.isEmpty else { return nil }
      let caller = state.turns.removeFirst()
      guard let work = state.waiting[caller]?.removeFirst() else { return nil }
      state.isBusy = true
      return (caller, work)
    }
    guard let next else { return }
    queue.async { [self] in
      next.work()
      end(next.caller)
      begin()
    }
  }

  private func end(_ caller: String) {
    state.withLock { state in
      state.isBusy = false
      state.count -= 1
      let left = (state.counts[caller] ?? 1) - 1
      state.counts[caller] = left > 0 ? left : nil
      if left > 0 { state.turns.append(caller) } else { state.waiting[caller] = nil }
    }
  }
}
