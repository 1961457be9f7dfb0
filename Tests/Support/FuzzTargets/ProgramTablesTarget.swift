import Basics
import TransportStream

extension FuzzTarget {
  /// Sections, the tables in them and their descriptors. An odd first byte makes the checksum right, so that what it protects is read.
  static let programTables = FuzzTarget("program-tables") { bytes in
    var input = FuzzInput(bytes)
    let isRepaired = input.next() & 1 == 1
    var encoded = Array(input.rest)
    if isRepaired, encoded.count >= 12 {
      let covered = encoded.count - 4
      encoded[1] = 0xB0 | UInt8((encoded.count - 3) >> 8 & 0x0F)
      encoded[2] = UInt8((encoded.count - 3) & 0xFF)
      let crc = CRC32MPEG2.checksum(encoded.span.extracting(..<covered))
      for index in 0..<4 { encoded[covered + index] = UInt8(truncatingIfNeeded: crc >> (24 - 8 * UInt32(index))) }
    }
    try followTables(encoded)
    let section: Section
    do throws(ParseError) {
      section = try Section(encoded.span)
    } catch {
      try require(error, liesIn: encoded)
      return
    }
    try readTables(in: section)
    // Third-party sections may be longer than ours, and have other values in reserved bits.
    guard let written = try? section.encode() else {
      return try require(encoded.count > Section.largestLength + 3, "not written: \(section)")
    }
    try require(try Section(written.span), equals: section, "section written and read again")
  }

  private static func readTables(in section: Section) throws {
    if let table = try? ProgramAssociationTable(section) {
      try require(try ProgramAssociationTable(table.section), equals: table, "association written and read again")
    }
    guard let map = try? ProgramMapTable(section) else { return }
    for descriptor in map.descriptors + map.streams.flatMap({ $0.descriptors }) {
      if let metadata = MetadataDescriptor(descriptor), metadata.format != nil {
        try require(MetadataDescriptor(metadata.descriptor), equals: metadata, "metadata descriptor written and read again")
      }
      if let pointer = MetadataPointerDescriptor(descriptor), pointer.format != nil, pointer.programNumber != nil {
        try require(MetadataPointerDescriptor(pointer.descriptor), equals: pointer, "pointer written and read again")
      }
    }
    _ = (map.referenceStream, map.timedID3Streams)
    // Lists of descriptors may take 12 bits in third-party streams, but not in ours.
    guard let written = try? map.section() else { return }
    try require(try ProgramMapTable(written), equals: map, "map written and read again")
  }

  /// The section split into packets comes out as it is, if it is one by its length; and whatever it is, following it does no harm.
  private static func followTables(_ encoded: [UInt8]) throws {
    var counter: UInt8 = 0
    let unit = [0] + encoded + [UInt8](repeating: 0xFF, count: (184 - (encoded.count + 1) % 184) % 184)
    let packets = TransportPacket.packets(carrying: unit, pid: ProgramAssociationTable.pid, counter: &counter)
    var assembler = SectionAssembler()
    var tables = ProgramTables()
    var sections: [[UInt8]] = []
    for start in stride(from: 0, to: packets.count, by: TransportPacket.size) {
      let packet = Array(packets[start..<start + TransportPacket.size])
      let header = try TransportPacket(packet.span)
      sections += assembler.push(header, payload: packet.span.extracting(header.payload))
      _ = tables.push(header, payload: packet.span.extracting(header.payload))
    }
    guard encoded.count >= 3, encoded[0] != 0xFF else { return }
    let stated = 3 + (Int(encoded[1] & 0x0F) << 8 | Int(encoded[2]))
    if stated == encoded.count, stated <= 4_096 { try require(sections.first, equals: encoded, "section in packets") }
  }
}
