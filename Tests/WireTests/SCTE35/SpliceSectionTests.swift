import Basics
import SCTE35
import Testing

@Suite struct SpliceSectionTests {
  /// Sections of every kind.
  static let sections: [SpliceSection] = {
    var components = SpliceInsert.Splice(isOut: true, at: 0, duration: 900_000)
    components.extent = .components([.init(tag: 1, time: 0x1_2345_6789), .init(tag: 9, time: nil)])
    let movie = SegmentationDescriptor.Segment(
      SegmentationType(rawValue: 0x34), duration: 0xFF_0000_0001, upidType: 0x0F, upid: Array("urn:example:7".utf8), number: 1, expected: 2)
    let list = descriptors([SegmentationDescriptor(eventID: 0xABCD_EF01, movie), SegmentationDescriptor(eventID: 2, nil)])
    return [
      SpliceSection(command: .null),
      SpliceSection(command: .insert(SpliceInsert(eventID: 0xFFFF_FFFE, SpliceInsert.Splice(isOut: false, at: nil)))),
      SpliceSection(
        ptsAdjustment: 0x1_FFFF_FF00, sapType: 1, controlWord: 7, tier: 5,
        command: .insert(
          SpliceInsert(
            eventID: 4, SpliceInsert.Splice(isOut: true, at: 0x1_0000_0001, duration: 2_700_000, returnsByItself: true, programID: 9)))),
      SpliceSection(command: .insert(SpliceInsert(eventID: 5, components))),
      SpliceSection(command: .insert(SpliceInsert(eventID: 6, nil))),
      SpliceSection(ptsAdjustment: 90_000, command: .timeSignal(180_000), descriptors: list),
      SpliceSection(command: .timeSignal(nil), descriptors: Array(list.prefix(1))),
      SpliceSection(command: .schedule([0])),
      SpliceSection(command: .bandwidthReservation),
      SpliceSection(command: .privateCommand(identifier: 0x4142_4344, data: [9, 8])),
      SpliceSection(command: .unknown(type: 0x42, data: [1])),
    ]
  }()

  @Test(arguments: sections) func isReadAsItWasWritten(_ section: SpliceSection) throws {
    let bytes = try section.encode()
    #expect(try Self.read(bytes) == section)
  }

  @Test(arguments: sections) func isRefusedAtEveryCutAndWithEveryChangedByte(_ section: SpliceSection) throws {
    let bytes = try section.encode()
    for count in bytes.indices {
      let cut = Array(bytes.prefix(count))
      #expect(throws: ParseError.self) { try Self.read(cut) }
      var changed = bytes
      changed[count] ^= 0x10
      #expect(throws: ParseError.self) { try Self.read(changed) }
    }
  }

  @Test func theTimeHasTheAdjustmentModulo33Bits() throws {
    let section = SpliceSection(ptsAdjustment: 0x1_FFFF_FFFF, command: .timeSignal(5))
    #expect(section.time == 4)
    let moved = try Self.read(SpliceSection.moving(section.encode(), by: -10))
    #expect(moved.ptsAdjustment == 0x1_FFFF_FFF5)
    #expect(moved.time == 0x1_FFFF_FFFA)
    #expect(moved.command == section.command)
    #expect(SpliceSection(ptsAdjustment: 3, command: .timeSignal(nil)).time == nil)
  }

  @Test(arguments: sections) func movingThereAndBackGivesTheSameBytes(_ section: SpliceSection) throws {
    let bytes = try section.encode()
    #expect(try SpliceSection.moving(SpliceSection.moving(bytes, by: 8_589_934_000), by: -8_589_934_000) == bytes)
  }

  /// A command whose length is not stated, bytes between the descriptors and the checksum, and reserved bits of other writers.
  @Test func readsOldWriters() throws {
    var bytes: [UInt8] = [0xFC, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 6, 0x80, 0, 0, 0, 9, 0, 0, 0xFF, 0xFF]
    bytes[2] = UInt8(bytes.count + 1)
    bytes += Self.checksum(bytes)
    #expect(try Self.read(bytes) == SpliceSection(command: .timeSignal(9)))
  }

  @Test func anEncryptedSectionHasNoCommand() throws {
    var bytes: [UInt8] = [0xFC, 0x30, 0, 0, 0x84, 0, 0, 0, 8, 2, 0, 0x10, 0x05, 0x99, 0x98, 0x97]
    bytes[2] = UInt8(bytes.count + 1)
    bytes += Self.checksum(bytes)
    let section = try Self.read(bytes)
    #expect(section == SpliceSection(ptsAdjustment: 8, controlWord: 2, tier: 1, command: .encrypted(algorithm: 2)).with(sapType: 3))
    #expect(throws: ParseError.self) { try section.encode() }
    #expect(try Self.read(SpliceSection.moving(bytes, by: 1)).ptsAdjustment == 9)
  }

  @Test func anotherVersionIsRefused() throws {
    var bytes = try SpliceSection(command: .null).encode()
    bytes[3] = 1
    bytes = Array(bytes.dropLast(4))
    bytes += Self.checksum(bytes)
    #expect(throws: ParseError(.invalid("splice_info_section of protocol version 1"), at: 3)) { try Self.read(bytes) }
  }

  /// Any bytes with a right checksum: no trap, and what is read and can be written is read again.
  @Test(arguments: 0..<40) func readsAnyBytes(_ seed: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(seed))
    for _ in 0..<100 {
      let types: [UInt8] = [0, 4, 5, 6, 7, 0xFF, 9]
      var bytes: [UInt8] = [0xFC, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, types[numbers.below(types.count)]]
      for _ in 0..<numbers.below(60) { bytes.append(UInt8(numbers.below(4) == 0 ? numbers.below(256) : numbers.below(3))) }
      bytes[2] = UInt8(bytes.count + 1)
      bytes += Self.checksum(bytes)
      guard let section = try? Self.read(bytes) else { continue }
      _ = section.segmentations.map { $0.segment?.upidText }
      guard let written = try? section.encode() else { continue }
      #expect(try Self.read(written).time == section.time)
    }
  }

  static func descriptors(_ segmentations: [SegmentationDescriptor]) -> [SpliceDescriptor] {
    var list = [SpliceDescriptor(tag: 0xF0, identifier: 0x4142_4344, data: [1, 2, 3])]
    do throws(ParseError) {
      for segmentation in segmentations { list.insert(try segmentation.encode(), at: 0) }
    } catch {
      Issue.record("\(error)")
    }
    return list
  }

  static func read(_ bytes: [UInt8]) throws(ParseError) -> SpliceSection {
    let view = bytes.view
    return try SpliceSection(view)
  }

  static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let value = CRC32MPEG2.checksum(bytes.view)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}

extension SpliceSection {
  func with(sapType: UInt8) -> SpliceSection {
    var section = self
    section.sapType = sapType
    return section
  }
}
