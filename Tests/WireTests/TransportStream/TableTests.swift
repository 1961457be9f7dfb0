import Basics
import Testing
import TransportStream

@Suite struct DescriptorTests {
  /// The bytes that Apple's "Timed Metadata for HTTP Live Streaming" asks for.
  @Test func metadataDescriptorsHaveApplesForm() {
    let pointer = MetadataPointerDescriptor(serviceID: 7, programNumber: 0x0102)
    let pointerBytes: [UInt8] = [0xFF, 0xFF, 0x49, 0x44, 0x33, 0x20, 0xFF, 0x49, 0x44, 0x33, 0x20, 7, 0x1F, 1, 2]
    #expect(pointer.descriptor == Descriptor(tag: 0x25, data: pointerBytes))
    #expect(MetadataPointerDescriptor(pointer.descriptor) == pointer)
    let descriptor = MetadataDescriptor(serviceID: 7)
    let bytes: [UInt8] = [0xFF, 0xFF, 0x49, 0x44, 0x33, 0x20, 0xFF, 0x49, 0x44, 0x33, 0x20, 7, 0x0F]
    #expect(descriptor.descriptor == Descriptor(tag: 0x26, data: bytes))
    #expect(MetadataDescriptor(descriptor.descriptor) == descriptor)
  }

  @Test func cutOffDescriptorsAreNone() {
    let whole = MetadataPointerDescriptor(serviceID: 0, programNumber: 1).descriptor
    for length in 0..<13 {
      #expect(MetadataPointerDescriptor(Descriptor(tag: 0x25, data: Array(whole.data.prefix(length)))) == nil)
    }
    #expect(MetadataDescriptor(whole) == nil)
  }

  @Test func otherFormatsAreNoID3() throws {
    let klv = Descriptor(tag: 0x26, data: [0x01, 0x00, 0xFF, 0x4B, 0x4C, 0x56, 0x41, 0, 0x0F])
    #expect(MetadataDescriptor(klv)?.isID3 == false)
    let stream = ProgramMapTable.ElementaryStream(type: .metadata, pid: 0x102, descriptors: [klv])
    #expect(!stream.isTimedID3)
    #expect(ProgramMapTable.ElementaryStream(type: .metadata, pid: 0x102).isTimedID3)
  }

  /// FFmpeg registers synchronous KLV without a metadata_descriptor, and its older versions timed ID3 likewise.
  @Test(arguments: [("KLVA", false), ("VANC", false), ("ID3 ", true)])
  func registeredMetadataIsWhatTheRegistrationSays(format: String, isTimedID3: Bool) {
    let registration = Descriptor(tag: Descriptor.Tag.registration, data: Array(format.utf8))
    let stream = ProgramMapTable.ElementaryStream(type: .metadata, pid: 0x102, descriptors: [registration])
    #expect(stream.isTimedID3 == isTimedID3)
    // The metadata_descriptor tells more than the registration.
    let described = ProgramMapTable.ElementaryStream(
      type: .metadata, pid: 0x102, descriptors: [registration, MetadataDescriptor(serviceID: 0).descriptor])
    #expect(described.isTimedID3)
  }
}

/// A program with video, audio and timed ID3.
let sampleMap = ProgramMapTable(
  programNumber: 1, version: 3, pcrPID: 0x100,
  descriptors: [MetadataPointerDescriptor(serviceID: 0, programNumber: 1).descriptor],
  streams: [
    .init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101, descriptors: [Descriptor(tag: 0x0A, data: Array("eng\0".utf8))]),
    .init(type: .metadata, pid: 0x102, descriptors: [MetadataDescriptor(serviceID: 0).descriptor]),
  ])

let sampleAssociation = ProgramAssociationTable(
  transportStreamID: 1, version: 0, entries: [.init(number: 0, pmtPID: 0x10), .init(number: 1, pmtPID: 0x1000)])

@Suite struct TableTests {
  static let sections: [Section] = [
    sampleAssociation.section, (try? sampleMap.section()) ?? sampleAssociation.section,
    Section(tableID: 0x42, tableIDExtension: 9, version: 31, isCurrent: false, number: 1, lastNumber: 2, body: [1, 2, 3]),
  ]

