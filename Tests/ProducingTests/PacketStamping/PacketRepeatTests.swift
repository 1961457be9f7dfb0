import EventSchedule
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Packets that were sent twice stay so. Counters that stand still are corrected.
@Suite struct PacketRepeatTests {
  static let sample = ExistingTagTests.sample()

  /// Packets of tags on the PID of an ID3 stream, all with the same counter.
  static func stuckPackets() throws -> (units: [[UInt8]], packets: [[UInt8]]) {
    var units: [[UInt8]] = []
    for count in [60, 1, 90] {
      // Contents that were equal would be repeats.
      let text = (0..<count).map { "word \($0)" }.joined(separator: " ")
      let tag = try ExistingTagTests.tag(text)
      units.append(SamplePacketWriter.pes(presentation: ExistingTagTests.time(20), payload: tag))
    }
    var writer = SamplePacketWriter()
    for unit in units { writer.append(unit, pid: ExistingTagTests.pid) }
    let packets = SamplePacket.all(in: writer.bytes).map { packet -> [UInt8] in
      var bytes = packet.bytes
      bytes[3] = bytes[3] & 0xF0 | 5
      return bytes
    }
    return (units, packets)
  }

  /// Every packet of an ID3 stream whose counter stands still goes through, and the counter goes on.
  @Test func anID3StreamsCounterStandsStill() throws {
    var sample = Self.sample
    let (units, packets) = try Self.stuckPackets()
    sample.extras[20] = [.packets(packets.flatMap { $0 })]
    let events = [SampleGame.short("a", at: 7_200), SampleGame.short("b", at: 108_000)]
    let (stamped, report) = try stamp(sample.bytes, with: events)
    let difference = StampedDifference(sample.bytes, stamped, eventPID: ExistingTagTests.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [])
    #expect(difference.added == report.addedPackets)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    #expect(try ExistingTagTests.foreignPackets(stamped, sample, events) == units)
    #expect(try read(stamped).tags.count == units.count)
    #expect(try read(stamped).damages == [])
  }

  /// A packet comes once more with another clock reference, and stays with it. What comes a third time is no repeat.
  @Test(arguments: [2, 3, 4, 5]) func repeatsOfOnePacket(count: Int) throws {
    let unit = SamplePacketWriter.pes(presentation: ExistingTagTests.time(20), payload: try ExistingTagTests.tag("small"))
    let packets = (0..<count).flatMap { number -> [UInt8] in
      var writer = SamplePacketWriter()
      writer.append(unit, pid: ExistingTagTests.pid, clock: ExistingTagTests.time(18) + UInt64(number))
      return writer.bytes
    }
    var sample = Self.sample
    sample.extras[20] = [.packets(packets)]
    let (stamped, _) = try stamp(sample.bytes, with: [])
    let before = SamplePacket.all(in: sample.bytes)
    let after = SamplePacket.all(in: stamped)
    #expect(after.count == before.count)
    func tags(_ packets: [SamplePacket]) -> [[UInt8]] { packets.filter { $0.pid == ExistingTagTests.pid }.map(\.uncounted) }
    #expect(tags(after) == tags(before))
  }

  /// Of equal PMTs whose counter stands still every second one is a repeat. All have the stream of events.
  @Test func aMapsCounterStandsStill() throws {
    var sample = SampleStream()
    var later = sample.map
    later.version = 4
    sample.laterMaps[30] = later
    let stream = SamplePacket.all(in: sample.bytes).flatMap { packet -> [UInt8] in
      guard packet.pid == 0x1000 else { return packet.bytes }
      return packet.uncounted
    }
    let (stamped, report) = try stamp(stream, with: SampleGame.plan())
    let maps = try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)) }
    #expect(maps.map(\.version) == [4, 4, 5, 5])
    #expect(maps.allSatisfy { $0.timedID3Streams.count == 1 })
    #expect(try read(stamped).copies.count == report.copies)
    #expect(SamplePacket.all(in: stamped).filter { $0.pid == 0x1000 }.count == 7)
  }
}
