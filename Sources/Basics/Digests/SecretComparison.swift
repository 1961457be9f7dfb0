extension [UInt8] {
  /// Whether both have the same bytes. The time that this takes does not tell where they differ.
  package func isSecretlyEqual(to other: [UInt8]) -> Bool {
    var difference: UInt8 = count == other.count ? 0 : 1
    for (left, right) in zip(self, other) { difference |= left ^ right }
    return difference == 0
  }
}
