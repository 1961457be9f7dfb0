extension FixedWidthInteger {
  /// The sum, or the nearest number of the type if the sum does not fit: a count or an offset of untrusted input must not trap.
  @inlinable package func addingSaturated(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the nearest number of the type if the difference does not fit.
  @inlinable package func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : .min) : difference
  }
}