  @Test(arguments: sections) func sectionsGoBothWays(section: Section) throws {
    let bytes = try section.encode()
    #expect(try Section(bytes.span) == section)
    for length in 0..<bytes.count {
      let cut = Array(bytes.prefix(length))
      #expect(throws: ParseError.self) { try Section(cut.span) }
    }
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: ParseError.self) { try Section(flipped.span) }
    }
  }

  @Test func tablesGoBothWays() throws {
    #expect(try ProgramAssociationTable(sampleAssociation.section) == sampleAssociation)
    #expect(sampleAssociation.programs == [.init(number: 1, pmtPID: 0x1000)])
    #expect(try ProgramMapTable(sampleMap.section()) == sampleMap)
    #expect(sampleMap.referenceStream?.pid == 0x100)
    #expect(sampleMap.timedID3Streams.map(\.pid) == [0x102])
  }

  /// Sound in private data is known by its descriptors: AAC, DTS-HD, AC-4, DTS-UHD, and what is registered. Others are no sound.
  @Test func soundIsKnownByItsDescriptors() {
    func isAudio(_ tag: UInt8, _ data: [UInt8]) -> Bool {
      ProgramMapTable.ElementaryStream(type: .privateData, pid: 1, descriptors: [Descriptor(tag: tag, data: data)]).isAudio
    }
    #expect(isAudio(0x7C, [0x58]) && [0x0E, 0x15, 0x21].allSatisfy { isAudio(0x7F, [$0, 0]) })
    #expect(["Opus", "BSSD", "AC-3", "AC-4"].allSatisfy { isAudio(0x05, Array($0.utf8)) })
    #expect(!isAudio(0x7F, [0x06]) && !isAudio(0x7F, []) && !isAudio(0x05, Array("AV01".utf8)) && !isAudio(0x59, []))
    #expect(StreamType.mpegH.isAudio && StreamType.vvc.isVideo && StreamType.vc1.isVideo && StreamType.avs3.isVideo)
  }

  /// Where decoding can start, by the first bytes: IDR, CRA and parameter sets of VVC, and what is none.
  @Test(arguments: [(0x39, true), (0x41, true), (0x49, true), (0x79, true), (0x01, false), (0x81, false)] as [(UInt8, Bool)])
  func randomAccessOfVVC(second: UInt8, isLikely: Bool) {
    let unit: [UInt8] = [0, 0, 0, 1, 0x00, 0xA1, 0x20, 0, 0, 1, 0x00, second]
    for length in unit.indices { _ = RandomAccess.isLikely(Array(unit.prefix(length)).span, type: .vvc) }
    #expect(RandomAccess.isLikely(unit.span, type: .vvc) == isLikely)
  }

  /// The map that FFmpeg 5.1 writes for H.264 and AAC, byte for byte.
  @Test func readsAMapOfFFmpeg() throws {
    var bytes: [UInt8] = [0x02, 0xB0, 0x1D, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0, 0x1B, 0xE1, 0, 0xF0, 0, 0x0F, 0xE1, 1, 0xF0, 6]
    bytes += [0x0A, 4, 0x75, 0x6E, 0x64, 0]
    let crc = CRC32MPEG2.checksum(bytes.span)
    bytes += [
      UInt8(truncatingIfNeeded: crc >> 24), UInt8(truncatingIfNeeded: crc >> 16), UInt8(truncatingIfNeeded: crc >> 8),
      UInt8(truncatingIfNeeded: crc),
    ]
    let section = try Section(bytes.span)
    let map = try ProgramMapTable(section)
    let language = Descriptor(tag: 0x0A, data: Array("und\0".utf8))
    #expect(
      map
        == ProgramMapTable(
          programNumber: 1, version: 0, pcrPID: 0x100,
          streams: [.init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101, descriptors: [language])]))
    #expect(try map.section().encode() == bytes)
  }

  @Test func aMapThatIsTooLongIsRefused() {
    var map = sampleMap
    map.descriptors = (0..<5).map { _ in Descriptor(tag: 0x80, data: [UInt8](repeating: 0, count: 255)) }
    #expect(throws: ParseError.self) { try map.section() }
  }
}

