import Synchronization
import Testing

@testable import WebShell

/// How the tasks that speak on connections end.
@Suite struct ConnectionTasksTests {
  private let tasks = ConnectionTasks()

  @Test func tasksThatEndAreWaitedForAndForgotten() async {
    let gates = (0..<3).map { _ in AsyncStream.makeStream(of: Never.self) }
    let ended = Mutex(0)
    for gate in gates {
      tasks.add {
        for await _ in gate.stream {}
        ended.withLock { $0 += 1 }
      }
    }
    #expect(tasks.count == 3)
    for gate in gates { gate.continuation.finish() }
    await tasks.end(within: .seconds(3_600))
    #expect(ended.withLock { $0 } == 3)
    #expect(tasks.count == 0)
  }

  @Test func tasksThatTakeTooLongAreCancelled() async {
    let wasCancelled = Mutex(false)
    tasks.add {
      try? await Task.sleep(for: .seconds(3_600))
      wasCancelled.withLock { $0 = Task.isCancelled }
    }
    await tasks.end(within: .zero)
    #expect(wasCancelled.withLock { $0 })
    #expect(tasks.count == 0)
  }
}
