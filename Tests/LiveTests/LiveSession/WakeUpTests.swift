import Testing

@testable import LiveSession

/// Threads that wait for others, or for a moment.
@Suite struct WakeUpTests {
  private static let never = ContinuousClock.now + .seconds(3_600)

  /// Signals before the thread looks count as one; after them it waits again.
  @Test func signals() {
    let wakeUp = WakeUp()
    for _ in 1...3 { wakeUp.signal() }
    wakeUp.wait(until: Self.never)
    let other = Worker("other") { wakeUp.signal() }
    wakeUp.wait(until: Self.never)
    wakeUp.wait(until: .now)
    #expect(other.join(seconds: 60))
    wakeUp.signal()
    wakeUp.wait()
  }

  /// All threads that wait for an end go on when it is asked for, and nobody waits afterwards.
  @Test func end() {
    let flag = StopFlag()
    let threads = (1...3).map { number in Worker("\(number)") { flag.wait(until: Self.never) } }
    flag.wait(until: .now)
    #expect(!flag.isSet)
    flag.set()
    flag.set()
    #expect(flag.isSet && threads.allSatisfy { $0.join(seconds: 60) })
    flag.wait(until: Self.never)
  }

  /// An end wakes those who wait for something else as well, also if it was asked for before.
  @Test func endForOthers() {
    let flag = StopFlag()
    let wakeUp = WakeUp()
    flag.whenSet { wakeUp.signal() }
    wakeUp.wait(until: .now)
    flag.set()
    wakeUp.wait()
    flag.whenSet { wakeUp.signal() }
    wakeUp.wait()
  }

  /// A flag that nobody sets goes all the same.
  @Test func unused() { _ = StopFlag() }
}
