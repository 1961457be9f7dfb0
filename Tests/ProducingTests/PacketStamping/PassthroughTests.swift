import Basics
import EventSchedule
import TestSupport
import Testing
import TransportStream

@testable import PacketStamping

/// Nothing but the PMT changes, and the events are added.
@Suite struct PassthroughTests {
  /// Streams with everything that may lie between packets of video and audio.
  enum Source: CaseIterable {
    case plain, hevc, soundAlone, ownClock, longMap, changingMap, sectionsTogether, noMarks

    var sample: SampleStream {
      var sample = SampleStream()
      switch self {
      case .plain: break
      case .hevc: sample.map.streams[0].type = .hevc
      case .soundAlone: sample.map = SampleStream.soundAlone
      case .ownClock: sample.map.pcrPID = 0x1F0
      case .longMap: sample.map.streams[1].descriptors = Self.descriptors(200, 170)
      case .changingMap:
        sample.laterMaps[20] = Self.map(version: 4, Self.descriptors(180))
        sample.laterMaps[40] = Self.map(version: 31, [])
      case .sectionsTogether:
        let map = try? sample.map.section().encode()
        let other = try? Section(tableID: 0xC0, tableIDExtension: 7, version: 1, body: [UInt8](repeating: 9, count: 150)).encode()
        var writer = SamplePacketWriter()
        writer.append(sections: [other ?? [], map ?? [], other ?? []], pid: 0x1000)
        sample.tablesEvery = 0
        writer.append(section: Self.association.section, pid: 0)
        sample.extras[0] = [.packets(Array(writer.bytes.suffix(188) + writer.bytes.dropLast(188)))]
      case .noMarks: sample.marksRandomAccess = false
      }
      sample.extras[5] = [.packets(SamplePacketWriter.nullPacket), .clock(0x100, 905_000), .clock(0x101, 905_000)]
      if self != .soundAlone {
        sample.extras[14] = [.pes(0x55, [UInt8](repeating: 3, count: 400)), .packets(SamplePacketWriter.nullPacket)]
      }
      return sample
    }

    private static let association = ProgramAssociationTable(
      transportStreamID: 1, version: 0, entries: [.init(number: 0, pmtPID: 0x10), .init(number: 1, pmtPID: 0x1000)])

