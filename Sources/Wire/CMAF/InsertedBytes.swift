package import Basics

/// Bytes that are inserted between the boxes of a fragmented MP4 file, and what changes by them: the boxes that state where others are.
///
/// These are indexes (`sidx`, `tfra`), chunk offsets of the movie (`stco`, `co64`) and base data offsets of fragments (`tfhd`). None of them becomes
/// longer.
package struct InsertedBytes: Sendable {
  /// Where bytes are inserted, in ascending order.
  private let places: [Int]
  /// The number of bytes that are inserted before the place of the same index, and of all.
  private let sums: [Int]

  /// Insertions by their offsets in the old file.
  package init(_ counts: [Int: Int]) {
    let sorted = counts.sorted { $0.key < $1.key }
    places = sorted.map { $0.key }
    var sums = [0]
    for (_, count) in sorted { sums.append((sums.last ?? 0).addingSaturated(count)) }
    self.sums = sums
  }

  /// The number of bytes that are inserted before an offset, but not at it.
  private func count(before offset: Int) -> Int { sums[places.partitionIndex { $0 >= offset }] }

  /// Where the byte at an offset of the old file is in the new one.
  private func moved(_ offset: UInt64) -> UInt64 {
    guard let place = Int(exactly: offset), place < .max else { return offset }
    return offset + UInt64(clamping: count(before: place + 1))
  }

  /// The types of boxes that ``corrected(_:baseOffset:)`` must receive as a whole.
  package static let types: [BoxType] = [.moov, .moof, .sidx, BoxType("ssix"), BoxType("mfra")]

  /// Returns a box that states the new places.
  ///
  /// - Parameter baseOffset: Where the box starts in the old file.
  /// - Throws: `ParseError` if the box is not valid, a new place does not fit into its field, or it is an index of parts of segments (`ssix`).
  package func corrected(_ bytes: Span<UInt8>, baseOffset: Int) throws(ParseError) -> [UInt8] {
    let changes = try changes(in: Box.single(bytes, baseOffset: baseOffset))
    var writer = ByteWriter(capacity: bytes.count)
    writer.write(bytes, baseOffset: baseOffset, changes: changes)
    return writer.bytes
  }

  private func changes(in box: borrowing Box) throws(ParseError) -> [ByteChange] {
    switch box.type {
    case .moov, .moof, BoxType("trak"), BoxType("mdia"), BoxType("minf"), BoxType("stbl"), BoxType("traf"), BoxType("mfra"):
      var found: [ByteChange] = []
      var boxes = try box.children()
      while let child = try boxes.next() { found += try changes(in: child) }
      return found
    case BoxType("tfhd"):
      var fields = box.fields
      guard try FullBoxFields(reading: &fields).flags & 0x01 != 0 else { return [] }
      try fields.skip(4)  // track_ID
      return try movedField(&fields, byteCount: 8)
    case BoxType("stco"), BoxType("co64"):
      var fields = box.fields
      _ = try FullBoxFields(reading: &fields)
      let byteCount = box.type == BoxType("co64") ? 8 : 4
      var found: [ByteChange] = []
      for _ in 0..<(try fields.readUInt32()) { found += try movedField(&fields, byteCount: byteCount) }
      return found
    case BoxType("tfra"): return try accessChanges(box)
    case .sidx: return try indexChanges(box)
    case BoxType("ssix"): throw ParseError(.invalid("parts of segments by their bytes (ssix), which would move"), at: box.offset)
    default: return []
    }
  }

  /// Reads an offset in the file; returns its change, if it has one.
  @_lifetime(fields: copy fields)
  private func movedField(_ fields: inout ByteReader, byteCount: Int) throws(ParseError) -> [ByteChange] {
    let place = fields.offset
    let old = try fields.readInteger(byteCount: byteCount)
    return try Self.change(old, to: moved(old), byteCount: byteCount, at: place)
  }

  private static func change(_ old: UInt64, to new: UInt64, byteCount: Int, at place: Int) throws(ParseError) -> [ByteChange] {
    guard new != old else { return [] }
    guard byteCount == 8 || new <= UInt64(UInt32.max) else { throw ParseError(.invalid("no room for the new place of a box"), at: place) }
    return [ByteChange(place..<place + byteCount, to: new)]
  }

  /// The changes of a `tfra` (ISO/IEC 14496-12, 8.8.10).
  private func accessChanges(_ box: borrowing Box) throws(ParseError) -> [ByteChange] {
    var fields = box.fields
    let byteCount = try FullBoxFields(reading: &fields).timeByteCount
    try fields.skip(4)  // track_ID
    let lengths = try fields.readUInt32()
    // The sizes of traf_number, trun_number and sample_number, each less 1.
    let numbers = [4, 2, 0].reduce(3) { (sum: Int, shift: UInt32) in sum + Int(lengths >> shift & 3) }
    var found: [ByteChange] = []
    for _ in 0..<(try fields.readUInt32()) {
      try fields.skip(byteCount)  // time
      found += try movedField(&fields, byteCount: byteCount)
      try fields.skip(numbers)
    }
    return found
  }

  /// The changes of a `sidx` (ISO/IEC 14496-12, 8.16.3): the sizes of what it refers to.
  private func indexChanges(_ box: borrowing Box) throws(ParseError) -> [ByteChange] {
    var fields = box.fields
    let byteCount = try FullBoxFields(reading: &fields).timeByteCount
    try fields.skip(8 + byteCount)  // reference_ID, timescale, earliest_presentation_time
    let firstPlace = fields.offset
    let first = try fields.readInteger(byteCount: byteCount)
    let anchor = box.payloadOffset + box.payload.count
    var position = anchor.addingSaturated(Int(clamping: first))
    let growth = UInt64(clamping: count(before: position) - count(before: anchor))
    var found = try Self.change(first, to: first.addingSaturated(growth), byteCount: byteCount, at: firstPlace)
    try fields.skip(2)  // reserved
    for _ in 0..<(try fields.readUInt16()) {
      let place = fields.offset
      let word = try fields.readUInt32()
      let size = word & 0x7FFF_FFFF
      let end = position.addingSaturated(Int(clamping: size))
      let newSize = UInt64(size) + UInt64(clamping: count(before: end) - count(before: position))
      guard newSize <= 0x7FFF_FFFF else { throw ParseError(.invalid("no room for the new size of a segment"), at: place) }
      if newSize != UInt64(size) { found.append(ByteChange(place..<place + 4, to: word & 0x8000_0000 | UInt32(newSize))) }
      try fields.skip(8)
      position = end
    }
    return found
  }
}
