// Seconds as decimal text, without floating point: text that is written here reads back as the same tick.

extension MediaTime {
  /// The longest time that is read from text: 10^9 seconds (31 years), either way.
  public static let largestSeconds: Int64 = 1_000_000_000

  /// Reads decimal seconds, exactly to the nearest tick (half a tick away from zero).
  ///
  /// Accepts an optional `-`, digits with an optional fraction, and an optional exponent, as JSON numbers have them.
  /// Digits after the twelfth decimal (a picosecond) are ignored. `nil` for anything else and for more than `largestSeconds`.
  public init?(decimalSeconds text: String) {
    if let ticks = Self.plainTicks(text) {
      self.init(ticks: ticks)
      return
    }
    guard let decimal = Decimal(text) else { return nil }
    guard let seconds = decimal.value(upTo: 0, limit: Self.largestSeconds) else { return nil }
    // Twelve decimals: 10^12 * 90,000 still fits 63 bits.
    guard let fraction = decimal.value(from: 0, upTo: 12, limit: 1_000_000_000_000) else { return nil }
    guard seconds < Self.largestSeconds || (seconds == Self.largestSeconds && fraction == 0) else { return nil }
    let ticks = seconds * Self.ticksPerSecond + (fraction * Self.ticksPerSecond + 500_000_000_000) / 1_000_000_000_000
    self.init(ticks: decimal.isNegative ? -ticks : ticks)
  }

  /// The ticks of a number with at most nine digits before the point and six after it. Most texts are that short; they need no `Decimal`.
  private static func plainTicks(_ text: String) -> Int64? { text.withBytes { plainTicks($0) } }

  private static func plainTicks(_ bytes: Span<UInt8>) -> Int64? {
    guard bytes.count <= 16 else { return nil }
    var value: Int64 = 0
    var wholeDigits = 0
    var decimals: Int?
    for index in bytes.indices {
      let byte = bytes[index]
      if let digit = byte.decimalDigit {
        value = value * 10 + Int64(digit)
        decimals = decimals.map { $0 + 1 }
        if decimals == nil { wholeDigits += 1 }
      } else if byte == UInt8(ascii: "."), decimals == nil {
        decimals = 0
      } else {
        return nil
      }
    }
    guard wholeDigits > 0, wholeDigits <= 9, decimals != 0, decimals ?? 0 <= 6 else { return nil }
    var scale: Int64 = 1
    for _ in 0..<(decimals ?? 0) { scale *= 10 }
    // Rounded to the nearest tick, half a tick upwards.
    let (whole, fraction) = value.quotientAndRemainder(dividingBy: scale)
    return whole * ticksPerSecond + (fraction * ticksPerSecond * 2 + scale) / (scale * 2)
  }

  /// The seconds with six decimals, for example `65.000000`. Reading it gives the same tick.
  public var decimalSeconds: String { text(decimals: 6) }

  /// The seconds with as few decimals (at most six) as still give the same tick, for example `10` or `0.04`.
  public var shortestDecimalSeconds: String {
    for decimals in 0..<6 {
      let text = text(decimals: decimals)
      if MediaTime(decimalSeconds: text) == self { return text }
    }
    return decimalSeconds
  }

  /// The seconds rounded to a number of decimals (0 to 6).
  public func text(decimals: Int) -> String {
    let decimals = min(max(decimals, 0), 6)
    let scale = (0..<decimals).reduce(UInt64(1)) { scale, _ in scale * 10 }
    let perSecond = UInt64(Self.ticksPerSecond)
    var whole = ticks.magnitude / perSecond
    var fraction = (ticks.magnitude % perSecond * scale + perSecond / 2) / perSecond
    if fraction >= scale {
      whole += 1
      fraction -= scale
    }
    let sign = ticks < 0 && (whole > 0 || fraction > 0) ? "-" : ""
    return scale > 1 ? "\(sign)\(whole).\(fraction.digits(decimals))" : "\(sign)\(whole)"
  }

  /// The time as a clock shows it, rounded to milliseconds: `mm:ss.mmm`, from an hour on `hh:mm:ss.mmm`.
  public var clockText: String {
    let milliseconds = (ticks.magnitude + 45) / 90
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let sign = ticks < 0 && milliseconds > 0 ? "-" : ""
    let clock = "\(minutes.digits(2)):\((seconds % 60).digits(2)).\(rest.digits(3))"
    return hours > 0 ? "\(sign)\(hours.digits(2)):\(clock)" : sign + clock
  }
}
