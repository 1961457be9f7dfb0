import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// A stream whose clock starts anew in the middle: the programme goes on, and copies follow the clock.
@Suite struct ClockJumpTests {
  /// Two streams, one after another, 2.44 s each; the second one's clock starts elsewhere, and may say so.
  static func stream(secondStart: UInt64, isAnnounced: Bool) -> [UInt8] {
    var second = SampleStream()
    second.start = secondStart
    var bytes = second.bytes
    if isAnnounced, let packet = SamplePacket.all(in: bytes).firstIndex(where: { $0.pid == 0x100 && $0.header.startsUnit }) {
      // The flags of the adaptation field, which every I frame has.
      bytes[packet * TransportPacket.size + 5] |= 0x80
    }
    return SampleStream().bytes + bytes
  }

  static let plan = [SampleGame.short("early", at: 90_000), SampleGame.short("late", at: 315_000)]

  @Test(arguments: [0, 500_000_000, (1 << 33) - 90_000] as [UInt64], [false, true])
  func copiesFollowTheClock(secondStart: UInt64, isAnnounced: Bool) throws {
    let (stamped, report) = try stamp(Self.stream(secondStart: secondStart, isAnnounced: isAnnounced), with: Self.plan)
    #expect(report.events == 2)
    let length: Int64 = 2 * 61 * 3_600
    #expect(abs(report.end.ticks - length) <= 2 * 3_600)
    let copies = try read(stamped).compactMap { item -> (EventCopy, Place)? in
      if case .copy(let copy, let place) = item { (copy, place) } else { nil }
    }
    #expect(copies.count == report.copies)
    for (copy, place) in copies {
      #expect(place.time - copy.age == copy.event.at)
      #expect(place.videoTime == place.time)
    }
    let late = try #require(copies.first { $0.0.event.guid == Self.plan[1].event.guid })
    let sinceSecondStart = (late.1.presentationTime.ticks - Int64(secondStart) + (2 << 33)) % (1 << 33)
    #expect((0..<220_000).contains(sinceSecondStart))
  }

  /// Video that the map announces and that does not come tells no time: the sound does.
  @Test func soundAloneIsStamped() throws {
    let stream = SamplePacket.stream(SampleStream().bytes, without: 0x100)
    let (stamped, report) = try stamp(stream, with: Self.plan.prefix(1) + [])
    let copies = try read(stamped).copies
    #expect(report.events == 1 && copies.count == report.copies)
    #expect(copies.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
  }

  /// One damaged timestamp is no jump: every event stays where it was.
  @Test func aDamagedTimestampChangesNothing() throws {
    let clean = try stamp(SampleStream().bytes, with: [SampleGame.short(at: 150_000)])
    var bytes = SampleStream().bytes
    let starts = SamplePacket.all(in: bytes).indices.filter { index in
      let packet = SamplePacket.all(in: bytes)[index]
      return packet.pid == 0x100 && packet.header.startsUnit
    }
    let packet = starts[20] * TransportPacket.size
    let header = try TransportPacket(bytes.span.extracting(packet..<packet + TransportPacket.size))
    // The highest bits of the presentation time, and of the decoding time behind it.
    bytes[packet + header.payload.lowerBound + 9] ^= 0x08
    bytes[packet + header.payload.lowerBound + 14] ^= 0x08
    let damaged = try stamp(bytes, with: [SampleGame.short(at: 150_000)])
    #expect(damaged.report.copies == clean.report.copies)
    #expect(SamplePacket.pes(on: 0x102, in: damaged.bytes).map(\.bytes) == SamplePacket.pes(on: 0x102, in: clean.bytes).map(\.bytes))
  }
}
