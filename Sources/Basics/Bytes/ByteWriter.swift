/// Writes big-endian fields to the end of a growing array of bytes.
package struct ByteWriter: Sendable {
  /// What has been written.
  package var bytes: [UInt8] = []

  /// Starts with nothing written and room for `capacity` bytes.
  @inlinable package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes the low `byteCount` bytes (1 to 8) of `value`.
  @inlinable package mutating func writeInteger(_ value: UInt64, byteCount: Int) {
    for index in stride(from: byteCount - 1, through: 0, by: -1) {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
    }
  }

  /// Writes one byte.
  @inlinable package mutating func writeUInt8(_ value: UInt8) { bytes.append(value) }

  /// Writes a 16-bit unsigned integer.
  @inlinable package mutating func writeUInt16(_ value: UInt16) { writeInteger(UInt64(value), byteCount: 2) }

  /// Writes a 32-bit unsigned integer.
  @inlinable package mutating func writeUInt32(_ value: UInt32) { writeInteger(UInt64(value), byteCount: 4) }

  /// Writes bytes as they are.
  @inlinable package mutating func write(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes the UTF-8 bytes of `text`, without a terminator.
  @inlinable package mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes `count` bytes of `value`.
  @inlinable package mutating func fill(_ value: UInt8, count: Int) {
    for _ in 0..<max(count, 0) { bytes.append(value) }
  }

  /// Writes a length field, then what `body` writes; the field gets its length.
  ///
  /// - Parameters:
  ///   - bits: The width of the length, up to 32. The field has the whole bytes that hold it; the bits above the length come from `flags`.
  ///   - flags: The field with a length of 0.
  ///   - extra: How many bytes the length counts besides the body, such as a checksum written afterwards.
  ///   - body: Writes the counted bytes.
  /// - Throws: `aboveLimit` at the field's offset if the length does not fit; then nothing was written.
  @inlinable package mutating func writeLengthPrefixed(
    bits: Int, flags: UInt64 = 0, extra: Int = 0, _ body: (inout ByteWriter) throws(ParseError) -> Void
  ) throws(ParseError) {
    let start = bytes.count
    let byteCount = (bits + 7) / 8
    fill(0, count: byteCount)
    do throws(ParseError) {
      try body(&self)
      let length = bytes.count - start - byteCount + extra
      // In 64 bits: the limit of a 32-bit field does not fit an Int of 32 bits.
      let limit = (UInt64(1) << UInt64(bits)) - 1
      guard UInt64(length) <= limit else { throw ParseError(.aboveLimit(what: "length", limit: Int(clamping: limit)), at: start) }
      let field = flags | UInt64(length)
      for index in 0..<byteCount {
        bytes[start + index] = UInt8(truncatingIfNeeded: field >> (8 * UInt64(byteCount - 1 - index)))
      }
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
  }
}
