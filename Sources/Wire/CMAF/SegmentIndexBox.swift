package import Basics

/// The index of a segment (`sidx`, ISO/IEC 14496-12, 8.16.3), as far as it concerns the start.
package struct SegmentIndexBox: Equatable, Sendable {
  /// When the first indexed sample is presented, to the nearest tick of 90 kHz.
  package var earliestPresentationTime: MediaTime

  /// Reads a whole box.
  ///
  /// - Throws: `ParseError` if it is not a `sidx`, has a timescale of 0, is cut off, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = try Box.single(bytes, baseOffset: baseOffset, .sidx).fields
    let byteCount = try FullBoxFields(reading: &reader).timeByteCount
    try reader.skip(4)  // reference_ID
    let timescale = try Timescale(reading: &reader)
    earliestPresentationTime = timescale.mediaTime(try reader.readInteger(byteCount: byteCount))
    try reader.skip(byteCount + 2)  // first_offset, reserved
    for _ in 0..<(try reader.readUInt16()) {
      // A type and a size, a duration, and how decoding can start.
      for _ in 0..<3 { try reader.skip(4) }
    }
    try reader.finish()
  }
}
