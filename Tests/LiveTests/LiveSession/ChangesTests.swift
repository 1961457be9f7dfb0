import Synchronization
import Testing

@testable import LiveSession

/// Observers of changes, and tasks that wait for one.
@Suite struct ChangesTests {
  private static var never: ContinuousClock.Instant { .now + .seconds(3_600) }

  /// All observers are notified of each later change.
  @Test func observers() {
    let changes = Changes()
    let told = Mutex<[Int]>([])
    for number in 1...2 {
      changes.observe { told.withLock { $0.append(number) } }
      changes.tell()
    }
    #expect(told.withLock { $0.sorted() } == [1, 1, 2])
  }

  /// The condition is evaluated at once and after each change. An instant ends the wait, and so does the end of the task.
  @Test func waiting() async throws {
    try await TestThread.run {
      let changes = Changes()
      await changes.wait(until: Self.never) { true }
      var looks = 0
      await changes.wait(until: Self.never) {
        looks += 1
        changes.tell()
        return looks == 5
      }
      #expect(looks == 5)
      await changes.wait(until: .now) { false }
      let task = Task { await changes.wait(until: Self.never) { false } }
      task.cancel()
      await task.value
    }
  }
}
