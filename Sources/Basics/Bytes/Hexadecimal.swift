extension Sequence<UInt8> {
  /// The bytes in hexadecimal digits, two small ones a byte.
  package var hexadecimal: String { map { $0.digits(2, radix: 16, uppercase: false) }.joined() }
}

extension [UInt8] {
  /// The bytes of hexadecimal digits, two a byte, large or small; `nil` for another text.
  package init?(hexadecimal text: some Collection<UInt8>) {
    let digits = text.compactMap { $0.hexadecimalDigit }
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
