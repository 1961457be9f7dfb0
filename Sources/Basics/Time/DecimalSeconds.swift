// Seconds as decimal text, without floating point: what is written is read back to the same tick.

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
    guard let seconds = decimal.value(from: 0, upTo: decimal.point, limit: Self.largestSeconds) else { return nil }
    // Twelve decimals: 10^12 * 90,000 still fits 63 bits.
    guard let fraction = decimal.value(from: decimal.point, upTo: decimal.point + 12, limit: 1_000_000_000_000) else { return nil }
    guard seconds < Self.largestSeconds || (seconds == Self.largestSeconds && fraction == 0) else { return nil }
    let ticks = seconds * Self.ticksPerSecond + (fraction * Self.ticksPerSecond + 500_000_000_000) / 1_000_000_000_000
    self.init(ticks: decimal.isNegative ? -ticks : ticks)
  }

  /// The ticks of a number with at most nine digits before the point and six after it. Most texts are that short; they need no `Decimal`.
  private static func plainTicks(_ text: String) -> Int64? {
    let bytes = text.utf8Span.span
    guard bytes.count <= 16 else { return nil }
    var value: Int64 = 0
    var wholeDigits = 0
    var decimals: Int?
    for index in bytes.indices {
      let byte = bytes[index]
      if let digit = Decimal.digit(byte) {
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

  /// The seconds with as few decimals (at most six) as give the same tick, for example `10` or `0.04`.
  public var shortestDecimalSeconds: String {
    for decimals in 0..<6 {
      let text = text(decimals: decimals)
      if MediaTime(decimalSeconds: text) == self { return text }
    }
    return decimalSeconds
  }

  /// The seconds rounded to a number of decimals (0 to 6).
  public func text(decimals: Int) -> String {
    let scale = (0..<min(max(decimals, 0), 6)).reduce(UInt64(1)) { scale, _ in scale * 10 }
    let perSecond = UInt64(Self.ticksPerSecond)
    var whole = ticks.magnitude / perSecond
    var fraction = (ticks.magnitude % perSecond * scale + perSecond / 2) / perSecond
    if fraction >= scale {
      whole += 1
      fraction -= scale
    }
    let sign = ticks < 0 && (whole > 0 || fraction > 0) ? "-" : ""
    guard scale > 1 else { return "\(sign)\(whole)" }
    // The leading 1 keeps the fraction's zeros.
    return "\(sign)\(whole).\(String(fraction + scale).dropFirst())"
  }

  /// The time as a clock shows it, rounded to milliseconds: `mm:ss.mmm`, from an hour on `hh:mm:ss.mmm`.
  public var clockText: String {
    let milliseconds = (ticks.magnitude + 45) / 90
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let sign = ticks < 0 && milliseconds > 0 ? "-" : ""
    let clock = "\(Self.padded(minutes, to: 2)):\(Self.padded(seconds % 60, to: 2)).\(Self.padded(rest, to: 3))"
    return hours > 0 ? "\(sign)\(Self.padded(hours, to: 2)):\(clock)" : sign + clock
  }

  private static func padded(_ value: UInt64, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

/// The parts of a decimal number: its digits, and how many of them come before the decimal point.
private struct Decimal {
  var isNegative = false
  var digits: [UInt8] = []
  var point = 0

  init?(_ text: String) {
    var characters = Array(text.utf8)[...]
    isNegative = characters.first == UInt8(ascii: "-")
    if isNegative { characters.removeFirst() }
    var digitsAfterPoint: Int?
    while let character = characters.first {
      if character == UInt8(ascii: ".") {
        guard digitsAfterPoint == nil, !digits.isEmpty else { return nil }
        digitsAfterPoint = 0
      } else if let digit = Self.digit(character) {
        digits.append(digit)
        digitsAfterPoint = digitsAfterPoint.map { $0 + 1 }
      } else {
        break
      }
      characters.removeFirst()
    }
    guard !digits.isEmpty, digitsAfterPoint != 0, let exponent = Self.exponent(characters) else { return nil }
    point = digits.count - (digitsAfterPoint ?? 0) + exponent
  }

  /// The exponent after the digits: 0 where there is none, held within a range that any number outside of is 0 or too large.
  private static func exponent(_ characters: ArraySlice<UInt8>) -> Int? {
    var rest = characters
    guard let marker = rest.popFirst() else { return 0 }
    guard marker | 0x20 == UInt8(ascii: "e") else { return nil }
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    var exponent = 0
    for character in rest {
      guard let digit = digit(character) else { return nil }
      exponent = min(exponent * 10 + Int(digit), 1_000_000_000)
    }
    return isNegative ? -exponent : exponent
  }

  static func digit(_ character: UInt8) -> UInt8? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) ? character - UInt8(ascii: "0") : nil
  }

  /// The number written by the digits from one place up to another, with zeros beyond the last digit; `nil` above `limit`.
  func value(from first: Int, upTo end: Int, limit: Int64) -> Int64? {
    var value: Int64 = 0
    // Places before the first digit hold zeros, which change nothing.
    var place = max(first, 0)
    while place < end {
      if value == 0 && place >= digits.count { return 0 }
      value = value * 10 + (place < digits.count ? Int64(digits[place]) : 0)
      guard value <= limit else { return nil }
      place += 1
    }
    return value
  }
}
