import EventSchedule
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// PIDs that tables announce are not free, though nothing comes on them at first.
@Suite struct AnnouncedPIDTests {
  static func conditionalAccess(_ pid: PID) -> [UInt8] { [0x0B, 0x00, 0xE0 | UInt8(pid >> 8), UInt8(pid & 0xFF)] }

  /// What opens scrambled streams is announced for the program, for one of its streams and, in a table of its own, for all programs.
  @Test func whatOpensScrambledStreams() throws {
    var sample = SampleStream()
    sample.map.descriptors = [Descriptor(tag: 9, data: Self.conditionalAccess(0x102))]
    sample.map.streams[1].descriptors = [Descriptor(tag: 9, data: Self.conditionalAccess(0x103))]
    // A descriptor that is cut off announces nothing.
    sample.map.streams[0].descriptors = [Descriptor(tag: 9, data: [0x0B, 0x00, 0xE1])]
    let table = Section(tableID: 1, tableIDExtension: 0xFFFF, version: 0, body: [9, 4] + Self.conditionalAccess(0x104))
    sample.extras[0] = [.section(1, table)]
    let (stamped, report) = try stamp(sample.bytes, with: SampleGame.plan())
    #expect(SamplePacket.pes(on: 0x105, in: stamped).count == report.copies)
    let difference = StampedDifference(sample.bytes, stamped, eventPID: 0x105, pmtPID: 0x1000)
    #expect(difference.unexpected == [])
  }

  /// A later PMT announces the PID of the events.
  @Test func aLaterMapAnnouncesThePID() throws {
    var sample = SampleStream()
    sample.pictureSize = 25_000
    var later = sample.map
    later.version = 4
    later.descriptors = [Descriptor(tag: 9, data: Self.conditionalAccess(0x102))]
    sample.laterMaps[60] = later
    let stream = sample.bytes
    let offset = try #require(SamplePacket.all(in: stream).last { $0.pid == 0x1000 }?.offset)
    #expect(throws: PacketStampingError.pidClash(0x102, offset: offset)) { try stamp(stream, with: SampleGame.plan()) }
  }
}
