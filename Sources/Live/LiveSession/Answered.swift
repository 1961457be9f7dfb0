import Dispatch
import LiveGame
import Synchronization

/// The answer to one change, for a thread that waits for it. A class, since two threads share it.
final class Answered<Value: Sendable>: Sendable {
  private let result: Mutex<Result<Value, LiveProblem>?> = Mutex(nil)
  private let done = DispatchSemaphore(value: 0)

  func set(_ answer: Result<Value, LiveProblem>) {
    result.withLock { $0 = answer }
    done.signal()
  }

  func wait(seconds: Double) throws(LiveProblem) -> Value {
    guard done.wait(timeout: .now() + seconds) == .success, let answer = result.withLock({ $0 }) else {
      throw .busy("the journal takes too long")
    }
    return try answer.get()
  }
}
