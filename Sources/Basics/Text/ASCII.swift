// Classes of ASCII characters, by their bytes.

extension UInt8 {
  /// Whether it is one of the characters 0 to 9.
  @inlinable package var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// Whether it is a letter without an accent, large or small.
  @inlinable package var isASCIILetter: Bool { self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") }

  /// The value of a decimal digit; `nil` for another character.
  @inlinable package var decimalDigit: UInt8? { isASCIIDigit ? self & 0x0F : nil }

  /// The value of a hexadecimal digit, large or small; `nil` for another character.
  @inlinable package var hexadecimalDigit: UInt8? {
    isASCIIDigit ? self & 0x0F : isASCIILetter && self | 0x20 <= UInt8(ascii: "f") ? self & 0x0F + 9 : nil
  }

  /// The byte with a capital letter in lower case.
  @inlinable package var asciiLowercased: UInt8 { isASCIILetter ? self | 0x20 : self }
}

extension ArraySlice<UInt8> {
  /// Removes the first byte if it is this character; otherwise returns `false`.
  package mutating func popFirst(_ character: Unicode.Scalar) -> Bool {
    guard first == UInt8(ascii: character) else { return false }
    removeFirst()
    return true
  }
}
