package import Dispatch

extension DispatchQueue {
  /// Performs an action that may block a thread on the queue, and returns its result.
  package func run<Value: Sendable, Failure: Error>(_ body: @escaping @Sendable () throws(Failure) -> Value) async throws(Failure) -> Value
  {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      self.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
