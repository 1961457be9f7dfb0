import Synchronization
import Testing

@testable import PublisherServer

/// Tasks that take turns: each does its work alone.
@Suite struct TurnsTests {
  /// How many tasks are inside at once.
  private final class Count: Sendable {
    let state = Mutex((inside: 0, most: 0, done: 0))

    func enter() { state.withLock { $0 = ($0.inside + 1, max($0.most, $0.inside + 1), $0.done) } }

    func leave() { state.withLock { $0 = ($0.inside - 1, $0.most, $0.done + 1) } }
  }

  @Test func alone() async {
    let (turns, count) = (Turns(), Count())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { @Sendable in
          await turns.take { @Sendable in
            count.enter()
            await Task.yield()
            count.leave()
          }
        }
      }
    }
    #expect(count.state.withLock { [$0.inside, $0.most, $0.done] } == [0, 1, 50])
  }

  private struct Refusal: Error {}

  /// One that fails lets the next one go on.
  @Test func failures() async throws {
    let turns = Turns()
    await #expect(throws: Refusal.self) { try await turns.take { () async throws(Refusal) in throw Refusal() } }
    #expect(await turns.take { 5 } == 5)
  }
}
