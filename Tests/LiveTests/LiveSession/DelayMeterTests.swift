import Testing

@testable import LiveSession

/// The delay of a stream, in microseconds.
@Suite struct DelayMeterTests {
  private static let second: Int64 = 1_000_000

  /// A meter that has received ten access units a second, each so much late.
  private static func meter(
    seconds: ClosedRange<Int64>, into meter: DelayMeter = DelayMeter(), late: (_ now: Double) -> Double
  ) -> (meter: DelayMeter, now: Int64) {
    var meter = meter
    var now: Int64 = 0
    for tenth in seconds.lowerBound * 10..<seconds.upperBound * 10 {
      let time = tenth * second / 10
      now = time + Int64(late(Double(time) / 1e6) * 1e6)
      meter.add(mediaTime: time, arrival: now)
    }
    return (meter, now)
  }

  private static func delay(_ measured: (meter: DelayMeter, now: Int64)) -> Double? {
    measured.meter.delay(at: measured.now).map { Double($0) / 1e6 }
  }

  @Test func withoutArrivals() {
    #expect(DelayMeter().delay(at: 5) == nil && !DelayMeter().isSteady && !DelayMeter().isLong)
  }

  /// Access units that are late change nothing.
  @Test func theSmallest() {
    let measured = Self.meter(seconds: 0...60) { $0.truncatingRemainder(dividingBy: 1) < 0.05 ? 0.05 : 0.2 }
    #expect(Self.delay(measured) == 0.05 && measured.meter.isSteady && measured.meter.rate == 0)
  }

  /// What a stopped process or a network delivers late does not count, also if nothing came for longer than the minute that counts.
  @Test(arguments: [20.0, 58, 90]) func aStall(seconds: Double) {
    let before = Self.meter(seconds: 0...100) { _ in 0.05 }
    let after = Self.meter(seconds: 100...Int64(100 + seconds), into: before.meter) { max(0.05, 100 + seconds - $0) }
    #expect(Self.delay(after) == 0.05 && after.meter.rate == 0)
  }

  /// A delay that stays is the true one after a minute.
  @Test func aLongerWay() throws {
    let before = Self.meter(seconds: 0...100) { _ in 0.05 }
    #expect(Self.delay(Self.meter(seconds: 100...130, into: before.meter) { _ in 2 }) == 0.05)
    let after = Self.meter(seconds: 100...200, into: before.meter) { _ in 2 }
    #expect(Self.delay(after) == 2 && after.meter.isSteady)
  }

  /// The delay of now, not that of a minute ago.
  @Test(arguments: [-20_000, -10_000, -1_000, 1_000, 10_000, 20_000]) func aDrift(ppm: Double) throws {
    for seconds: Int64 in [6, 30, 90] {
      // The network makes most access units late, by up to 30 ms.
      let measured = Self.meter(seconds: 0...seconds) { 1 + $0 * ppm / 1e6 + ($0 * 7.3).truncatingRemainder(dividingBy: 1) * 0.03 }
      let delay = try #require(Self.delay(measured))
      #expect(abs(delay - 1 - Double(seconds) * ppm / 1e6) < 0.03, "\(seconds) s")
      #expect(measured.meter.isSteady)
    }
    // A stall does not hide it.
    let before = Self.meter(seconds: 0...90) { $0 * ppm / 1e6 }
    let after = Self.meter(seconds: 90...110, into: before.meter) { max($0 * ppm / 1e6, 110 - $0) }
    let now = Double(after.now) / 1e6
    #expect(abs(try #require(Self.delay(after)) - now * ppm / (1e6 + ppm)) < 0.03)
  }

  /// A file that is sent as fast as it can be, and an encoder that is too slow.
  @Test(arguments: [0.2, 0.9, 1.2]) func notInRealTime(rate: Double) {
    let measured = Self.meter(seconds: 0...90) { $0 * (rate - 1) }
    #expect(!measured.meter.isSteady && measured.meter.rate == 0)
  }
}
