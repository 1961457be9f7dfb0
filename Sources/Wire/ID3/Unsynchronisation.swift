import Basics

/// Unsynchronisation: a zero byte after each 0xFF that an MPEG audio decoder could mistake for the start of a frame
/// (ID3v2.4 structure, section 6.1). Tags in MPEG-TS need none, so it is only ever undone.
enum Unsynchronisation {
  /// The bytes without the zero that follows each 0xFF.
  static func decode(_ bytes: Span<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      decoded.append(bytes[index])
      index = nextIndex(after: index, in: bytes)
    }
    return decoded
  }

  /// Reads from the bytes without their unsynchronisation; errors have the offsets of the original bytes.
  static func reading<Result>(
    _ bytes: Span<UInt8>, baseOffset: Int, _ body: (inout ByteReader) throws(ParseError) -> Result
  ) throws(ParseError) -> Result {
    let decoded = decode(bytes)
    var reader = ByteReader(decoded.view)
    do throws(ParseError) {
      return try body(&reader)
    } catch {
      var place = Place()
      throw place.original(error, in: bytes, baseOffset: baseOffset)
    }
  }

  /// A place in decoded bytes, and the same in the original ones. Errors in ascending order cost one pass over the bytes.
  struct Place {
    private var decoded = 0
    private var index = 0

    /// An error with the offset of the original bytes, from one with the offset of the decoded ones.
    mutating func original(_ error: ParseError, in bytes: Span<UInt8>, baseOffset: Int) -> ParseError {
      if error.offset < decoded { (decoded, index) = (0, 0) }
      while decoded < error.offset, index < bytes.count {
        index = nextIndex(after: index, in: bytes)
        decoded += 1
      }
      return ParseError(error.reason, at: baseOffset + index)
    }
  }

  /// The index of the byte after the one at `index`.
  private static func nextIndex(after index: Int, in bytes: Span<UInt8>) -> Int {
    let next = index + 1
    return bytes[index] == 0xFF && next < bytes.count && bytes[next] == 0 ? next + 1 : next
  }
}