/// Tables of versions that are still to come (current_next_indicator 0) do not apply.
@Suite struct NextTableTests {
  /// What each of the sections, on its PID, changes.
  static func changes(_ sections: [(PID, Section)]) throws -> [[ProgramTables.Change]] {
    var tables = ProgramTables()
    var counters: [PID: UInt8] = [:]
    return try sections.map { pid, section in
      let packet = TransportPacket.packets(carrying: [0] + (try section.encode()), pid: pid, counter: &counters[pid, default: 0])
      let header = try TransportPacket(packet.span)
      return tables.push(header, payload: packet.span.extracting(header.payload))
    }
  }

  @Test func theNextAssociation() throws {
    let next = ProgramAssociationTests.table(version: 1, 5)
    var coming = next.section
    coming.isCurrent = false
    let changes = try Self.changes([(0, coming), (0, sampleAssociation.section), (0, coming), (0, next.section)])
    #expect(changes == [[], [.programAssociation(sampleAssociation)], [], [.programAssociation(next)]])
  }

  @Test func theNextMap() throws {
    var next = sampleMap
    next.version = 4
    next.streams.reverse()
    var coming = next
    coming.isCurrent = false
    let sections = try [sampleMap, coming, sampleMap, coming, next].map { (0x1000 as PID, try $0.section()) }
    let changes = try Self.changes([(0, sampleAssociation.section)] + sections)
    #expect(changes == [[.programAssociation(sampleAssociation)], [.map(sampleMap)], [], [], [], [.map(next)]])
  }

  /// The sections of the next association are not counted among those of the one that applies.
  @Test func theNextAssociationOfSeveralSections() throws {
    var coming = ProgramAssociationTests.section(1, of: 2, version: 3, 9)
    coming.isCurrent = false
    let sections = [
      ProgramAssociationTests.section(0, of: 2, version: 3, 1), coming, ProgramAssociationTests.section(1, of: 2, version: 3, 2),
    ]
    #expect(try Self.changes(sections.map { (0, $0) }) == [[], [], [.programAssociation(ProgramAssociationTests.table(version: 3, 1, 2))]])
  }
}

/// Tables come again and again; what came before decides nothing once another table has changed.
@Suite struct RepeatedTableTests {
  @Test func aMapIsTakenAgainWhenItsProgramIsBack() throws {
    let without = ProgramAssociationTests.table(version: 1, 5)
    let (association, map) = (sampleAssociation.section, try sampleMap.section())
    let changes = try NextTableTests.changes([
      (0x1000, map), (0x1000, map), (0, association), (0, association), (0x1000, map), (0x1000, map), (0x1000, map), (0, association),
      (0, without.section), (0, without.section), (0, association), (0x1000, map), (0x1000, map),
    ])
    #expect(
      changes == [
        [], [], [.programAssociation(sampleAssociation)], [], [.map(sampleMap)], [], [], [],
        [.programAssociation(without)], [], [.programAssociation(sampleAssociation)], [.map(sampleMap)], [],
      ])
  }

  @Test func damageIsToldEachTime() throws {
    var tables = ProgramTables()
    var counter: UInt8 = 0
    for damage: UInt8 in 1...4 {
      var section = try sampleAssociation.section.encode()
      section[9] ^= damage
      let packet = TransportPacket.packets(carrying: [0] + section, pid: 0, counter: &counter)
      let header = try TransportPacket(packet.span)
      #expect(tables.push(header, payload: packet.span.extracting(header.payload)).count == 1)
    }
  }

  /// Skipping what repeats tells apart what `push` would: another counter, payload or flag, and a section that has begun.
  @Test func onlyARepetitionIsSkipped() throws {
    var assembler = SectionAssembler()
    let section = try sampleAssociation.section.encode()
    func packet(_ counter: UInt8, _ change: (inout [UInt8]) -> Void = { _ in }) throws -> ([UInt8], TransportPacket) {
      var counter = counter
      var packet = TransportPacket.packets(carrying: [0] + section, pid: 0, counter: &counter)
      change(&packet)
      return (packet, try TransportPacket(packet.span))
    }
    func skips(_ pair: ([UInt8], TransportPacket)) -> Bool {
      assembler.skipRepetition(pair.1, payload: pair.0.span.extracting(pair.1.payload))
    }
    #expect(try skips(packet(3)) == false)
    let first = try packet(3)
    #expect(assembler.push(first.1, payload: first.0.span.extracting(first.1.payload)) == [section])
    #expect(try skips(packet(5)) == false)
    #expect(try skips(packet(4) { $0[187] ^= 1 }) == false)
    #expect(try skips(packet(4) { $0[1] &= 0xBF }) == false)
    #expect(try skips(packet(4) { $0[3] |= 0x80 }) == false)
    #expect(try skips(packet(4)))
    #expect(try skips(packet(4)) == false)
    #expect(try skips(packet(5)))
    assembler.reset()
    #expect(try skips(packet(6)) == false)
  }
}

