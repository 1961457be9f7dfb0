package import Basics

/// A splice_info_section (SCTE 35, 9.6): one cue for the start or the end of an advertisement or of a part of the programme.
package struct SpliceSection: Equatable, Sendable {
  /// The sap_type: 3 if none is stated.
  package var sapType: UInt8
  /// The pts_adjustment in 90 kHz ticks of 33 bits. It is added to every time in the section: a device that moves the clock changes only it.
  package var ptsAdjustment: UInt64
  /// The cw_index: which control word encrypts the section.
  package var controlWord: UInt8
  /// The tier, 12 bits.
  package var tier: UInt16
  /// The command.
  package var command: SpliceCommand
  /// The descriptors, in order.
  package var descriptors: [SpliceDescriptor]

  /// The table_id.
  package static let tableID: UInt8 = 0xFC
  /// The largest section_length.
  package static let largestLength = 4_093
  /// The bits of a time.
  private static let timeMask: UInt64 = 0x1_FFFF_FFFF
  /// Where pts_adjustment lies: its highest bit is the lowest one of the first byte.
  private static let adjustmentOffset = 4

  /// A section.
  package init(
    ptsAdjustment: UInt64 = 0, sapType: UInt8 = 3, controlWord: UInt8 = 0, tier: UInt16 = 0xFFF, command: SpliceCommand,
    descriptors: [SpliceDescriptor] = []
  ) {
    (self.ptsAdjustment, self.sapType, self.controlWord, self.tier) = (ptsAdjustment, sapType, controlWord, tier)
    (self.command, self.descriptors) = (command, descriptors)
  }

  /// The time of the splice on the stream's clock, in 90 kHz ticks of 33 bits, with pts_adjustment; `nil` if the command has none, which means "now".
  package var time: UInt64? { command.time.map { ($0 &+ ptsAdjustment) & Self.timeMask } }

  /// The segmentation descriptors that can be read.
  package var segmentations: [SegmentationDescriptor] { descriptors.compactMap { try? SegmentationDescriptor($0) } }
}

extension SpliceSection {
  /// Reads a whole section, its checksum included.
  ///
  /// - Throws: `ParseError` if it is cut off, is of another table or version, a field does not fit, or the checksum is wrong.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    guard try reader.readUInt8() == Self.tableID else { throw ParseError(.invalid("no splice_info_section"), at: baseOffset) }
    let flags = try reader.readUInt16()
    sapType = UInt8(flags >> 12 & 3)
    var content = try reader.readPart(Int(flags & 0x0FFF))
    try reader.finish()
    guard CRC32MPEG2.checksum(bytes) == 0 else { throw ParseError(.invalid("wrong checksum of a splice_info_section"), at: baseOffset) }
    let version = try content.readUInt8()
    guard version == 0 else { throw ParseError(.invalid("splice_info_section of protocol version \(version)"), at: baseOffset + 3) }
    let encryption = try content.readUInt8()
    ptsAdjustment = UInt64(encryption & 1) << 32 | UInt64(try content.readUInt32())
    controlWord = try content.readUInt8()
    let lengths = try content.readInteger(byteCount: 3)
    tier = UInt16(lengths >> 12)
    guard encryption & 0x80 == 0 else {
      (command, descriptors) = (.encrypted(algorithm: encryption >> 1 & 0x3F), [])
      return
    }
    let type = try content.readUInt8()
    let length = Int(lengths & 0xFFF)
    // Old writers do not state the command's length.
    if length == 0xFFF {
      command = try SpliceCommand(type: type, &content)
    } else {
      var part = try content.readPart(length)
      command = try SpliceCommand(type: type, &part)
    }
    var list = try content.readPart(Int(try content.readUInt16()))
    descriptors = []
    while list.remaining > 0 { descriptors.append(try SpliceDescriptor(reading: &list)) }
    try content.require(4)
  }

  /// The section's bytes, with its checksum.
  ///
  /// - Throws: `ParseError` if the section is too long, or encrypted.
  package func encode() throws(ParseError) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.writeUInt8(Self.tableID)
    try writer.writeLengthPrefixed(bits: 12, flags: UInt64(sapType & 3) << 12, extra: 4) { content throws(ParseError) in
      content.writeUInt8(0)
      content.writeInteger(ptsAdjustment & Self.timeMask, byteCount: 5)
      content.writeUInt8(controlWord)
      let bytes = try command.encode()
      guard bytes.count < 0xFFF else { throw ParseError(.aboveLimit(what: "length of a splice command", limit: 0xFFE), at: 0) }
      content.writeInteger(UInt64(tier & 0xFFF) << 12 | UInt64(bytes.count), byteCount: 3)
      content.writeUInt8(command.type)
      content.write(bytes)
      try content.writeLengthPrefixed(bits: 16) { list throws(ParseError) in
        for descriptor in descriptors { try descriptor.write(to: &list) }
      }
    }
    guard writer.bytes.count - 3 + 4 <= Self.largestLength else {
      throw ParseError(.aboveLimit(what: "section length", limit: Self.largestLength), at: 0)
    }
    writer.writeUInt32(CRC32MPEG2.checksum(writer.bytes.view))
    return writer.bytes
  }

  /// The bytes of a section whose times are moved by a number of 90 kHz ticks: only pts_adjustment and the checksum change. That holds for encrypted
  /// sections too.
  ///
  /// - Throws: `ParseError` if the bytes are no section, or its checksum is wrong.
  package static func moving(_ bytes: [UInt8], by ticks: Int64) throws(ParseError) -> [UInt8] {
    let section = try SpliceSection(bytes.view)
    let adjustment = (section.ptsAdjustment &+ UInt64(bitPattern: ticks)) & timeMask
    var moved = Array(bytes.dropLast(4))
    moved[adjustmentOffset] = moved[adjustmentOffset] & 0xFE | UInt8(adjustment >> 32)
    for index in 1...4 { moved[adjustmentOffset + index] = UInt8(truncatingIfNeeded: adjustment >> UInt64(32 - 8 * index)) }
    let checksum = CRC32MPEG2.checksum(moved.view)
    for shift in [24, 16, 8, 0] as [UInt32] { moved.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    return moved
  }
}
