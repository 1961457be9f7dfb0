/// A JSON number (RFC 8259, section 6), exactly as written.
///
/// Equal means equal in value: `1.0`, `1` and `10e-1` are, and so are `0` and `-0`. Numbers whose exponent lies beyond ±10¹⁵
/// are equal only if they are written identically.
public struct JSONNumber: Equatable, Sendable {
  /// The number as written.
  public let text: String

  /// An integer.
  public init(_ value: Int) { text = String(value) }

  /// The number that `text` writes, or nil if that is no JSON number. White space around it is not accepted.
  public init?(_ text: String) {
    let bytes = [UInt8](text.utf8)
    guard let end = try? JSONNumber.end(in: bytes.view, from: 0), end == bytes.count else { return nil }
    self.text = text
  }

  /// A number whose text is known to be a JSON number.
  init(checked text: String) { self.text = text }

  /// The exact value, or nil if it has a fraction or `Int` cannot hold it. `2.0`, `2e0` and `20e-1` are 2.
  public var intValue: Int? {
    let (value, isNegative) = text.withBytes { bytes -> (Int?, Bool) in
      var value = 0
      var isNegative = false
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          // Counted downwards, because the smallest Int has no positive counterpart.
          guard let next = value.shifted(subtracting: bytes[index]) else { return (nil, isNegative) }
          value = next
        default: return (nil, isNegative)
        }
      }
      return (value, isNegative)
    }
    guard let value else { return slowIntValue }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The value of a number with a fraction or an exponent.
  private var slowIntValue: Int? {
    guard let decimal = Decimal(text), 0...20 ~= decimal.exponent else { return nil }
    var value = 0
    for digit in decimal.digits + [UInt8](repeating: 0, count: Int(decimal.exponent)) {
      guard let next = value.shifted(subtracting: digit) else { return nil }
      value = next
    }
    if decimal.isNegative { return value }
    return value == .min ? nil : -value
  }

  /// Whether both have the same value.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.text.hasSameBytes(as: right.text) { return true }
    guard let left = Decimal(left.text), let right = Decimal(right.text) else { return false }
    return left == right && abs(left.exponent) <= Decimal.largestExponent
  }
}

extension JSONNumber {
  /// The index after the number that starts at `start`.
  ///
  /// - Throws: `invalid` at the first byte that cannot belong to a number; `truncated` if the bytes end.
  static func end(in bytes: Span<UInt8>, from start: Int) throws(ParseError) -> Int {
    var index = start
    func isDigit() -> Bool { index < bytes.count && bytes[index].isASCIIDigit }
    func requireDigit() throws(ParseError) {
      guard index < bytes.count else { throw ParseError(.truncated(needed: 1, available: 0), at: index) }
      guard bytes[index].isASCIIDigit else { throw ParseError(.invalid("a digit is expected here"), at: index) }
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
    try requireDigit()
    let leads = bytes[index]
    index += 1
    if leads == UInt8(ascii: "0"), isDigit() { throw ParseError(.invalid("a number starts with a superfluous 0"), at: index) }
    while isDigit() { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      try requireDigit()
      while isDigit() { index += 1 }
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
      try requireDigit()
      while isDigit() { index += 1 }
    }
    return index
  }
}

extension FixedWidthInteger {
  /// Ten times this, less the value of an ASCII digit; nil if that is too small for the type.
  fileprivate func shifted(subtracting digit: UInt8) -> Self? {
    let (tens, tensOverflow) = multipliedReportingOverflow(by: 10)
    let (value, overflow) = tens.subtractingReportingOverflow(Self(digit & 0x0F))
    return tensOverflow || overflow ? nil : value
  }
}