@Suite struct SectionAssemblerTests {
  /// Packets of one PID that carry sections one after another.
  static func packets(_ sections: [[UInt8]], counter: UInt8 = 0) -> [[UInt8]] {
    var counter = counter
    var unit: [UInt8] = [0] + sections.joined()
    unit += [UInt8](repeating: 0xFF, count: (184 - unit.count % 184) % 184)
    let bytes = TransportPacket.packets(carrying: unit, pid: 0x1000, counter: &counter)
    return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
  }

  static func assemble(_ packets: [[UInt8]]) throws -> [[UInt8]] {
    var assembler = SectionAssembler()
    return try packets.flatMap { packet in
      let header = try TransportPacket(packet.span)
      return assembler.push(header, payload: packet.span.extracting(header.payload))
    }
  }

  static func large(_ fill: UInt8) throws -> [UInt8] {
    try Section(tableID: 2, tableIDExtension: 1, version: 0, body: [UInt8](repeating: fill, count: 700)).encode()
  }

  @Test func joinsWhatSpansPackets() throws {
    let sections = [try Self.large(1), try sampleMap.section().encode(), try Self.large(2)]
    #expect(try Self.assemble(Self.packets(sections)) == sections)
  }

  @Test func repeatedPacketsCountOnce() throws {
    let sections = [try Self.large(1)]
    let packets = Self.packets(sections)
    #expect(try Self.assemble(packets.flatMap { [$0, $0] }) == sections)
    for number in packets.indices {
      var repeating = packets
      repeating.insert(packets[number], at: number)
      #expect(try Self.assemble(repeating) == sections)
    }
  }

  /// The counter alone makes no repeat: packets of other content belong to the stream.
  @Test func aCounterThatStandsStill() throws {
    // Contents that were equal would be repeats.
    let long = Section(tableID: 2, tableIDExtension: 1, version: 0, body: (0..<700).map { UInt8($0 / 3) })
    let sections = [try long.encode(), try sampleMap.section().encode(), try long.encode()]
    var packets = sections.flatMap { Self.packets([$0]) }
    for number in packets.indices { packets[number][3] = packets[number][3] & 0xF0 | 7 }
    #expect(try Self.assemble(packets) == sections)
  }

  /// Behind a discontinuity nothing goes on, though its counter may be the next one.
  @Test func aDiscontinuityStartsAnew() throws {
    let section = try Section(tableID: 2, tableIDExtension: 1, version: 0, body: [UInt8](repeating: 1, count: 300)).encode()
    var counter: UInt8 = 0
    let bytes = TransportPacket.packets(carrying: [0] + section, pid: 0x1000, counter: &counter)
    var packets = [Array(bytes[..<188]), Array(bytes[188...])]
    #expect(try Self.assemble(packets) == [section])
    // The flags of its adaptation field.
    packets[1][5] |= 0x80
    #expect(try Self.assemble(packets) == [])
    let later = Self.packets([try Self.large(2)], counter: 2)
    #expect(try Self.assemble(packets + later) == [Self.large(2)])
  }

  @Test func aMissingPacketCostsOneSection() throws {
    let first = Self.packets([try Self.large(1)])
    let second = Self.packets([try Self.large(2)], counter: UInt8(first.count))
    for missing in first.indices {
      var packets = first
      packets.remove(at: missing)
      #expect(try Self.assemble(packets + second) == [Self.large(2)])
    }
  }

