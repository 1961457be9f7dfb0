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
    var index = start
    while index + 2 < bytes.count {
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index + 2] == 1, bytes[index] == 0, bytes[index + 1] == 0 {
        return index
      } else {
        index += 1
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
