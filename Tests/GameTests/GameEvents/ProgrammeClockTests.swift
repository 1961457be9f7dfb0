import Basics
import GameEvents
import Testing

@Suite struct ProgrammeClockTests {
  /// A copy of an event at a number of seconds, with an age in seconds.
  private static func copy(at seconds: Int?, age: Int = 0, isVerified: Bool = true) -> EventCopy {
    EventCopy(of: Sample.start(at: seconds), age: .seconds(age), isVerified: isVerified)
  }

  @Test func anyCopyTellsTheZero() {
    var clock = ProgrammeClock()
    #expect(clock.origin == nil)
    #expect(clock.accept(Self.copy(at: 65, age: 4), presentationTime: .seconds(79)) == true)
    #expect(clock.origin == .seconds(10))
  }

  @Test func aCopyCountsMoreThanThePictures() {
    var clock = ProgrammeClock()
    clock.startsAt(.seconds(12))
    clock.startsAt(.seconds(13))
    #expect(clock.origin == .seconds(12))
    clock.accept(Self.copy(at: 5), presentationTime: .seconds(15))
    #expect(clock.origin == .seconds(10))
    clock.startsAt(.seconds(14))
    #expect(clock.origin == .seconds(10))
  }

  @Test func aProgrammeMayHaveBegun() {
    var clock = ProgrammeClock(startingAt: .seconds(60))
    clock.skip(.seconds(4))
    clock.startsAt(.seconds(100))
    clock.skip(.seconds(4))
    #expect(clock.origin == .seconds(36))
    clock.accept(Self.copy(at: 5), presentationTime: .seconds(15))
    #expect(clock.origin == .seconds(10))
  }

  @Test func whatIsNotProvedIsNoClock() {
    var clock = ProgrammeClock()
    #expect(clock.accept(Self.copy(at: 5, isVerified: false), presentationTime: .seconds(15)) == true)
    #expect(clock.accept(Self.copy(at: nil), presentationTime: .seconds(15)) == true)
    #expect(clock.origin == nil)
  }

  @Test func aWrongFirstCopyIsOutvoted() {
    var clock = ProgrammeClock()
    #expect(clock.accept(Self.copy(at: 5), presentationTime: .seconds(99)) == true)
    #expect(clock.accept(Self.copy(at: 5), presentationTime: .seconds(15)) == false)
    #expect(clock.origin == .seconds(94))
    #expect(clock.accept(Self.copy(at: 6), presentationTime: .seconds(16)) == true)
    #expect(clock.origin == .seconds(10))
    #expect(clock.accept(Self.copy(at: 5), presentationTime: .seconds(99)) == false)
  }

  @Test func dissentersNeverMoveAFirmClock() {
    var clock = ProgrammeClock()
    for seconds in 1...2 { clock.accept(Self.copy(at: seconds), presentationTime: .seconds(10 + seconds)) }
    for _ in 0..<5 { #expect(clock.accept(Self.copy(at: 3), presentationTime: .seconds(50)) == false) }
    #expect(clock.origin == .seconds(10))
    #expect(clock.accept(Self.copy(at: 4), presentationTime: .seconds(14)) == true)
  }

  @Test func twoDissentersHaveToAgree() {
    var clock = ProgrammeClock()
    for zero in [10, 20, 30, 40] { clock.accept(Self.copy(at: 0), presentationTime: .seconds(zero)) }
    #expect(clock.origin == .seconds(10))
    #expect(clock.accept(Self.copy(at: 1), presentationTime: .seconds(41)) == true)
    #expect(clock.origin == .seconds(40))
  }

  @Test func aFrameIsTolerated() {
    var clock = ProgrammeClock()
    clock.accept(Self.copy(at: 0), presentationTime: .seconds(10))
    let (within, beyond) = (ProgrammeClock.tolerance, ProgrammeClock.tolerance + MediaTime(ticks: 1))
    #expect(clock.accept(Self.copy(at: 0), presentationTime: .seconds(10) + within) == true)
    #expect(clock.accept(Self.copy(at: 0), presentationTime: .seconds(10) - within) == true)
    #expect(clock.accept(Self.copy(at: 0), presentationTime: .seconds(10) + beyond) == false)
    #expect(clock.accept(Self.copy(at: 0), presentationTime: .seconds(10) - beyond) == false)
    // Every copy is measured against the first, so that tolerated differences do not add up.
    #expect(clock.origin == .seconds(10))
  }

  @Test func aFirstCopyFarFromTheVideoWaitsForAnother() {
    var clock = ProgrammeClock()
    #expect(clock.isSettled)
    clock.startsAt(.seconds(10))
    clock.accept(Self.copy(at: 5_000), presentationTime: .seconds(12))
    #expect(!clock.isSettled)
    // In a stream that was cut, the next one confirms it.
    var confirmed = clock
    #expect(confirmed.accept(Self.copy(at: 5_001), presentationTime: .seconds(13)) == true)
    #expect(confirmed.isSettled)
    #expect(confirmed.origin == .seconds(-4_988))
    // Otherwise the first was of another programme.
    #expect(clock.accept(Self.copy(at: 3), presentationTime: .seconds(13)) == true)
    #expect(clock.isSettled)
    #expect(clock.origin == .seconds(10))
    #expect(clock.accept(Self.copy(at: 5_002), presentationTime: .seconds(14)) == false)
    #expect(clock.origin == .seconds(10))
  }

  @Test func aFirstCopyNearTheVideoIsBelieved() {
    var clock = ProgrammeClock()
    clock.startsAt(.seconds(10))
    clock.accept(Self.copy(at: 5), presentationTime: .seconds(25))
    #expect(clock.isSettled)
    #expect(clock.origin == .seconds(20))
  }

  @Test func theProgrammeGoesOnAcrossAJumpOfTheClock() {
    var clock = ProgrammeClock()
    clock.startsAt(.seconds(9))
    for seconds in 1...3 { clock.accept(Self.copy(at: seconds), presentationTime: .seconds(10 + seconds)) }
    clock.shift(by: .seconds(990))
    #expect(clock.origin == .seconds(1_000))
    #expect(clock.accept(Self.copy(at: 4), presentationTime: .seconds(1_004)) == true)
    #expect(clock.origin == .seconds(1_000))
  }

  @Test func afterAJumpTwoCopiesMayTellAnotherZero() {
    var clock = ProgrammeClock()
    for seconds in 1...3 { clock.accept(Self.copy(at: seconds), presentationTime: .seconds(10 + seconds)) }
    clock.shift(by: .seconds(990))
    #expect(clock.isSettled)
    #expect(clock.accept(Self.copy(at: 4), presentationTime: .seconds(1_504)) == false)
    // The first one waits for the second.
    #expect(!clock.isSettled)
    var other = clock
    #expect(clock.accept(Self.copy(at: 5), presentationTime: .seconds(1_505)) == true)
    #expect(clock.origin == .seconds(1_500) && clock.isSettled)
    // Or it was damaged.
    #expect(other.accept(Self.copy(at: 4), presentationTime: .seconds(1_004)) == true)
    #expect(other.origin == .seconds(1_000) && other.isSettled)
  }
}
