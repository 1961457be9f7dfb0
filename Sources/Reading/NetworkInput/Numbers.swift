/// Decimal numbers as HTTP writes them: digits and nothing else.
enum Decimal {
  /// The number; `nil` where there is none, another character, or more than an `Int` holds.
  static func integer(_ bytes: some Sequence<UInt8>) -> Int? {
    var value: Int?
    for byte in bytes {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (product, overflows) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      guard !overflows, !overflowsToo else { return nil }
      value = sum
    }
    return value
  }
}

/// Hexadecimal digits.
enum Hexadecimal {
  /// The digit's value; `nil` for another character.
  static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
