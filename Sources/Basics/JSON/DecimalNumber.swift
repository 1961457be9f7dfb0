/// A decimal number with at most six decimals, exactly: a whole number of millionths.
public struct DecimalNumber: Equatable, Comparable, Sendable {
  /// The number times a million.
  public let millionths: Int64

  /// 0.
  public static let zero = DecimalNumber(millionths: 0)
  /// 1.
  public static let one = DecimalNumber(millionths: scale)
  /// The largest number that is read, either way: a million million.
  public static let largest: Int64 = 1_000_000_000_000
  private static let scale: Int64 = 1_000_000

  /// A number of millionths.
  public init(millionths: Int64) { self.millionths = millionths }

  /// A whole number; `nil` beyond ``largest``.
  public init?(_ whole: Int) {
    guard whole.magnitude <= Self.largest else { return nil }
    millionths = Int64(whole) * Self.scale
  }

  /// Reads a number as JSON writes it; `nil` for anything else, for more than six decimals, and beyond ``largest``.
  public init?(_ text: String) {
    guard let decimal = Decimal(text), let whole = decimal.value(upTo: 0, limit: Self.largest),
      let fraction = decimal.value(from: 0, upTo: 6, limit: Self.scale)
    else { return nil }
    let value = whole * Self.scale + fraction
    guard value <= Self.largest * Self.scale else { return nil }
    millionths = decimal.isNegative ? -value : value
    // Further decimals, unless they are zero, would be lost.
    guard let given = JSONNumber(text), let read = JSONNumber(self.text), given == read else { return nil }
  }

  /// Whether `left` is the smaller number.
  public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool { left.millionths < right.millionths }

  /// How many millionths lie between two numbers.
  public func distance(to other: DecimalNumber) -> UInt64 {
    let (low, high) = (min(millionths, other.millionths), max(millionths, other.millionths))
    return UInt64(bitPattern: high &- low)
  }

  /// The number with as few decimals as it has, for example `-2.5`.
  public var text: String {
    let (whole, fraction) = millionths.magnitude.quotientAndRemainder(dividingBy: UInt64(Self.scale))
    var digits = Array(fraction.digits(6).utf8)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let sign = millionths < 0 ? "-" : ""
    return digits.isEmpty ? "\(sign)\(whole)" : "\(sign)\(whole).\(String(decoding: digits, as: UTF8.self))"
  }
}

extension DecimalNumber: JSONWritable {
  package var json: JSONValue { .number(JSONNumber(checked: text)) }
}

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension DecimalNumber: Codable {}
#endif
