import Dispatch
import Synchronization

/// Does what takes long, one after the other: keys of passwords, which take a tenth of a second and 32 MiB by intention, and large quizzes.
final class SlowQueue: Sendable {
  private let queue = DispatchQueue(label: "slow")
  private let waiting = Atomic<Int>(0)
  private static let most = 32

  /// Does something; `nil` where too many wait already.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.most else {
      waiting.subtract(1, ordering: .relaxed)
      return nil
    }
    return await withCheckedContinuation { continuation in
      queue.async { [self] in
        let value = body()
        waiting.subtract(1, ordering: .relaxed)
        continuation.resume(returning: value)
      }
    }
  }
}
