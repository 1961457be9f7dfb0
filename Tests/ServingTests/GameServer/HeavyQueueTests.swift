import Testing
import WebSupport

@testable import GameServer

/// Work that takes long: in turns, and never too much of it.
@Suite struct HeavyQueueTests {
  /// Somebody with much work keeps another caller waiting for one piece of it, not for all.
  @Test func turns() async throws {
    let (queue, gate, log) = (HeavyQueue(), Gate(), Log())
    gate.close()
    let first = Task { try await queue.run(for: "a") { gate.pass() } }
    try await until("the first one is being done") { gate.waiting == 1 }
    var tasks: [Task<Void, any Error>] = []
    for (number, caller) in ["a", "a", "a", "b", "c", "b"].enumerated() {
      tasks.append(Task { try await queue.run(for: caller) { log.add(caller) } })
      try await until("it waits") { queue.count == number + 2 }
    }
    gate.open()
    try await first.value
    for task in tasks { try await task.value }
    #expect(log.lines == ["b", "c", "a", "b", "a", "a"])
    try await until("nothing is left") { queue.count == 0 }
  }

  /// What is too much is refused at once: of one caller so that it comes later, and of all.
  @Test func bounds() async throws {
    let (queue, gate) = (HeavyQueue(most: 3, mostOfCaller: 2), Gate())
    gate.close()
    var tasks = [Task { try await queue.run(for: "a") { gate.pass() } }]
    try await until("the first one is being done") { gate.waiting == 1 }
    tasks.append(Task { try await queue.run(for: "a") {} })
    try await until("the second one waits") { queue.count == 2 }
    func kind(_ caller: String) async -> String? {
      do throws(Problem) {
        try await queue.run(for: caller) {}
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(await kind("a") == "rate-limited")
    tasks.append(Task { try await queue.run(for: "b") {} })
    try await until("the third one waits") { queue.count == 3 }
    #expect(await kind("c") == "overloaded")
    gate.open()
    for task in tasks { try await task.value }
    // Nothing is left of it.
    #expect(await kind("a") == nil)
    #expect(await kind("c") == nil)
  }
}
