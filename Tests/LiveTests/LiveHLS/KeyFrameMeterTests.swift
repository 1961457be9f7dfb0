import Basics
import LiveHLS
import Testing

@testable import PacketStamping

@Suite struct KeyFrameMeterTests {
  /// An access unit at a time.
  private func unit(_ seconds: Double, isKey: Bool = true, _ boundary: SegmentClock.Boundary? = nil) -> LiveAccessUnit {
    let time = MediaTime(seconds: seconds)
    return LiveAccessUnit(
      time: time, presentationTime: time, decodingTime: time, frameDuration: MediaTime(ticks: 3_000), isRandomAccess: isKey,
      boundary: boundary, targetDuration: 4)
  }

  private func interval(_ units: [LiveAccessUnit]) -> Double? {
    var meter = KeyFrameMeter()
    for unit in units { meter.push(unit) }
    return meter.interval?.seconds
  }

  @Test func theLongestLately() {
    #expect(interval([]) == nil && interval([unit(0)]) == nil && interval([unit(0), unit(1, isKey: false)]) == nil)
    #expect(interval([unit(0), unit(4, isKey: false), unit(8)]) == 8)
    // Where the picture changes encoders put one more.
    #expect(interval([unit(0), unit(8), unit(9), unit(16)]) == 8)
    // An encoder that is mended is believed after four.
    #expect(interval([unit(0), unit(8), unit(10), unit(12), unit(14)]) == 8)
    #expect(interval([unit(0), unit(8), unit(10), unit(12), unit(14), unit(16)]) == 2)
  }

  /// The time that an input was away is no interval.
  @Test func discontinuities() {
    #expect(interval([unit(0), unit(2), unit(60, .discontinuity), unit(62)]) == 2)
    #expect(interval([unit(0), unit(60, isKey: false, .discontinuity), unit(62)]) == nil)
  }
}
