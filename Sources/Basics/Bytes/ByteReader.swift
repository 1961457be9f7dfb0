/// Reads big-endian fields from borrowed bytes, front to back.
///
/// A read that fails throws and leaves the position where it was, so a caller may report the error's
/// offset or try something else. Offsets in errors are relative to the start of the whole input: a reader
/// made over a part of it is given that part's offset.
package struct ByteReader: ~Escapable, ~Copyable {
  /// The bytes being read.
  package let bytes: Span<UInt8>
  /// Where `bytes` starts in the whole input, in bytes.
  package let baseOffset: Int
  /// The index in `bytes` of the next byte to read.
  package var position: Int

  /// Starts at the first of `bytes`, which lie at `baseOffset` in the whole input.
  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) {
    self.bytes = bytes
    self.baseOffset = baseOffset
    self.position = 0
  }

  /// How many bytes are left.
  @inlinable package var remaining: Int { bytes.count - position }

  /// The offset of the next byte in the whole input.
  @inlinable package var offset: Int { baseOffset + position }

  /// An error at the next byte.
  @inlinable
  package func error(_ reason: ParseError.Reason) -> ParseError { ParseError(reason, at: offset) }

  /// Throws unless at least `count` bytes are left. A negative count always throws.
  @inlinable
  package func require(_ count: Int) throws(ParseError) {
    guard count >= 0, count <= remaining else {
      throw error(.truncated(needed: count, available: remaining))
    }
  }

  /// Throws unless everything was read.
  @inlinable
  package func finish() throws(ParseError) {
    guard remaining == 0 else { throw error(.trailingBytes(remaining)) }
  }

  /// Reads an unsigned integer of `byteCount` bytes (1 to 8).
  @inlinable
  @_lifetime(self: copy self)
  package mutating func readInteger(byteCount: Int) throws(ParseError) -> UInt64 {
    try require(byteCount)
    var value: UInt64 = 0
    for index in position..<position + byteCount {
      value = value << 8 | UInt64(bytes[index])
    }
    position += byteCount
    return value
  }

  /// Reads one byte.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func readUInt8() throws(ParseError) -> UInt8 {
    try require(1)
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a 16-bit unsigned integer.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func readUInt16() throws(ParseError) -> UInt16 {
    UInt16(truncatingIfNeeded: try readInteger(byteCount: 2))
  }

  /// Reads a 32-bit unsigned integer.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func readUInt32() throws(ParseError) -> UInt32 {
    UInt32(truncatingIfNeeded: try readInteger(byteCount: 4))
  }

  /// Reads `count` bytes without copying them.
  @inlinable
  @_lifetime(copy self)
  package mutating func readSpan(_ count: Int) throws(ParseError) -> Span<UInt8> {
    try require(count)
    defer { position += count }
    return bytes.extracting(position..<position + count)
  }

  /// Reads `count` bytes into an array.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func readBytes(_ count: Int) throws(ParseError) -> [UInt8] { [UInt8](copying: try readSpan(count)) }

  /// Skips `count` bytes.
  @inlinable
  @_lifetime(self: copy self)
  package mutating func skip(_ count: Int) throws(ParseError) {
    try require(count)
    position += count
  }

  /// A reader over the next `count` bytes, which this reader skips. Its errors keep the offsets of the whole input.
  @inlinable
  @_lifetime(copy self)
  package mutating func readPart(_ count: Int) throws(ParseError) -> ByteReader {
    let start = offset
    return ByteReader(try readSpan(count), baseOffset: start)
  }
}
