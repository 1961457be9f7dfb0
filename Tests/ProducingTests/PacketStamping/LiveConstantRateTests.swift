import Basics
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Events that take the null packets of a stream while it is made.
@Suite struct LiveConstantRateTests {
  static let packetsPerPicture = 24
  /// What tags may wait for null packets: 0.7 s less the margin, and less what is presented before.
  static let lead: UInt64 = 63_000
  static let policy = CopyPolicy(copies: 3, refreshInterval: MediaTime(seconds: 1))

  static func stream(_ sample: SampleStream = SampleStream(), nullsBehind pictures: ClosedRange<Int>? = nil) -> [UInt8] {
    ConstantRate.stream(sample, packetsPerPicture: packetsPerPicture, pictures: pictures, lead: lead)
  }

  static func event(_ name: String, _ sequence: Int = 1) -> PlannedEvent { LivePacketStamperTests.event(name, sequence) }

  static func isNull(_ packet: SamplePacket) -> Bool { packet.pid == TransportPacket.nullPID }

  /// Ten events, posted at equal distances.
  static func run(_ original: [UInt8], program: UInt16? = nil) -> LiveRun {
    var run = LiveRun(program: program, policy: policy, keepsRate: true)
    let step = original.count / TransportPacket.size / 12
    run.push(original) { number, stamper in
      if number > 0, number % step == 0, number / step <= 10 { stamper.add(event("\(number / step)", number / step)) }
    }
    return run
  }

  /// Every packet that is no null packet stays where it was, and its clock with it; nothing is held, and no event is missing.
  @Test(arguments: PassthroughTests.Source.allCases.filter { $0 != .soundAlone }) func rateAndClockStay(source: PassthroughTests.Source)
    throws
  {
    let original = Self.stream(source.sample)
    let run = Self.run(original)
    let output = run.output.bytes
    #expect(output.count == original.count && run.stamper.counts.added == 0)
    let difference = StampedDifference(original, output, eventPID: 0x102, pmtPID: source.sample.pmtPID)
    #expect(difference.unexpected == [] && difference.added == 0)
    #expect(difference.replaced == run.stamper.counts.replaced && difference.replaced > 10)
    let (before, after) = (ConstantRate.clocks(in: original), ConstantRate.clocks(in: output))
    #expect(before.map(\.offset) == after.map(\.offset) && before.map(\.clock) == after.map(\.clock))
    #expect(SamplePacket.continuityErrors(in: output) == [])
    #expect(run.notices == [.resumed(program: 1, eventPID: 0x102)])
    #expect(run.output.firsts.map(\.copy.event.guid.text) == (1...10).map { "g-\($0)" })
    // What is told of the copies is what is in the stream.
    #expect(run.output.placed.map(\.copy.copy) == run.output.copies.map(\.copy))
    #expect(try LivePacketStamperTests.tagTimes(run) == run.output.placed.map { UInt64($0.copy.presentationTime.ticks) })
    #expect(run.output.placed.allSatisfy { $0.copy.presentationTime == $0.copy.copy.time + MediaTime(ticks: 900_000) })
  }

  /// Tags take the null packets that come next, in their order, and no packet waits for them.
  @Test func theNextNullPackets() throws {
    let original = Self.stream()
    var run = LiveRun(policy: Self.policy, keepsRate: true)
    var late = 0
    for (number, packet) in SamplePacket.all(in: original).enumerated() {
      if number == 300 { for name in ["a", "b", "c"] { run.stamper.add(Self.event(name)) } }
      run.push(packet.bytes)
      // The PAT waits for the PMT behind it.
      if number > 0, run.output.bytes.count != (number + 1) * 188 { late += 1 }
    }
    #expect(late == 0)
    let (before, after) = (SamplePacket.all(in: original), SamplePacket.all(in: run.output.bytes))
    for (packets, offset) in run.output.expected {
      let nulls = before.filter { Self.isNull($0) && $0.offset >= offset }.prefix(packets.count / 188)
      #expect(nulls.flatMap { after[$0.offset / 188].bytes } == packets)
    }
    #expect(run.output.expected.count > 2)
  }