  /// Whatever fills a packet behind its section, the section is read, and nothing else.
  @Test(arguments: [0x00, 0x47, 0x80, 0xAA, 0xC1] as [UInt8]) func otherFilling(byte: UInt8) throws {
    let section = try sampleMap.section().encode()
    let packets = (0..<3).map { (counter: UInt8) -> [UInt8] in
      [0x47, 0x50, 0x00, 0x10 | counter, 0] + section + [UInt8](repeating: byte, count: 183 - section.count)
    }
    #expect(try Self.assemble(packets) == [section, section, section])
  }

  /// One or two bytes of filling start no section, unless they can be the table_id of one that has no PID of its own.
  @Test(arguments: [([0x47], false), ([0x00], false), ([0x42, 0x80], false), ([0x02], true), ([0xC1], true)] as [([UInt8], Bool)])
  func littleFilling(filling: [UInt8], isSection: Bool) throws {
    let section = try sampleMap.section().encode()
    let lead = 183 - section.count - filling.count
    let packet = [0x47, 0x50, 0x00, 0x10, UInt8(lead)] + [UInt8](repeating: 0xFF, count: lead) + section + filling
    var assembler = SectionAssembler()
    let header = try TransportPacket(packet.span)
    #expect(assembler.push(header, payload: packet.span.extracting(header.payload)) == [section])
    #expect(assembler.isInsideSection == isSection && assembler.restCount == filling.count)
  }

  /// Random filling may look like the start of a section that goes on in the next packet. What no section has is none; a section with all that
  /// belongs to one is awaited.
  @Test(
    arguments: [
      ([0x42, 0x81, 0x40, 1, 2, 3, 4, 5], false), ([0x42, 0xB1, 0x40, 1, 2, 0x03, 4, 5], false),
      ([0x42, 0xB1, 0x40, 1, 2, 0xC3, 5, 4], false),
      ([0x21, 0xB1, 0x40, 1, 2, 0xC3, 4, 5], false), ([0x42, 0xB1, 0x40, 1, 2, 0xC3, 4, 5], true),
      ([0x02, 0xB1, 0x40, 1, 2, 0xC3, 0, 0], true),
    ] as [([UInt8], Bool)]) func fillingLikeASection(start: [UInt8], isSection: Bool) throws
  {
    let section = try sampleMap.section().encode()
    let filling = start + (0..<183).map { UInt8($0) }
    let packet = [0x47, 0x50, 0x00, 0x10, 0] + section + filling.prefix(183 - section.count)
    var assembler = SectionAssembler()
    let header = try TransportPacket(packet.span)
    #expect(assembler.push(header, payload: packet.span.extracting(header.payload)) == [section])
    #expect(assembler.isInsideSection == isSection)
  }

  /// Sections whose checksums are all wrong are used from the second equal one on, and no more once one is right.
  @Test func wrongChecksums() throws {
    let right = try sampleMap.section().encode()
    let wrong = Array(right.dropLast(4)) + [1, 2, 3, 4]
    var checksums = SectionChecksums()
    let verdicts = [wrong, wrong, wrong, right, wrong, wrong].map { checksums.check($0) }
    #expect(verdicts == [.damaged, .usable, .usable, .right, .damaged, .damaged])
  }

  /// A map that is changed and changed back has its reserved bits again.
  @Test func reservedBitsStay() throws {
    var bytes = Array(try sampleMap.section().encode().dropLast(4))
    for (place, mask) in [(1, 0x8F), (5, 0x3F), (8, 0x1F), (10, 0x0F)] as [(Int, UInt8)] { bytes[place] &= mask }
    let checksum = CRC32MPEG2.checksum(bytes.span)
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    var longer = try ProgramMapTable(Section(bytes.span))
    let original = longer
    longer.streams.append(.init(type: .metadata, pid: 0x1FF, descriptors: [MetadataDescriptor(serviceID: 1).descriptor]))
    let changed = try longer.section(replacing: bytes)
    #expect(changed != bytes)
    #expect(try ProgramMapTable(Section(changed.span)) == longer)
    #expect(try original.section(replacing: changed) == bytes)
  }
}
