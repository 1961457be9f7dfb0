/// The NAL units of an access unit in a byte stream, each after a start code (ISO/IEC 14496-10, Annex B).
package enum ByteStream {
  /// Calls `body` with the range of each NAL unit, its header included, and without the zero bytes after it. Bytes before the first start code
  /// belong to none.
  package static func forEachUnit(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var start: Int?
    while let code = firstStartCode(in: bytes, from: start ?? 0) {
      if let start { report(start..<code, in: bytes, body) }
      start = code + 3
    }
    if let start { report(start..<bytes.count, in: bytes, body) }
  }

  /// Where the first start code from an index on begins: 00 00 01. It is `nil` if there is none.
  @inlinable package static func firstStartCode(in bytes: Span<UInt8>, from start: Int) -> Int? {
    // The last byte of a possible start code. Only behind a zero the next one need be looked at.
    var last = start + 2
    while last < bytes.count {
      let byte = bytes[last]
      if byte == 0 {
        last &+= 1
      } else if byte == 1, bytes[last &- 1] == 0, bytes[last &- 2] == 0 {
        return last &- 2
      } else {
        last &+= 3
      }
    }
    return nil
  }

  private static func report(_ range: Range<Int>, in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    if end > range.lowerBound { body(range.lowerBound..<end) }
  }
}
