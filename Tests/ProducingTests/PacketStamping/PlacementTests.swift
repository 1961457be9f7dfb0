import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Where tags stand in the stream, and when they say they are presented.
@Suite struct PlacementTests {
  /// 33-bit times at which a stream may begin: near 0, at the usual 10 s, in the middle, and so that the clock wraps on the way.
  static let starts: [UInt64] = [0, 3_600, 900_000, 1 << 32, (1 << 33) - 3_600, (1 << 33) - 100_000, (1 << 33) - 1]

  @Test(arguments: starts) func tagsCarryTheExactTick(start: UInt64) throws {
    var sample = SampleStream()
    sample.start = start
    let (stamped, report) = try stamp(sample.bytes, with: SampleGame.plan())
    let expected = try sample.scheduledCopies(SampleGame.plan())
    #expect(report.copies == expected.count)
    let packets = SamplePacket.pes(on: 0x102, in: stamped)
    let wanted = try expected.map { copy in
      try PESHeader.timedID3Packet(copy.tag, presentationTime: (start + UInt64(copy.time.ticks)) % (1 << 33))
    }
    #expect(packets.map(\.bytes) == wanted)
    let first = expected.filter { $0.copy.copy == 1 }
    #expect(first.map(\.time) == SampleGame.plan().map(\.time))
    #expect(first.allSatisfy { $0.copy.age == .zero })
  }

  /// Exactly the timestamp and header that the carriage rules show.
  @Test func thePacketByteForByte() throws {
    let (stamped, _) = try stamp(SampleStream().bytes, with: [SampleGame.short(at: 72_001)], CopyPolicy(copies: 1, refreshInterval: nil))
    let packets = SamplePacket.pes(on: 0x102, in: stamped)
    let bytes = try #require(packets.first?.bytes)
    #expect(packets.count == 1)
    // 900,000 + 72,001 = 0xED4E1: 33 bits in parts of 3, 15 and 15, each followed by a marker.
    #expect(Array(bytes[..<17]) == hex("000001 BD \(String(bytes.count - 6, radix: 16).leftPadded(4)) 84 80 05 21 003B A9C3 494433"))
    let tag = try ID3Tag.decode(Array(bytes[14...]).span)
    #expect(tag == EventCopy(of: SampleGame.short(at: 72_001).event).tag)
  }

  @Test(arguments: [false, true]) func theFirstCopyStandsBeforeItsPicture(hasMarks: Bool) throws {
    var sample = SampleStream()
    sample.marksRandomAccess = hasMarks
    // Just before, at and just after frames of every kind, the first and the last among them.
    for ticks in [0, 1, 3_600, 7_200, 10_799, 10_800, 10_801, 36_000, 118_801, 215_999, 216_000] as [Int64] {
      let (stamped, _) = try stamp(sample.bytes, with: [SampleGame.short(at: ticks)], CopyPolicy(copies: 1, refreshInterval: nil))
      let expected = try #require(sample.accessUnits.firstIndex { $0.presentation >= ticks })
      let packets = SamplePacket.all(in: stamped)
      let tag = try #require(packets.firstIndex { $0.pid == 0x102 })
      let after = packets[tag...].filter { $0.pid == 0x100 && $0.header.startsUnit }.count
      #expect(sample.accessUnits.count - after == expected, "event at \(ticks)")
      // Nothing lies between the tag and its access unit.
      #expect(packets[tag...].first { $0.pid != 0x102 }?.pid == 0x100)
    }
  }

  /// An event after the last frame's time and before the end of the stream comes at the very end.
  @Test func theLastPictureTakesWhatHappensDuringIt() throws {
    let sample = SampleStream()
    let event = SampleGame.short(at: sample.end - 1)
    let (stamped, report) = try stamp(sample.bytes, with: [event])
    #expect(report.events == 1)
    #expect(report.copies == 3)
    let last = try #require(SamplePacket.all(in: stamped).last)
    #expect(last.pid == 0x102)
    var late = PacketStamper(EventSchedule([SampleGame.short(at: sample.end)], policy: CopyPolicy()))
    var output: [UInt8] = []
    try late.push(sample.bytes.span, into: &output)
    #expect(try late.finish(into: &output).events == 0)
    #expect(late.pending.map(\.time.ticks) == [sample.end])
  }

  /// A stream that starts between two I frames has its timeline origin at the next one; events before it count from there, too.
  @Test func theZeroIsTheFirstPictureThatCanBeDecoded() throws {
    let whole = SampleStream()
    let tables = SamplePacket.all(in: whole.bytes).prefix(2).flatMap(\.bytes)
    let packets = SamplePacket.all(in: whole.bytes)
    let pictures = packets.indices.filter { packets[$0].pid == 0x100 && packets[$0].header.startsUnit }
    let cut = tables + packets[pictures[4]...].flatMap(\.bytes)
    let (stamped, _) = try stamp(cut, with: [SampleGame.short(at: 0)], CopyPolicy(copies: 1, refreshInterval: nil))
    let tag = try #require(SamplePacket.pes(on: 0x102, in: stamped).first)
    // Picture 13 in decoding order is the second I after the start; it is the 15th to be presented.
    #expect(try PESHeader(tag.bytes.span).presentationTime == 900_000 + 15 * 3_600)
  }

  @Test func soundAloneCarriesEvents() throws {
    var sample = SampleStream()
    sample.map = SampleStream.soundAlone
    let (stamped, report) = try stamp(sample.bytes, with: SampleGame.plan())
    let expected = try sample.scheduledCopies(SampleGame.plan())
    #expect(report.copies == expected.count)
    let times = try SamplePacket.pes(on: 0x102, in: stamped).map { try PESHeader($0.bytes.span).presentationTime }
    #expect(times == expected.map { 900_000 + UInt64($0.time.ticks) })
  }

  /// The program's video moves to another PID, and the start of another clock there changes nothing.
  @Test func thePictureMayMoveToAnotherPID() throws {
    var sample = SampleStream()
    var moved = SampleStream.videoAndAudio
    moved.version = 4
    moved.pcrPID = 0x120
    moved.streams[0].pid = 0x120
    sample.laterMaps[31] = moved
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    // The PID next to the highest of the last PMT in the start of the stream.
    let times = try SamplePacket.pes(on: 0x121, in: stamped).map { try PESHeader($0.bytes.span).presentationTime }
    #expect(times == (try sample.scheduledCopies(SampleGame.plan())).map { 900_000 + UInt64($0.time.ticks) })
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
