/// The NAL units of an access unit in a byte stream, each after a start code (ISO/IEC 14496-10, Annex B).
package enum ByteStream {
  /// Calls `body` with the range of each NAL unit, its header included, and without the zero bytes after it. Bytes before the first start code
  /// belong to none.
  package static func forEachUnit(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var start: Int?
    var index = 0
    while index + 2 < bytes.count {
      // A start code is 00 00 01.
      guard bytes[index + 2] <= 1 else {
        index += 3
        continue
      }
      guard bytes[index + 2] == 1, bytes[index] == 0, bytes[index + 1] == 0 else {
        index += 1
        continue
      }
      if let start { report(start..<index, in: bytes, body) }
      index += 3
      start = index
    }
    if let start { report(start..<bytes.count, in: bytes, body) }
  }

  private static func report(_ range: Range<Int>, in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
    if end > range.lowerBound { body(range.lowerBound..<end) }
  }
}
