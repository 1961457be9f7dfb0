import LiveSession

/// A thread that runs one test's asynchronous code. Other tests may hold the threads of the pool for minutes, and a session does not wait for them.
final class TestThread: TaskExecutor {
  private let jobs: JobQueue<UnownedJob>

  private init() { jobs = JobQueue() }

  func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }

  private func serve() {
    while let next = jobs.take(seconds: 1) {
      for job in next { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Runs `body` on a thread of its own.
  static func run<Result: Sendable>(_ body: sending () async throws -> Result) async throws -> Result {
    let thread = TestThread()
    _ = Worker("test") { thread.serve() }
    defer { thread.jobs.close() }
    return try await withTaskExecutorPreference(thread) { try await body() }
  }
}
