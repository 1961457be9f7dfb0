import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// What a transmission chain sends goes through as it came.
@Suite struct BroadcastTests {
  /// Two programs whose packets alternate: the first on 0x100 and 0x101 (PMT on 0x1000), the second on 0x200 and 0x201.
  static func twoPrograms(sharedMapPID: Bool = false) -> [UInt8] {
    let (first, second) = (ProgramAssociationTable.Program(number: 1, pmtPID: 0x1000), secondProgram(sharedMapPID))
    var one = SampleStream()
    one.otherPrograms = [.init(number: 0, pmtPID: 0x10), second]
    var two = SampleStream()
    two.otherPrograms = [.init(number: 0, pmtPID: 0x10), first]
    two.start = 77_000_000
    two.pmtPID = second.pmtPID
    two.map.programNumber = 2
    two.map.pcrPID = 0x200
    two.map.streams = [.init(type: .h264, pid: 0x200), .init(type: .aac, pid: 0x201)]
    var packets = (SamplePacket.all(in: one.bytes)[...], SamplePacket.all(in: two.bytes).filter { $0.pid != 0 }[...])
    var bytes: [UInt8] = []
    var counter: UInt8 = 0
    while !packets.0.isEmpty || !packets.1.isEmpty {
      for packet in [packets.0.popFirst(), packets.1.popFirst()].compactMap({ $0 }) {
        var packet = packet.bytes
        // Where both PMTs share a PID, its packets are counted together.
        if sharedMapPID, TransportPacket.pid(of: packet.span) == 0x1000 {
          packet[3] = packet[3] & 0xF0 | counter
          counter = (counter + 1) & 0x0F
        }
        bytes += packet
      }
    }
    return bytes
  }

  static func secondProgram(_ sharesMapPID: Bool) -> ProgramAssociationTable.Program {
    .init(number: 2, pmtPID: sharesMapPID ? 0x1000 : 0x1100)
  }

