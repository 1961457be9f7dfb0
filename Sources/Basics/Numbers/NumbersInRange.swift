extension ClosedRange where Bound: FixedWidthInteger {
  /// The integers that every JSON reader represents exactly (RFC 8259, section 6), as far as this type can hold them. Sums and differences of a few
  /// of them cannot overflow 64 bits.
  package static var exact: ClosedRange<Bound> { Bound(clamping: Int64(-1) << 53)...Bound(clamping: Int64(1) << 53) }

  /// Those that are not negative, for counts.
  package static var counts: ClosedRange<Bound> { 0...Bound(clamping: Int64(1) << 53) }
}

extension FixedWidthInteger {
  /// The integer that a text writes in decimal digits, if it is within a range.
  ///
  /// - Parameter text: An optional sign and ASCII digits. A text with blanks, underscores or other digits is not a number.
  package init?(_ text: some StringProtocol, in range: ClosedRange<Self>) {
    guard let number = Self(text), range.contains(number) else { return nil }
    self = number
  }
}

extension Double {
  /// The number that a text writes, if it is within a range; never NaN.
  package init?(_ text: some StringProtocol, in range: ClosedRange<Double>) {
    guard let number = Double(text), range.contains(number) else { return nil }
    self = number
  }
}
