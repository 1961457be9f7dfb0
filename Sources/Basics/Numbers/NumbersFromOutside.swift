extension ClosedRange where Bound: FixedWidthInteger {
  /// The integers that every program has exactly which reads JSON (RFC 8259, section 6), as far as the type has them. Sums and differences of some of them
  /// stay far from overflow in 64 bits.
  package static var exact: ClosedRange<Bound> { Bound(clamping: Int64(-1) << 53)...Bound(clamping: Int64(1) << 53) }

  /// Those of them that count something.
  package static var counts: ClosedRange<Bound> { 0...Bound(clamping: Int64(1) << 53) }
}

extension FixedWidthInteger {
  /// The integer that a text says in decimal digits, if it is one of a range.
  ///
  /// - Parameter text: Digits of ASCII, after a sign if there is one. Blanks, underscores and other digits make it no number.
  package init?(_ text: some StringProtocol, in range: ClosedRange<Self>) {
    guard let number = Self(text), range.contains(number) else { return nil }
    self = number
  }
}

extension Double {
  /// The number that a text says, if it is one of a range; no range has what is no number.
  package init?(_ text: some StringProtocol, in range: ClosedRange<Double>) {
    guard let number = Double(text), range.contains(number) else { return nil }
    self = number
  }
}
