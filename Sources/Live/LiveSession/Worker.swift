import Dispatch
import Foundation

/// A thread of its own for work that may block: files, sockets, the disk. The threads that run Swift's tasks must not block.
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
    // Parsers of containers and TLS libraries need more than the default of half a MiB.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Waits until the thread has ended; returns whether it did within a time.
  @discardableResult
  package func join(seconds: Double) -> Bool {
    guard hasEnded.wait(timeout: .now() + seconds) == .success else { return false }
    // The next caller that waits sees the end, too.
    hasEnded.signal()
    return true
  }

  /// Waits until the thread has ended; returns whether it did before an instant.
  @discardableResult
  func join(until instant: ContinuousClock.Instant) -> Bool { join(seconds: max(instant - .now, .zero).inSeconds) }

  /// Does something that blocks, on a thread of its own, for a task, which must not block.
  package static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      _ = Worker("task") {
        let result: Result<Value, Failure>
        do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}

extension DispatchTime {
  /// An instant on the clock that threads wait with; never for `nil`.
  static func at(_ instant: ContinuousClock.Instant?) -> DispatchTime {
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
