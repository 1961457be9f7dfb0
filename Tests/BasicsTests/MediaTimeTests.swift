import Basics
import Testing

@Suite struct DecimalSecondsTests {
  @Test(arguments: [
    ("0", 0), ("1", 90_000), ("65.000000", 5_850_000), ("12.5", 1_125_000), ("0.04", 3_600), ("-2", -180_000), ("0.000011", 1),
    ("0.000005", 0), ("0.000006", 1), ("1e1", 900_000), ("1.5E+1", 1_350_000), ("25e-1", 225_000), ("0e999999999999", 0),
    ("1e-999999999", 0), ("1000000000", 90_000_000_000_000), ("0.0000111111111111111111111", 1), ("-0", 0),
    ("0000000000000000000000000000001", 90_000),
  ])
  func readsDecimals(text: String, ticks: Int64) {
    #expect(MediaTime(decimalSeconds: text) == MediaTime(ticks: ticks))
  }

  @Test(arguments: [
    "", "-", ".", ".5", "5.", "1e", "1e+", "e1", "1.2.3", " 1", "1 ", "+1", "0x1", "1000000000.1", "1e10", "1e999999999", "NaN", "١",
  ])
  func refusesOtherText(text: String) {
    #expect(MediaTime(decimalSeconds: text) == nil)
  }

  @Test func everyTickOfASecondSurvivesSixDecimals() {
    for ticks in Int64(0)..<90_000 {
      let time = MediaTime(ticks: ticks + 7 * 90_000)
      #expect(MediaTime(decimalSeconds: time.decimalSeconds) == time)
    }
  }

  /// A text with an exponent is taken apart, one without is not: both give the same tick.
  @Test(arguments: 0..<20) func plainTextsAreReadAsOthersAre(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    for _ in 0..<200 {
      let whole = String(Int.random(in: 0...999_999_999, using: &random)).suffix(Int.random(in: 1...9, using: &random))
      let decimals = String(Int.random(in: 1_000_000...1_999_999, using: &random)).dropFirst().prefix(Int.random(in: 0...6, using: &random))
      let text = decimals.isEmpty ? "\(whole)" : "\(whole).\(decimals)"
      #expect(MediaTime(decimalSeconds: text) == MediaTime(decimalSeconds: "\(text)e0"), "\(text)")
    }
  }

  @Test(arguments: [(900_000, "10"), (3_600, "0.04"), (1, "0.00001"), (-45_000, "-0.5"), (89_999, "0.99999"), (0, "0")])
  func writesNoMoreDecimalsThanNeeded(ticks: Int64, text: String) {
    #expect(MediaTime(ticks: ticks).shortestDecimalSeconds == text)
  }

  @Test(arguments: [
    (450_000, "00:05.000"), (89_999, "00:01.000"), (90_000 * 3_723 + 45, "01:02:03.001"), (-450_000, "-00:05.000"), (-1, "00:00.000"),
  ])
  func showsAClock(ticks: Int64, text: String) {
    #expect(MediaTime(ticks: ticks).clockText == text)
  }

  @Test(arguments: [(4.25, 382_500), (-0.5, -45_000), (.nan, 0), (.infinity, .max), (-1e30, .min)] as [(Double, Int64)])
  func takesThePlayersSeconds(seconds: Double, ticks: Int64) {
    #expect(MediaTime(seconds: seconds) == MediaTime(ticks: ticks))
  }

  @Test func extremesSaturate() {
    let largest = MediaTime(ticks: .max)
    let smallest = MediaTime(ticks: .min)
    #expect(largest + MediaTime(ticks: 1) == largest)
    #expect(smallest - MediaTime(ticks: 1) == smallest)
    #expect(smallest.magnitude == largest)
    #expect(smallest.clockText.hasPrefix("-"))
    #expect(MediaTime(seconds: .max) == largest)
  }
}

@Suite struct TimestampUnwrapperTests {
  @Test func growsAcrossTheWrap() {
    var unwrapper = TimestampUnwrapper()
    let period = TimestampUnwrapper.period
    #expect(unwrapper.unwrap(UInt64(period - 10)) == MediaTime(ticks: period - 10))
    #expect(unwrapper.unwrap(5) == MediaTime(ticks: period + 5))
    #expect(unwrapper.peek(UInt64(period - 1)) == MediaTime(ticks: period - 1))
    #expect(unwrapper.reference == MediaTime(ticks: period + 5))
  }

  @Test func severalWrapsAddUp() {
    var unwrapper = TimestampUnwrapper()
    let quarter = UInt64(TimestampUnwrapper.period / 4)
    for step in 0..<UInt64(13) {
      #expect(unwrapper.unwrap(step * quarter) == MediaTime(ticks: Int64(step * quarter)))
    }
  }

  @Test func aStepBackJustAfterTheStartIsNegative() {
    var unwrapper = TimestampUnwrapper()
    #expect(unwrapper.unwrap(5) == MediaTime(ticks: 5))
    #expect(unwrapper.unwrap(UInt64(TimestampUnwrapper.period - 5)) == MediaTime(ticks: -5))
    #expect(unwrapper.unwrap(0) == .zero)
  }

  @Test func whatIsMissingMayBeLong() {
    var unwrapper = TimestampUnwrapper()
    unwrapper.skip(MediaTime(seconds: 5))
    #expect(unwrapper.unwrap(5) == MediaTime(ticks: 5))
    unwrapper.skip(MediaTime(ticks: 3 * TimestampUnwrapper.period))
    #expect(unwrapper.unwrap(0) == MediaTime(ticks: 3 * TimestampUnwrapper.period))
  }

  /// The shorter way from one timestamp to another one, over the end of the clock too.
  @Test func distances() {
    let half = UInt64(TimestampUnwrapper.period / 2)
    for start: UInt64 in [0, 5, half - 1, half, 2 * half - 1] {
      for step in [0, 1, -1, 90_000, -90_000, Int64(half) - 1, -Int64(half)] {
        let other = UInt64(bitPattern: Int64(start) + step) & (2 * half - 1)
        #expect(TimestampUnwrapper.distance(from: start, to: other) == step)
      }
    }
  }
}
