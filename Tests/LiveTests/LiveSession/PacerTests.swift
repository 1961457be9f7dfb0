import Basics
import Testing

@testable import LiveSession

/// When the access units of a file are due.
@Suite struct PacerTests {
  private let start = ContinuousClock.now

  /// When each of some timestamps is due, in milliseconds after the first one, where each is asked for when the one before was due.
  private func due(_ timestamps: [UInt64], pace: Double = 1) -> [Double] {
    var pacer = Pacer(pace: pace)
    var now = start
    return timestamps.map { timestamp in
      now = pacer.due(timestamp, now: now)
      return (now - start) / .milliseconds(1)
    }
  }

  @Test func accessUnitsComeAtTheirTimes() {
    #expect(due([900_000, 903_600, 907_200, 914_400]) == [0, 40, 80, 160])
  }

  @Test func aPaceShortensTheTimes() {
    #expect(due([900_000, 903_600, 907_200, 914_400], pace: 20) == [0, 2, 4, 8])
  }

  @Test func theClockBeginsAnew() {
    let last: UInt64 = 1 << 33
    #expect(due([last - 3_600, 0, 3_600]) == [0, 40, 80])
  }

  @Test("Behind a jump the next access unit comes a usual step after the one before", arguments: [0, 90_000_000] as [UInt64])
  func jump(to timestamp: UInt64) {
    #expect(due([900_000, 903_600, 907_200, timestamp, timestamp + 3_600]) == [0, 40, 80, 120, 160])
  }

  @Test func whatComesTooLateIsNotCaughtUpWith() {
    var pacer = Pacer(pace: 1)
    _ = pacer.due(0, now: start)
    _ = pacer.due(3_600, now: start + .seconds(5))
    #expect(pacer.due(7_200, now: start + .seconds(5)) == start + .seconds(5) + .milliseconds(40))
  }
}