  @Test(arguments: [1, 2] as [UInt16], [false, true]) func oneOfSeveralPrograms(number: UInt16, sharedMapPID: Bool) throws {
    let original = Self.twoPrograms(sharedMapPID: sharedMapPID)
    var options = PacketStamper.Options()
    options.program = number
    let (stamped, report) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), options)
    let pmtPID = number == 1 ? 0x1000 : Self.secondProgram(sharedMapPID).pmtPID
    let pid: PID = number == 1 ? 0x102 : 0x202
    let difference = StampedDifference(original, stamped, eventPID: pid, pmtPID: pmtPID)
    #expect(difference.unexpected == [] && difference.added == report.addedPackets)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    let (before, after) = (SamplePacket.sections(on: pmtPID, in: original), SamplePacket.sections(on: pmtPID, in: stamped))
    #expect(before.count == after.count)
    for (old, new) in zip(before, after) {
      // Only the PMT of this program is another.
      #expect((old == new) == (Int(old[3]) << 8 | Int(old[4]) != Int(number)))
    }
    let start: UInt64 = number == 1 ? 900_000 : 77_000_000
    let times = try SamplePacket.pes(on: pid, in: stamped).map { try PESHeader($0.bytes.span).presentationTime }
    #expect(times == (try SampleStream().scheduledCopies(SampleGame.plan())).map { start + UInt64($0.time.ticks) })
  }

  /// Programs come and go beside the stamped one, whose PMT may move to another PID.
  @Test func theAssociationChanges() throws {
    func association(_ version: UInt8, _ pmtPID: PID, others: [UInt16]) -> SampleStream.Extra {
      .section(
        0,
        ProgramAssociationTable(
          transportStreamID: 1, version: version,
          entries: others.map { .init(number: $0, pmtPID: 0x1100 + $0) } + [.init(number: 1, pmtPID: pmtPID)]
        ).section)
    }
    var sample = SampleStream()
    sample.tablesEvery = 0
    let map = try SampleStream.videoAndAudio.section()
    sample.extras = [
      0: [association(0, 0x1000, others: []), .section(0x1000, map)], 20: [association(1, 0x1000, others: [7])],
      40: [association(2, 0x1234, others: []), .section(0x1234, map)],
    ]
    let original = sample.bytes
    #expect(RefusalTests.error(original) == .severalPrograms([.init(number: 1, streams: [.h264, .aac]), .init(number: 7, streams: nil)]))
    var options = PacketStamper.Options()
    options.program = 1
    let (stamped, report) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), options)
    #expect(report.events == 5)
    let others = SamplePacket.all(in: stamped).filter { ![0x102, 0x1000, 0x1234].contains($0.pid) }.map(\.bytes)
    #expect(others == SamplePacket.all(in: original).filter { ![0x1000, 0x1234].contains($0.pid) }.map(\.bytes))
    for pid in [0x1000, 0x1234] as [PID] {
      let maps = try SamplePacket.sections(on: pid, in: stamped).map { try ProgramMapTable(Section($0.span)) }
      #expect(maps.map(\.version) == [4] && maps.allSatisfy { $0.timedID3Streams.map(\.pid) == [0x102] })
    }
  }

  /// A program that leaves gets no more events: an error if some are left, otherwise the rest goes through.
  @Test func theProgramEnds() throws {
    let other = ProgramAssociationTable(transportStreamID: 1, version: 1, entries: [.init(number: 2, pmtPID: 0x1001)])
    var sample = SampleStream()
    sample.tablesEvery = 61
    sample.extras[35] = [.section(0, other.section)]
    let original = sample.bytes
    let offset = try #require(SamplePacket.all(in: original).last { $0.pid == 0 }?.offset)
    var options = PacketStamper.Options()
    options.program = 1
    let error = #expect(throws: PacketStampingError.self) { try stamp(original, with: SampleGame.plan(), CopyPolicy(), options) }
    #expect(error == .programEnds(1, offset: offset))
    #expect(error?.description.contains("at byte \(offset) the stream has no program 1 any more") == true)
    let (stamped, report) = try stamp(original, with: [SampleGame.short(at: 3_600)], CopyPolicy(copies: 3, refreshInterval: nil), options)
    #expect(report.events == 1 && report.copies == 3)
    #expect(StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// Service information, teletext, SCTE-35, private data, scrambled and damaged packets, in a stream with null packets and without.
  @Test(arguments: [false, true]) func everythingElseStays(hasConstantRate: Bool) throws {
    var sample = SampleStream()
    sample.map.descriptors = [Descriptor(tag: 0x05, data: Array("CUEI".utf8))]
    sample.map.streams += [
      .init(type: .privateData, pid: 0x120, descriptors: [Descriptor(tag: 0x56, data: [0x64, 0x65, 0x75, 0x09, 0x00])]),
      .init(type: StreamType(rawValue: 0x86), pid: 0x121), .init(type: StreamType(rawValue: 0x0B), pid: 0x122),
    ]
    let description = Section(tableID: 0x42, tableIDExtension: 1, version: 2, body: [UInt8](repeating: 0x5A, count: 300))
    let splice = Section(tableID: 0xFC, tableIDExtension: 0, version: 0, body: [UInt8](repeating: 0xFC, count: 20))
    let teletext = SamplePacketWriter.pes(presentation: 900_000, payload: [0x10] + [UInt8](repeating: 0x2C, count: 45 * 4))
    var scrambled = SamplePacketWriter()
    scrambled.append([UInt8](repeating: 0x99, count: 500), pid: 0x122)
    let hidden = SamplePacket.all(in: scrambled.bytes).flatMap { $0.bytes[..<3] + [$0.bytes[3] | 0x80] + $0.bytes[4...] }
    // Damaged packets of PIDs that mean something, and one whose adaptation field does not fit.
    let damaged = ([0x100, 0x1000, 0x102, 0x1FFF] as [UInt16]).flatMap {
      [0x47, 0xC0 | UInt8($0 >> 8), UInt8($0 & 0xFF), 0x10] + [UInt8](repeating: 0xDD, count: 184)
    }
    let bad = [0x47, 0x41, 0x00, 0x30, 200] + [UInt8](repeating: 0xDD, count: 183)
    for picture in stride(from: 2, to: 60, by: 7) {
      sample.extras[picture] = [
        .section(0x10, description), .section(0x11, description), .pes(0x120, teletext), .section(0x121, splice), .packets(hidden),
        .packets(damaged + bad),
      ]
    }
    let original = hasConstantRate ? ConstantRate.stream(sample, packetsPerPicture: 40) : sample.bytes
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    let pid: PID = 0x123
    let maps = try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)) }
    #expect(maps.allSatisfy { $0.timedID3Streams.map(\.pid) == [pid] })
    let difference = StampedDifference(original, stamped, eventPID: pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [])
    #expect(difference.added == report.addedPackets && (report.addedPackets == 0) == hasConstantRate)
    let times = try SamplePacket.pes(on: pid, in: stamped).map { try PESHeader($0.bytes.span).presentationTime }
    #expect(times == (try SampleStream().scheduledCopies(SampleGame.plan())).map { 900_000 + UInt64($0.time.ticks) })
  }

  // MARK: The PMT

  /// The packets of a long PMT lie between others, and stay in their places.
  @Test func aMapBetweenOtherPackets() throws {
    var sample = SampleStream()
    sample.map.descriptors = (0..<3).map { _ in Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 150)) }
    let packets = SamplePacket.all(in: sample.bytes)
    var original: [UInt8] = []
    var waiting: [SamplePacket] = []
    for packet in packets {
      if packet.pid == 0x1000 {
        waiting.append(packet)
      } else {
        original += packet.bytes
        if !waiting.isEmpty { original += waiting.removeFirst().bytes }
      }
    }
    let (stamped, report) = try stamp(original, with: [])
    #expect(report.addedPackets == 0 && stamped.count == original.count)
    let difference = StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.added == 0 && difference.replaced == 0)
    let maps = try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)) }
    #expect(maps.count == 7 && maps.allSatisfy { $0.version == 4 && $0.streams.last?.pid == 0x102 })
  }

  /// A PMT that is not valid yet stays as it came. Once it is valid it is used, with the same version number.
  @Test func theNextMap() throws {
    var sample = SampleStream()
    sample.tablesEvery = 5
    var next = SampleStream.videoAndAudio
    next.version = 4
    next.descriptors = [Descriptor(tag: 0x80, data: [1, 2, 3])]
    sample.laterMaps[30] = next
    next.isCurrent = false
    sample.extras[12] = [.section(0x1000, try next.section())]
    sample.extras[22] = sample.extras[12]
    let original = sample.bytes
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    let (before, after) = (SamplePacket.sections(on: 0x1000, in: original), SamplePacket.sections(on: 0x1000, in: stamped))
    #expect(zip(before, after).map { $0 == $1 } == before.map { $0[5] & 1 == 0 })
    let maps = try after.map { try ProgramMapTable(Section($0.span)) }
    let (first, coming, second): (UInt8, UInt8, UInt8) = (4, 4, 5)
    #expect(
      maps.map(\.version) == [first, first, first, coming, first, first, coming, first] + [UInt8](repeating: second, count: 7))
    #expect(maps.map { $0.timedID3Streams.map(\.pid) } == maps.map { $0.isCurrent ? [0x102] : [] })
    #expect(StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
    #expect(try read(stamped).copies.count == report.copies)
  }

  /// A PAT that is not valid yet and moves the PMT to another PID is followed only once it is valid.
  @Test func theNextAssociation() throws {
    let next = ProgramAssociationTable(
      transportStreamID: 1, version: 1, entries: [.init(number: 1, pmtPID: 0x1234), .init(number: 2, pmtPID: 0x1235)])
    var coming = next.section
    coming.isCurrent = false
    let map = try SampleStream.videoAndAudio.section()
    var sample = SampleStream()
    sample.tablesEvery = 61
    sample.extras = [
      10: [.section(0, coming), .section(0x1234, map)], 20: [.section(0x1000, map)],
      40: [.section(0, next.section), .section(0x1234, map)],
    ]
    let original = sample.bytes
    var options = PacketStamper.Options()
    options.program = 1
    let (stamped, report) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), options)
    #expect(SamplePacket.sections(on: 0, in: stamped) == SamplePacket.sections(on: 0, in: original))
    func hasEvents(_ pid: PID) throws -> [Bool] {
      try SamplePacket.sections(on: pid, in: stamped).map { try ProgramMapTable(Section($0.span)).timedID3Streams.map(\.pid) == [0x102] }
    }
    #expect(try hasEvents(0x1000) == [true, true] && hasEvents(0x1234) == [false, true])
    #expect(try read(stamped).copies.count == report.copies)
  }

  /// The PCR travels with the PMT: adaptation fields stay, and so do packets without a payload.
  @Test func aClockOnTheMapsPID() throws {
    var sample = SampleStream()
    sample.map.pcrPID = 0x1000
    var writer = SamplePacketWriter()
    let section = try sample.map.section().encode()
    writer.append([0] + section, pid: 0x1000, clock: 891_000)
    writer.append(clock: 892_000, pid: 0x1000)
    sample.tablesEvery = 61
    sample.extras = [0: [.packets(Array(writer.bytes))]]
    let whole = SamplePacket.all(in: sample.bytes)
    // The sample's own PMT and PCR are left out.
    let original = Array(whole[..<1] + whole[2...].filter { $0.pid != 0x1000 || $0.offset < 5 * 188 }).flatMap(\.bytes)
    #expect(SamplePacket.continuityErrors(in: original) == [])
    let (stamped, _) = try stamp(original, with: [])
    #expect(ConstantRate.clocks(in: stamped).map(\.clock) == ConstantRate.clocks(in: original).map(\.clock))
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    #expect(try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)).version } == [4])
  }

  // MARK: Scrambling

  private static func scrambled(_ stream: [UInt8], _ pids: Set<PID>, from offset: Int = 0) -> [UInt8] {
    SamplePacket.all(in: stream).flatMap { packet -> [UInt8] in
      guard pids.contains(packet.pid), packet.header.hasPayload, packet.offset >= offset else { return packet.bytes }
      return packet.bytes[..<3] + [packet.bytes[3] | 0xC0] + packet.bytes[4..<packet.header.payload.lowerBound]
        + packet.bytes[packet.header.payload].map { ~$0 }
    }
  }

  /// The audio tells the time where the video is scrambled. Where both are, nothing does.
  @Test func aScrambledPicture() throws {
    let original = Self.scrambled(SampleStream().bytes, [0x100])
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    #expect(report.events == 5)
    #expect(StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
    let times = try SamplePacket.pes(on: 0x102, in: stamped).compactMap { try PESHeader($0.bytes.span).presentationTime }
    #expect(SampleGame.plan().allSatisfy { times.contains(900_000 + UInt64($0.time.ticks)) })
    let both = Self.scrambled(SampleStream().bytes, [0x100, 0x101])
    #expect(RefusalTests.error(both) == .scrambled(0x100, offset: nil))
  }

  @Test func scramblingThatBeginsLater() throws {
    let clear = SampleStream().bytes
    let start = SamplePacket.all(in: clear).filter { $0.pid == 0x100 && $0.header.startsUnit }[30].offset
    let original = Self.scrambled(clear, [0x100], from: start)
    #expect(RefusalTests.error(original) == .scrambled(0x100, offset: start))
    let (stamped, report) = try stamp(original, with: [SampleGame.short(at: 7_200)])
    #expect(report.events == 1)
    #expect(StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }
}
