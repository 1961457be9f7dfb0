extension ClosedRange<Int> {
  /// The integers that every program has exactly which reads JSON (RFC 8259, section 6). Sums and differences of some of them stay far from overflow.
  public static var exact: ClosedRange<Int> { -(1 << 53)...(1 << 53) }

  /// Those of them that count something.
  public static var counts: ClosedRange<Int> { 0...(1 << 53) }
}

extension FixedWidthInteger {
  /// The integer that a text says in decimal digits, if it is one of a range.
  ///
  /// - Parameter text: Digits of ASCII, after a sign if there is one. Blanks, underscores and other digits make it no number.
  public init?(_ text: some StringProtocol, in range: ClosedRange<Self>) {
    guard let number = Self(text), range.contains(number) else { return nil }
    self = number
  }
}

extension Double {
  /// The number that a text says, if it is one of a range; no range has what is no number.
  public init?(_ text: some StringProtocol, in range: ClosedRange<Double>) {
    guard let number = Double(text), range.contains(number) else { return nil }
    self = number
  }
}
