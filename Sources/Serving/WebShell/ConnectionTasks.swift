import Synchronization

/// The tasks that serve connections.
///
/// A task group searches all of its tasks for each one that ends: with thousands of connections, that would take longer than everything else.
final class ConnectionTasks: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    /// Tasks are numbered as they begin.
    var number = 0
  }

  private let state = Mutex(State())

  /// The number of tasks that have not ended.
  var count: Int { state.withLock { $0.tasks.count } }

  /// Begins a task.
  func add(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      state.number += 1
      state.tasks[state.number] = Task { [number = state.number] in
        await body()
        self.state.withLock { $0.tasks[number] = nil }
      }
    }
  }

  /// Waits until all tasks have ended. Those that take longer than a time are cancelled.
  func end(within time: Duration) async {
    let tasks = state.withLock { Array($0.tasks.values) }
    await withTaskGroup { group in
      group.addTask { for task in tasks { await task.value } }
      group.addTask {
        try? await Task.sleep(for: time)
        if !Task.isCancelled { for task in tasks { task.cancel() } }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
