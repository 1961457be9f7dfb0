package import Basics

/// The index of a segment (`sidx`, ISO/IEC 14496-12, 8.16.3), as far as it concerns times.
package struct SegmentIndexBox: Equatable, Sendable {
  /// reference_ID: the track to which the times refer.
  package var referenceID: UInt32
  /// Ticks per second of the times below.
  package var timescale: Timescale
  /// When the first indexed sample is presented, in ticks.
  package var earliestPresentationTicks: UInt64
  /// How long the indexed media last, in ticks.
  package var durationTicks: UInt64
  /// The number of indexed subsegments.
  package var referenceCount: Int

  /// When the first sample is presented, to the nearest tick of 90 kHz.
  package var earliestPresentationTime: MediaTime { timescale.mediaTime(earliestPresentationTicks) }
  /// How long the indexed media last, to the nearest tick of 90 kHz.
  package var duration: MediaTime { timescale.mediaTime(durationTicks) }
}

extension SegmentIndexBox {
  /// Reads a whole box.
  ///
  /// - Throws: `ParseError` if it is not a `sidx`, has a timescale of 0, is cut off, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    let box = try Box.single(bytes, baseOffset: baseOffset)
    guard box.type == .sidx else { throw ParseError(.invalid("box \(box.type) instead of sidx"), at: baseOffset) }
    var reader = box.fields
    let byteCount = try FullBoxFields(reading: &reader).timeByteCount
    referenceID = try reader.readUInt32()
    timescale = try Timescale(reading: &reader)
    earliestPresentationTicks = try reader.readInteger(byteCount: byteCount)
    try reader.skip(byteCount + 2)  // first_offset, reserved
    referenceCount = Int(try reader.readUInt16())
    durationTicks = 0
    for _ in 0..<referenceCount {
      try reader.skip(4)  // reference_type, referenced_size
      // This cannot overflow: there are at most 65,535 durations of 32 bits.
      durationTicks += UInt64(try reader.readUInt32())
      try reader.skip(4)  // starts_with_SAP, SAP_type, SAP_delta_time
    }
    try reader.finish()
  }
}
