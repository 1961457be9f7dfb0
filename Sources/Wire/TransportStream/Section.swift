public import Basics

/// A section of program-specific information (ISO/IEC 13818-1, 2.4.4), with the long header that PAT and PMT have.
public struct Section: Equatable, Sendable {
  /// The table_id.
  public var tableID: UInt8
  /// The transport stream's or the program's number, depending on the table.
  public var tableIDExtension: UInt16
  /// The version of the table, 0 to 31.
  public var version: UInt8
  /// Whether the table applies now; otherwise it is the next one to apply.
  public var isCurrent: Bool
  /// The number of this section in its table.
  public var number: UInt8
  /// The number of the table's last section.
  public var lastNumber: UInt8
  /// The bytes between the header and the checksum.
  public var body: [UInt8]

  /// The largest section_length of PAT and PMT.
  public static let largestLength = 1_021

  /// A section with these fields.
  public init(
    tableID: UInt8, tableIDExtension: UInt16, version: UInt8, isCurrent: Bool = true, number: UInt8 = 0, lastNumber: UInt8 = 0,
    body: [UInt8]
  ) {
    self.tableID = tableID
    self.tableIDExtension = tableIDExtension
    self.version = version
    self.isCurrent = isCurrent
    self.number = number
    self.lastNumber = lastNumber
    self.body = body
  }
}

extension Section {
  /// Reads a whole section, its checksum included.
  ///
  /// - Throws: `ParseError` if it is cut off or too long, or the checksum is wrong.
  public init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    try self.init(unchecked: bytes, baseOffset: baseOffset)
    guard CRC32MPEG2.checksum(bytes) == 0 else { throw ParseError(.invalid("wrong checksum of a section"), at: baseOffset) }
  }

  /// Reads a whole section whose checksum may be wrong: see ``SectionChecksums``.
  ///
  /// - Throws: `ParseError` if it is cut off or too long.
  package init(unchecked bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    tableID = try reader.readUInt8()
    let length = try reader.readUInt16()
    guard length & 0x8000 != 0 else { throw ParseError(.invalid("section without the long header"), at: baseOffset + 1) }
    var content = try reader.readPart(Int(length & 0x0FFF))
    try reader.finish()
    tableIDExtension = try content.readUInt16()
    let flags = try content.readUInt8()
    version = flags >> 1 & 0x1F
    isCurrent = flags & 1 != 0
    number = try content.readUInt8()
    lastNumber = try content.readUInt8()
    body = try content.readBytes(content.remaining - 4)
  }

  /// The section's bytes, with its checksum.
  ///
  /// - Throws: `ParseError` if the section is too long.
  public func encode() throws(ParseError) -> [UInt8] {
    guard body.count + 9 <= Self.largestLength else {
      throw ParseError(.aboveLimit(what: "section length", limit: Self.largestLength), at: 0)
    }
    var writer = ByteWriter(capacity: body.count + 12)
    writer.writeUInt8(tableID)
    try writer.writeLengthPrefixed(bits: 12, flags: 0xB000, extra: 4) { content throws(ParseError) in
      content.writeUInt16(tableIDExtension)
      content.writeUInt8(0xC0 | (version & 0x1F) << 1 | (isCurrent ? 1 : 0))
      content.writeUInt8(number)
      content.writeUInt8(lastNumber)
      content.write(body)
    }
    writer.writeUInt32(CRC32MPEG2.checksum(writer.bytes.view))
    return writer.bytes
  }
}
