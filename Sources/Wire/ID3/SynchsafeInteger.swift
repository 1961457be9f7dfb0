import Basics

/// Synchsafe integers: 28 bits in four bytes whose highest bit is 0 (ID3v2.4 structure, section 6.2).
public enum SynchsafeInteger {
  /// The largest one.
  static let max = 0x0FFF_FFFF

  /// The value of the four bytes of `bits`, or nil if one of them has its highest bit set.
  public static func decode(_ bits: UInt32) -> Int? {
    guard bits & 0x8080_8080 == 0 else { return nil }
    return Int(bits & 0x7F | bits >> 1 & 0x3F80 | bits >> 2 & 0x1F_C000 | bits >> 3 & 0xFE0_0000)
  }

  /// The four bytes of `value`, or nil if it takes more than 28 bits.
  static func encode(_ value: Int) -> UInt32? {
    guard let value = UInt32(exactly: value), value <= max else { return nil }
    return value & 0x7F | (value & 0x3F80) << 1 | (value & 0x1F_C000) << 2 | (value & 0xFE0_0000) << 3
  }
}

extension ByteReader {
  /// Reads a synchsafe integer.
  ///
  /// - Throws: `invalid` at the integer if one of its bytes has the highest bit set.
  @_lifetime(self: copy self)
  mutating func readSynchsafe() throws(ParseError) -> Int {
    let invalid = error(.invalid("a synchsafe integer has a byte above 0x7F"))
    guard let value = SynchsafeInteger.decode(try readUInt32()) else { throw invalid }
    return value
  }
}

extension ByteWriter {
  /// Writes a synchsafe integer.
  ///
  /// - Throws: `aboveLimit` if the value takes more than 28 bits; then nothing was written.
  mutating func writeSynchsafe(_ value: Int, what: String) throws(ParseError) {
    guard let bits = SynchsafeInteger.encode(value) else {
      throw ParseError(.aboveLimit(what: what, limit: SynchsafeInteger.max), at: bytes.count)
    }
    writeUInt32(bits)
  }
}
