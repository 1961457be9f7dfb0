import Dispatch
import Synchronization
import WebSupport

/// Performs slow work on a thread of its own, so that answers, states and joins never wait for it.
///
/// Callers take turns: one piece of work of each caller is done at a time, and a bounded number of pieces waits. So no caller delays the others for
/// long, and the total is bounded, too.
final class HeavyQueue: Sendable {
  private struct State {
    /// The waiting pieces of work, by callers.
    var waiting: [String: [@Sendable () -> Void]] = [:]
    /// The number of pieces of each caller that wait or are being done.
    var counts: [String: Int] = [:]
    /// The callers that wait for their turn, in order.
    var turns: [String] = []
    /// The number of pieces of all callers that wait or are being done.
    var count = 0
    var isBusy = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "heavy")
  private let most: Int
  private let mostOfCaller: Int

  /// - Parameters:
  ///   - most: The maximum number of pieces of work that wait or are being done.
  ///   - mostOfCaller: The same for one caller.
  init(most: Int = 64, mostOfCaller: Int = 8) { (self.most, self.mostOfCaller) = (most, mostOfCaller) }

  /// The number of pieces of work that wait or are being done.
  var count: Int { state.withLock { $0.count } }

  /// Performs a piece of work.
  ///
  /// - Parameter caller: The caller that it is counted for.
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
