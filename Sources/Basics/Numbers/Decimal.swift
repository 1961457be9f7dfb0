/// A decimal number in its one shortest form: digits without zeros at either end, times a power of ten.
struct Decimal: Equatable {
  var isNegative = false
  /// The digits, each 0 to 9; none if the number is 0.
  private(set) var digits: [UInt8] = []
  /// The power of ten that the digits are multiplied by. It is not exact beyond ±`largestExponent`.
  private(set) var exponent: Int64 = 0

  /// The largest written exponent that is kept exactly, either way; larger ones are cut off to twice as much.
  static let largestExponent: Int64 = 1_000_000_000_000_000

  /// Reads an optional `-`, digits, an optional fraction and an optional exponent; `nil` for anything else.
  init?(_ text: String) {
    var rest = text.bytes[...]
    isNegative = rest.popFirst("-")
    guard appendDigits(&rest) else { return nil }
    if rest.popFirst(".") {
      let count = rest.count
      guard appendDigits(&rest) else { return nil }
      exponent = Int64(rest.count - count)
    }
    if rest.popFirst("e") || rest.popFirst("E") {
      let isSmall = rest.popFirst("-")
      if !isSmall { _ = rest.popFirst("+") }
      guard !rest.isEmpty else { return nil }
      var written: Int64 = 0
      while let digit = rest.popDigit() { written = min(written * 10 + Int64(digit), 2 * Self.largestExponent) }
      exponent += isSmall ? -written : written
    }
    guard rest.isEmpty else { return nil }
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  /// Moves digits from `rest` into the number, without leading zeros; `false` if `rest` does not start with a digit.
  private mutating func appendDigits(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let count = rest.count
    while let digit = rest.popDigit() { if digit != 0 || !digits.isEmpty { digits.append(digit) } }
    return rest.count < count
  }

  /// The digits from place `first` up to, but not including, place `end`, read as an integer; `nil` if that is above `limit`.
  ///
  /// Place 0 is the first digit after the decimal point, place -1 the last one before it. Without `first`, the first digit starts the integer.
  func value(from first: Int64? = nil, upTo end: Int64, limit: Int64) -> Int64? {
    let point = Int64(digits.count) + exponent
    var value: Int64 = 0
    // Places before the first digit hold zeros, which change nothing.
    for place in max(first.map { point + $0 } ?? 0, 0)..<max(point + end, 0) {
      if value == 0 && place >= digits.count { return 0 }
      value = value * 10 + (place < digits.count ? Int64(digits[Int(place)]) : 0)
      guard value <= limit else { return nil }
    }
    return value
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func popDigit() -> UInt8? {
    guard let digit = first?.decimalDigit else { return nil }
    removeFirst()
    return digit
  }
}
