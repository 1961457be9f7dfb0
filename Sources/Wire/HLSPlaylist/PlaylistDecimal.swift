import Basics

/// A decimal number of a playlist, exact to a billionth: seconds to the nanosecond, or a frame rate (RFC 8216bis, 4.2,
/// decimal-floating-point and signed-decimal-floating-point).
package struct PlaylistDecimal: Hashable, Sendable {
  /// The number in billionths; for seconds, nanoseconds.
  package var billionths: Int64

  /// A number of billionths.
  package init(billionths: Int64) { self.billionths = billionths }

  /// The largest whole part that is read, either way: 9 * 10^9, which is 285 years in seconds.
  package static let largestWhole: Int64 = 9_000_000_000
  /// Zero.
  package static let zero = PlaylistDecimal(billionths: 0)

  private static let one: Int64 = 1_000_000_000
}

extension PlaylistDecimal: Comparable {
  /// Whether the one number is below the other.
  package static func < (left: Self, right: Self) -> Bool { left.billionths < right.billionths }
}

extension PlaylistDecimal {
  /// Reads an optional `-`, digits and an optional point among them. Rounds to nine decimals, half away from zero.
  /// `nil` for anything else and for more than `largestWhole`.
  package init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

  /// Reads a number from its characters.
  init?(bytes: ArraySlice<UInt8>) {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = isNegative ? bytes.dropFirst() : bytes
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.endIndex
    // The specification does not require digits on both sides of the point.
    let hasOnlyDecimals = digits.startIndex == point && point + 1 < digits.endIndex
    guard let whole = hasOnlyDecimals ? 0 : decimalInteger(digits[..<point]), whole <= UInt64(Self.largestWhole) else { return nil }
    var value = Int64(whole) * Self.one
    if point < digits.endIndex {
      let decimals = digits[point...].dropFirst()
      var unit = Self.one / 10
      for (place, character) in decimals.enumerated() {
        guard let digit = character.decimalDigit else { return nil }
        if place == 9 && digit >= 5 { value += 1 }
        value += Int64(digit) * unit
        unit /= 10
      }
    }
    guard value <= Self.largestWhole * Self.one else { return nil }
    billionths = isNegative ? -value : value
  }

  /// The number with as few decimals as possible, for example `10` or `6.006`.
  package var text: String {
    let (whole, fraction) = billionths.magnitude.quotientAndRemainder(dividingBy: UInt64(Self.one))
    let sign = billionths < 0 ? "-" : ""
    guard fraction > 0 else { return "\(sign)\(whole)" }
    // The leading 1 keeps the fraction's zeros.
    var decimals = Array(String(fraction + UInt64(Self.one)).utf8)[1...]
    while decimals.last == UInt8(ascii: "0") { decimals.removeLast() }
    return "\(sign)\(whole).\(String(decoding: decimals, as: UTF8.self))"
  }

  /// The nearest whole number, half rounded up; 0 for a negative one. EXT-X-TARGETDURATION is compared with it.
  package var rounded: UInt64 {
    guard billionths > 0 else { return 0 }
    return (billionths.magnitude + UInt64(Self.one / 2)) / UInt64(Self.one)
  }

  /// Whether there are no decimals.
  package var isWhole: Bool { billionths % Self.one == 0 }
}

/// A decimal-integer (RFC 8216bis, 4.2): one digit or more, below 2^64; `nil` for anything else.
func decimalInteger(_ characters: ArraySlice<UInt8>) -> UInt64? {
  guard !characters.isEmpty else { return nil }
  var value: UInt64 = 0
  for character in characters {
    guard let digit = character.decimalDigit else { return nil }
    let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflows) = product.addingReportingOverflow(UInt64(digit))
    guard !isTooLarge, !overflows else { return nil }
    value = sum
  }
  return value
}