    private static func descriptors(_ sizes: Int...) -> [Descriptor] {
      sizes.map { Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: $0)) }
    }

    private static func map(version: UInt8, _ descriptors: [Descriptor]) -> ProgramMapTable {
      var map = SampleStream.videoAndAudio
      map.version = version
      map.descriptors = descriptors
      return map
    }
  }

  @Test(arguments: Source.allCases) func onlyTheMapChanges(source: Source) throws {
    let sample = source.sample
    let original = sample.bytes
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    let pid: PID = 0x102
    #expect(SamplePacket.pes(on: pid, in: stamped).count == report.copies)
    let difference = StampedDifference(original, stamped, eventPID: pid, pmtPID: sample.pmtPID)
    #expect(difference.unexpected == [])
    #expect(difference.replaced == report.replacedPackets && difference.added == report.addedPackets)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    #expect(report.events == 5)
    #expect(report.end == MediaTime(ticks: sample.end))
    #expect(report.skippedBytes == 0)
    try expectStampedMaps(of: original, in: stamped, sample, pid)
  }

  /// Each section on the PMT's PID is the original's, but for the version and what the carriage rules ask for.
  private func expectStampedMaps(of original: [UInt8], in stamped: [UInt8], _ sample: SampleStream, _ pid: PID) throws {
    let before = SamplePacket.sections(on: sample.pmtPID, in: original)
    let after = SamplePacket.sections(on: sample.pmtPID, in: stamped)
    let expected = try before.map { bytes in
      guard bytes[0] == ProgramMapTable.tableID else { return bytes }
      var map = try ProgramMapTable(Section(bytes.span))
      map.version = (map.version + 1) & 0x1F
      map.descriptors.append(Descriptor(tag: 0x25, data: hex("FFFF 49443320 FF 49443320 00 1F 0001")))
      map.streams.append(
        .init(type: .metadata, pid: pid, descriptors: [Descriptor(tag: 0x26, data: hex("FFFF 49443320 FF 49443320 00 0F"))]))
      return try map.section().encode()
    }
    #expect(after == expected)
    #expect(after.allSatisfy { CRC32MPEG2.checksum($0.span) == 0 })
  }

  /// The whole section, written down by hand after the carriage rules.
  @Test func theMapByteForByte() throws {
    let (stamped, _) = try stamp(SampleStream().bytes, with: [])
    let section = try #require(SamplePacket.sections(on: 0x1000, in: stamped).first)
    let body = hex(
      """
      02 B03C 0001 C9 00 00 E100
      F011 250F FFFF 49443320 FF 49443320 00 1F 0001
      1B E100 F000
      0F E101 F000
      15 E102 F00F 260D FFFF 49443320 FF 49443320 00 0F
      """)
    #expect(Array(section.dropLast(4)) == body)
    #expect(CRC32MPEG2.checksum(section.span) == 0)
  }

  /// Without events the stream still has its place for them, the same in every segment.
  @Test func noEventsLeaveTheMapAlone() throws {
    let sample = SampleStream()
    let (stamped, report) = try stamp(sample.bytes, with: [])
    #expect(report == .init(events: 0, copies: 0, skippedBytes: 0, end: MediaTime(ticks: sample.end)))
    #expect(stamped.count == sample.bytes.count)
  }

  @Test func chunksOfAnySizeGiveTheSameBytes() throws {
    let original = Source.changingMap.sample.bytes
    let (whole, report) = try stamp(original, with: SampleGame.plan())
    for chunk in [1, 7, 188, 1_000] {
      let (inChunks, sameReport) = try stamp(original, with: SampleGame.plan(), chunk: chunk)
      #expect(inChunks == whole, "chunks of \(chunk)")
      #expect(sameReport == report)
    }
    #expect(try stamp(original, with: SampleGame.plan()).bytes == whole)
  }

  /// Bytes between packets are left out. Those before the first packet and after the last one stay.
  @Test func bytesThatBelongToNoPacket() throws {
    let original = SampleStream().bytes
    let noise = [UInt8](repeating: 0, count: 100)
    let damaged = noise + original[..<18_800] + noise + original[18_800...] + original[..<50]
    let (stamped, report) = try stamp(Array(damaged), with: SampleGame.plan())
    let (clean, _) = try stamp(original, with: SampleGame.plan())
    #expect(stamped == noise + clean + original[..<50])
    #expect(report.skippedBytes == 250)
  }

  /// Packets of the PMT that are sent twice are changed twice.
  @Test func repeatedMapPackets() throws {
    var sample = SampleStream()
    sample.map.streams[1].descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 1, count: 180))]
    let original = sample.bytes
    let twice = SamplePacket.all(in: original).flatMap { $0.pid == 0x1000 ? $0.bytes + $0.bytes : $0.bytes }
    let (stamped, report) = try stamp(twice, with: [])
    #expect(report.addedPackets == 0 && stamped.count == twice.count)
    #expect(SamplePacket.withoutRepeats(on: 0x1000, in: stamped) == (try stamp(original, with: [])).bytes)
  }

  /// A PMT with a wrong checksum stays as it came, and the next one is stamped.
  @Test func aDamagedMapStays() throws {
    var original = SampleStream().bytes
    let maps = SamplePacket.all(in: original).filter { $0.pid == 0x1000 }
    let place = maps[1].offset + 20
    original[place] ^= 0x10
    let (stamped, _) = try stamp(original, with: SampleGame.plan())
    let packets = SamplePacket.all(in: stamped).filter { $0.pid == 0x1000 }
    #expect(packets.count == maps.count)
    #expect(packets[1].bytes == Array(original[maps[1].offset..<maps[1].offset + 188]))
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
  }
}

/// The bytes of hexadecimal digits; spaces and line ends count for nothing.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
