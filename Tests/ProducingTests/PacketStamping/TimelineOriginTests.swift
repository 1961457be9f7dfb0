import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Who stamps a stream and who reads what came out count the programme's time from the same picture: the first one behind the map that
/// announces it.
@Suite struct TimelineOriginTests {
  /// The times of the first copies by the video frames of the stamped stream, from the first random access point on.
  private static func times(_ stamped: [UInt8]) throws -> [MediaTime] {
    try read(stamped).copies.filter { $0.copy.copy == 1 }.map { $0.place.videoTime ?? $0.place.time }
  }

  /// Stamps a stream, which leaves everything else in it as it was, and compares the times with those that were asked for.
  private func expectTimes(
    _ original: [UInt8], _ events: [PlannedEvent] = SampleGame.plan(), _ options: PacketStamper.Options = .init()
  ) throws {
    let (stamped, report) = try stamp(original, with: events, CopyPolicy(), options)
    #expect(try Self.times(stamped) == events.map(\.time))
    #expect(try read(stamped).copies.count == report.copies)
    #expect(StampedDifference(original, stamped, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// A stream of 4.84 s without the tables of a PID in front of the video frame of this number.
  private static func stream(without pid: PID, before picture: Int) -> [UInt8] {
    var sample = SampleStream()
    sample.pictureCount = 121
    let packets = SamplePacket.all(in: sample.bytes)
    let start = packets.filter { $0.pid == 0x100 && $0.header.startsUnit }[picture].offset
    return packets.filter { $0.pid != pid || $0.offset >= start }.flatMap(\.bytes)
  }

  /// A stream that was cut in its middle begins with video frames, and its tables come later.
  @Test(arguments: [0, 0x1000] as [PID], [1, 11, 31]) func picturesBeforeTheirTables(pid: PID, picture: Int) throws {
    try expectTimes(Self.stream(without: pid, before: picture))
  }

  /// The first PMT announces nothing that tells the time, or audio alone; the video is announced later.
  @Test(arguments: [[], SampleStream.soundAlone.streams, [.init(type: .privateData, pid: 0x140)]])
  func theMapBringsThePictureLater(streams: [ProgramMapTable.ElementaryStream]) throws {
    var first = SampleStream.videoAndAudio
    first.streams = streams
    first.version = 2
    var sample = SampleStream()
    sample.pictureCount = 121
    sample.tablesEvery = 0
    let association = ProgramAssociationTable(transportStreamID: 1, version: 0, entries: [.init(number: 1, pmtPID: 0x1000)])
    sample.extras = [
      0: [.section(0, association.section), .section(0x1000, try first.section())],
      30: [.section(0x1000, try SampleStream.videoAndAudio.section())],
    ]
    try expectTimes(sample.bytes)
  }

  /// Where the PMT takes a packet more and no null packet comes soon, it is complete only behind the first video frames.
  @Test(arguments: [0, 1, 5, 9]) func aMapThatIsCompleteLater(picture: Int) throws {
    var sample = SampleStream()
    sample.pictureCount = 121
    sample.tablesEvery = 60
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 130))]
    let original = ConstantRateTests.stream(sample, nullsBehind: picture...121)
    try expectTimes(original)
    try expectTimes(original, [SampleGame.short(at: 90_000)], ConstantRateTests.keepingRate)
  }

  /// Neither the PMT nor a tag may go into null packets in front of the tables: readers do not know them yet.
  @Test(arguments: [0, 130]) func nullPacketsBeforeTheTables(filling: Int) throws {
    var sample = SampleStream()
    sample.map.descriptors = filling > 0 ? [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: filling))] : []
    let nulls = [[UInt8]](repeating: SamplePacketWriter.nullPacket, count: 30).flatMap { $0 }
    try expectTimes(nulls + sample.bytes)
    try expectTimes(nulls + ConstantRateTests.stream(sample), SampleGame.plan(), ConstantRateTests.keepingRate)
  }

  /// A program that left the PAT and comes back is a new one to readers, and its time is not known: it gets no more tags.
  @Test func theProgramComesBack() throws {
    func association(_ version: UInt8, _ number: UInt16) -> SampleStream.Extra {
      .section(0, ProgramAssociationTable(transportStreamID: 1, version: version, entries: [.init(number: number, pmtPID: 0x1000)]).section)
    }
    var sample = SampleStream()
    sample.pictureCount = 181
    sample.tablesEvery = 200
    sample.extras = [40: [association(1, 2)], 60: [association(2, 1), .section(0x1000, try SampleStream.videoAndAudio.section())]]
    var options = PacketStamper.Options()
    options.program = 1
    let start = SampleGame.event("g", "start", 1, at: 9_000, .startGame(StartGame(title: "t", totalQuestions: 1)))
    try expectTimes(sample.bytes, [start], options)
    let (stamped, report) = try stamp(sample.bytes, with: [start], CopyPolicy(refreshInterval: MediaTime(ticks: 45_000)), options)
    let copies = try read(stamped).copies
    #expect(copies.count == report.copies && report.copies > 4)
    #expect(copies.allSatisfy { ($0.place.videoTime ?? $0.place.time) - $0.copy.age == start.time })
  }

  /// A packet of a long PMT is missing, and the PMT with it: its first part is not joined to the next PMT.
  @Test(arguments: [0, 1]) func aMapThatIsCutOff(lost: Int) throws {
    var sample = SampleStream()
    sample.pictureCount = 121
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 170))]
    var packets = SamplePacket.all(in: sample.bytes)
    let maps = packets.indices.filter { packets[$0].pid == 0x1000 }
    #expect(maps.count == 26)
    packets.remove(at: maps[lost])
    let original = packets.flatMap(\.bytes)
    try expectTimes(original)
    let (stamped, _) = try stamp(original, with: [])
    let sections = try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)) }
    #expect(sections.count == 12 && sections.allSatisfy { $0.version == 4 && $0.timedID3Streams.map(\.pid) == [0x102] })
  }

  /// Tables that are missing here and there, null packets in between, and PMTs of two packets.
  @Test(arguments: Seeds.some(of: 80)) func anyBeginning(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    var sample = SampleStream()
    sample.pictureCount = 121
    sample.tablesEvery = Int.random(in: 1...12, using: &generator)
    sample.marksRandomAccess = Bool.random(using: &generator)
    let filling = Int.random(in: 90...200, using: &generator)
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: filling))]
    if Bool.random(using: &generator) {
      var later = sample.map
      later.version = 4
      later.streams.reverse()
      sample.map.streams.removeFirst()
      sample.laterMaps[Int.random(in: 1..<30, using: &generator)] = later
    }
    var original: [UInt8] = []
    for (number, packet) in SamplePacket.all(in: sample.bytes).enumerated() {
      let isEarly = number < 200
      if isEarly, [0, 0x1000].contains(packet.pid), Bool.random(using: &generator) { continue }
      original += packet.bytes
      if Int.random(in: 0..<4, using: &generator) == 0 { original += SamplePacketWriter.nullPacket }
    }
    try expectTimes(original)
  }
}