  /// Where no null packets come, packets are added once the clock is within 0.1 s of a tag's time, not sooner and not later.
  @Test func withoutNullPackets() throws {
    let original = Self.stream(nullsBehind: 0...10)
    let start = LivePacketStamperTests.starts(original)[20]
    var run = LiveRun(policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in if number == start { stamper.add(Self.event("a")) } }
    let difference = StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.replaced == 0)
    #expect(difference.added == 2 && run.stamper.counts.added == 2)
    #expect(run.notices == [.resumed(program: 1, eventPID: 0x102), .exceededRate])
    let (copy, size) = try #require(run.output.placed.first)
    let time = UInt64(copy.presentationTime.ticks) * 300
    let clocks = ConstantRate.clocks(in: run.output.bytes)
    let tag = size - 2 * TransportPacket.size
    let (before, behind) = (clocks.last { $0.offset < tag }, clocks.first { $0.offset > tag })
    #expect(try time - #require(before).clock > 2_700_000)
    #expect(try time - #require(behind).clock <= 2_700_000 && behind?.offset == size)
    #expect(copy.copy.copy.event.guid.text == "g-a")
  }

  /// Some null packets are better than none: a tag of two packets is added only where both are missing.
  @Test func aTagInTwoPieces() throws {
    var packets = SamplePacket.all(in: Self.stream(nullsBehind: 0...10)).map(\.bytes)
    let start = LivePacketStamperTests.starts(packets.flatMap { $0 })[20]
    packets.insert(SamplePacketWriter.nullPacket, at: start + 30)
    let original = packets.flatMap { $0 }
    var run = LiveRun(policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in if number == start { stamper.add(Self.event("a")) } }
    #expect(run.stamper.counts.added == 1 && run.stamper.counts.replaced == 1)
    let difference = StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.added == 1 && difference.replaced == 1)
    #expect(try LivePacketStamperTests.tagTimes(run) == run.output.placed.map { UInt64($0.copy.presentationTime.ticks) })
  }

  /// Without a PCR nobody knows how long tags may wait: after 0.7 s they do not.
  @Test func withoutAClock() throws {
    var sample = SampleStream()
    sample.map.pcrPID = 0x1FFF
    let original = Self.stream(sample, nullsBehind: 0...10)
    let starts = LivePacketStamperTests.starts(original)
    var run = LiveRun(policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in if number == starts[12] { stamper.add(Self.event("a")) } }
    // Since the first access unit none has come: the 19th is the first that is decoded more than 0.7 s behind it.
    let offset = try #require(run.output.placed.first).size
    #expect(SamplePacket.all(in: run.output.bytes)[(offset / 188)...].first { $0.pid == 0x100 && $0.header.startsUnit }?.offset == offset)
    let units = run.output.units.filter { $0.offset < offset }
    let waited = try #require(units.last).unit.decodingTime - units[0].unit.decodingTime
    #expect(waited > MediaTime(ticks: 63_000) && waited <= MediaTime(ticks: 66_600))
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// What waits when the clock jumps is in the stream before the jump: behind it the time would be another.
  @Test(arguments: [0, 800_000, 1_400_000, 500_000_000, (1 << 33) - 90_000] as [UInt64], [false, true])
  func beforeAJump(secondStart: UInt64, isAnnounced: Bool) throws {
    func part(_ start: UInt64, _ marks: Bool, nullsBehind pictures: ClosedRange<Int>) -> [UInt8] {
      var sample = SampleStream()
      sample.start = start
      var bytes = Self.stream(sample, nullsBehind: pictures)
      if marks, let first = LivePacketStamperTests.starts(bytes).first { bytes[first * 188 + 5] |= 0x80 }
      return bytes
    }
    let original = part(900_000, false, nullsBehind: 0...40) + part(secondStart, isAnnounced, nullsBehind: 5...60)
    let starts = LivePacketStamperTests.starts(original)
    var run = LiveRun(policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in
      if number == starts[59] { stamper.add(Self.event("a")) }
      if number == starts[70] { stamper.add(Self.event("b", 2)) }
    }
    let jump = try #require(run.output.units.first { $0.unit.boundary == .discontinuity })
    let (early, late) = (try #require(run.output.placed.first), try #require(run.output.placed.last))
    #expect(early.copy.copy.copy.event.guid.text == "g-a" && early.size <= jump.offset)
    #expect(late.copy.copy.copy.event.guid.text == "g-b" && late.size > jump.offset)
    let times = try LivePacketStamperTests.tagTimes(run)
    #expect(times == run.output.placed.map { UInt64(bitPattern: $0.copy.presentationTime.ticks) & 0x1_FFFF_FFFF })
    #expect(times.first == 900_000 + UInt64(early.copy.copy.time.ticks))
    #expect(times.last == (secondStart + UInt64(late.copy.copy.time.ticks) - 61 * 3_600) & 0x1_FFFF_FFFF)
    #expect(run.stamper.counts.replaced == 2 && run.stamper.counts.added == 2)
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// A tag that the stream has on the same PID goes on behind those that wait, and none is torn apart.
  @Test func existingTags() throws {
    var sample = ExistingTagTests.sample()
    let foreign = try ExistingTagTests.foreign()
    for (picture, unit) in foreign { sample.extras[picture] = [.pes(ExistingTagTests.pid, unit)] }
    let original = Self.stream(sample)
    let starts = LivePacketStamperTests.starts(original)
    var run = LiveRun(policy: Self.policy, keepsRate: true)
    run.push(original) { number, stamper in
      for (index, picture) in [2, 19, 20, 37].enumerated() where number == starts[picture] {
        stamper.add(Self.event("\(index)", index + 1))
      }
    }
    #expect(run.output.bytes.count == original.count && run.stamper.counts.added == 0)
    #expect(SamplePacket.continuityErrors(in: run.output.bytes) == [])
    let ours = Set(run.output.copies.map(\.copy.tag))
    let packets = SamplePacket.pes(on: ExistingTagTests.pid, in: run.output.bytes).map(\.bytes)
    #expect(packets.filter { !ours.contains(Array($0.dropFirst(14))) } == foreign.sorted { $0.key < $1.key }.map(\.value))
    #expect(packets.count == foreign.count + run.output.copies.count)
    let others = SamplePacket.all(in: run.output.bytes).filter { ![0x1000, ExistingTagTests.pid, 0x1FFF].contains($0.pid) }
    #expect(others == SamplePacket.all(in: original).filter { ![0x1000, ExistingTagTests.pid, 0x1FFF].contains($0.pid) })
  }

  /// A PMT that takes a packet more takes a null packet; where none comes, a packet is added before the next PMT.
  @Test(arguments: [true, false]) func aMapThatGrows(hasNullPackets: Bool) throws {
    var sample = SampleStream()
    sample.map.streams[1].descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 140))]
    let original = hasNullPackets ? Self.stream(sample) : Self.stream(sample, nullsBehind: 1_000...1_000)
    var run = LiveRun([Self.event("a")], policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original)
    run.stamper.finish(into: &run.output)
    let maps = SamplePacket.all(in: original).filter { $0.pid == 0x1000 }.count
    #expect(SamplePacket.all(in: run.output.bytes).filter { $0.pid == 0x1000 }.count == (hasNullPackets ? 2 * maps : 2 * maps - 1))
    #expect((run.output.bytes.count == original.count) == hasNullPackets)
    #expect((run.stamper.counts.added == 0) == hasNullPackets)
    // The packets that stand for null packets do not count.
    #expect(SamplePacket.continuityErrors(in: SamplePacket.stream(run.output.bytes, without: 0x77)) == [])
    let sections = SamplePacket.sections(on: 0x1000, in: run.output.bytes)
    #expect(try sections.allSatisfy { try ProgramMapTable(Section($0.span)).timedID3Streams.map(\.pid) == [0x102] })
    #expect(run.output.placed.map(\.copy.copy.copy.event.guid.text) == ["g-a"])
  }

  /// The end does not wait for null packets.
  @Test func theEnd() throws {
    let original = Self.stream(nullsBehind: 0...10)
    let start = try #require(LivePacketStamperTests.starts(original).last)
    var run = LiveRun(policy: CopyPolicy(copies: 1, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in if number == start { stamper.add(Self.event("a")) } }
    #expect(run.output.placed.isEmpty && run.output.firsts.count == 1)
    run.stamper.finish(into: &run.output)
    #expect(run.output.placed.map(\.copy.copy) == run.output.firsts)
    #expect(run.output.bytes.count == original.count + 2 * 188)
  }

  /// A clash of PIDs ends what waits on the old one.
  @Test func aClash() throws {
    var sample = SampleStream()
    let foreign = SamplePacketWriter.pes(presentation: 900_000, payload: [UInt8](repeating: 0x2C, count: 100))
    for picture in 25..<61 { sample.extras[picture] = [.pes(0x102, foreign)] }
    let original = Self.stream(sample, nullsBehind: 30...61)
    let start = LivePacketStamperTests.starts(original)[24]
    var run = LiveRun(policy: CopyPolicy(copies: 2, refreshInterval: nil), keepsRate: true)
    run.push(original) { number, stamper in if number == start { stamper.add(Self.event("a")) } }
    #expect(run.output.placed.map(\.copy.copy) == run.output.copies.map(\.copy))
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a"])
    #expect(
      SamplePacket.continuityErrors(in: SamplePacket.stream(SamplePacket.stream(run.output.bytes, without: 0x102), without: 0x77)) == [])
  }
}
