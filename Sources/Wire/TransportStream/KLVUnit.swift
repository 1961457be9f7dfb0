package import Basics

/// A set of KLV metadata (SMPTE ST 336): a universal key and the length of what follows it.
package struct KLVUnit: Equatable, Sendable {
  /// The universal label of 16 bytes.
  package var key: [UInt8]
  /// The length of the value in bytes.
  package var length: Int

  /// The format_identifier "KLVA" of KLV streams (SMPTE RP 217).
  package static let format = "KLVA"
  /// The same as a number.
  static let formatIdentifier: UInt32 = 0x4B4C_5641
  /// The first bytes of every universal label.
  private static let labelStart: [UInt8] = [0x06, 0x0E, 0x2B, 0x34]
  /// The header of a metadata_AU_cell (ISO/IEC 13818-1, 2.12.4).
  private static let cellHeaderLength = 5

  /// A set.
  package init(key: [UInt8], length: Int) { (self.key, self.length) = (key, length) }

  /// The sets in the payload of a PES packet, with or without the header of a metadata_AU_cell in front of each.
  ///
  /// - Throws: `ParseError` if something else than a set starts where one should, or one is cut off. Offsets count from the payload's start.
  package static func list(_ payload: Span<UInt8>) throws(ParseError) -> [KLVUnit] {
    var reader = ByteReader(payload)
    var units: [KLVUnit] = []
    while reader.remaining > 0 {
      guard units.count < 1_024 else { throw reader.error(.aboveLimit(what: "number of KLV sets", limit: 1_024)) }
      if !reader.bytes.extracting(droppingFirst: reader.position).starts(with: labelStart.view) { try reader.skip(cellHeaderLength) }
      guard reader.bytes.extracting(droppingFirst: reader.position).starts(with: labelStart.view) else {
        throw reader.error(.invalid("no universal label of KLV"))
      }
      let key = try reader.readBytes(16)
      let length = try readLength(&reader)
      try reader.skip(length)
      units.append(KLVUnit(key: key, length: length))
    }
    return units
  }

  /// A length by the basic encoding rules: one byte below 128, or the number of bytes that follow.
  @_lifetime(reader: copy reader)
  private static func readLength(_ reader: inout ByteReader) throws(ParseError) -> Int {
    let unknown = reader.error(.invalid("a length of KLV without a limit"))
    let first = try reader.readUInt8()
    guard first >= 0x80 else { return Int(first) }
    guard 0x81...0x88 ~= first else { throw unknown }
    return Int(clamping: try reader.readInteger(byteCount: Int(first & 0x7F)))
  }
}

extension ProgramMapTable.ElementaryStream {
  /// Whether the stream carries KLV (MISB ST 1402): metadata in PES packets, or private data, of the format "KLVA".
  package var isKLV: Bool {
    switch type {
    case .metadata: isRegistered(as: KLVUnit.format) || descriptors.contains { MetadataDescriptor($0)?.format == KLVUnit.formatIdentifier }
    case .privateData: isRegistered(as: KLVUnit.format)
    default: false
    }
  }

  /// Whether the stream carries splices (SCTE 35, 8.1): sections of its own stream_type, or of any type if they are registered as "CUEI".
  ///
  /// - Parameter map: The program. In one of Blu-ray ("HDMV") the same stream_type is DTS-HD audio.
  package func isSplices(in map: ProgramMapTable) -> Bool {
    func isRegistered(_ list: [Descriptor], _ format: String) -> Bool {
      list.contains { $0.tag == Descriptor.Tag.registration && $0.data.starts(with: Array(format.utf8)) }
    }
    if isRegistered(descriptors, "CUEI") { return true }
    return type == .splices && !isRegistered(map.descriptors, "HDMV")
  }
}
