import Basics
import EventSchedule
import GameEvents
import NALUnits
import TestSupport
import Testing
import TransportStream

@testable import PacketStamping

/// Each carriage on its own.
@Suite struct CarriageWriterTests {
  static let map = ProgramMapTable(
    programNumber: 1, version: 3, pcrPID: 0x100, streams: [.init(type: .h264, pid: 0x100), .init(type: .aac, pid: 0x101)])

  static func copy(_ name: String, at ticks: Int64) throws -> PlacedCopy {
    let copy = EventCopy(of: SampleGame.short(name, at: ticks).event, copies: 1)
    let timed = EventSchedule.TimedCopy(time: MediaTime(ticks: ticks), copy: copy, tag: try copy.encodedTag())
    return PlacedCopy(copy: timed, presentationTime: MediaTime(ticks: 900_000 + ticks))
  }

  /// Tags become PES packets of timed ID3, whose counters go on from one to the next, and over packets that were there.
  @Test func timedID3() throws {
    var writer = ID3Writer(pid: 0x102, games: [])
    let copies = [try Self.copy("a", at: 0), try Self.copy("b", at: 9_000)]
    func packets(of copy: PlacedCopy) throws -> [[UInt8]] { writer.packets(carrying: try writer.payload(of: copy)) }
    writer.announceDiscontinuity()
    var stream = Array(try packets(of: copies[0]).joined())
    let existing = [0x47, 0x01, 0x02, 0x19] + TransportPacket.nullPacket[4...]
    stream += writer.renumbered(existing.span)
    stream += try packets(of: copies[1]).joined()
    #expect(SamplePacket.continuityErrors(in: stream) == [])
    let starts = SamplePacket.all(in: stream).filter(\.header.startsUnit)
    #expect(starts.map { $0.header.adaptation?.isDiscontinuous ?? false } == [true, false])
    #expect(
      SamplePacket.pes(on: 0x102, in: stream).compactMap { try? PESHeader($0.bytes.span).presentationTime }
        == copies.map { UInt64($0.presentationTime.ticks) })
    // A gap stays one, and another PID begins anew.
    writer.skipCounters(2)
    let last = SamplePacket.all(in: stream).last?.header.continuityCounter ?? 0
    let late = try packets(of: copies[1])[0]
    #expect(TransportPacket.counter(of: late) == (last + 3) & 0x0F)
    writer.move(to: 0x103)
    let moved = try packets(of: copies[1])[0]
    #expect(SamplePacket.all(in: moved).map(\.pid) == [0x103] && TransportPacket.counter(of: moved) == 0)
  }

  /// The PMT has the stream and both descriptors, and without it is what it was.
  @Test func timedID3InThePMT() {
    let announced = ID3Writer.announced(in: Self.map, on: 0x102)
    #expect(announced.timedID3Streams.map(\.pid) == [0x102])
    #expect(announced.descriptors.count == 1 && announced.version == 3)
    #expect(ID3Writer.announced(in: announced, on: 0x102) == announced)
    #expect(ID3Writer.removed([0x102], from: announced) == Self.map)
    #expect(ID3Writer.removed([0x103], from: announced) == announced)
    #expect(SEIWriter.announced(in: Self.map, on: 0x102) == Self.map)
  }

  /// Messages are noted for access units that can have them, where they are asked for.
  @Test(arguments: [true, false]) func messages(isWriting: Bool) throws {
    var writer = SEIWriter(games: [], isWriting: isWriting)
    let copy = try Self.copy("a", at: 0)
    writer.queue([copy], before: nil)
    writer.queue([], before: CarryingUnit(pid: 0x100, codec: .h264, timestamp: 5))
    #expect(writer.units.isEmpty)
    writer.queue([copy], before: CarryingUnit(pid: 0x100, codec: .h264, timestamp: 5))
    let units = writer.units
    #expect(units.map(\.place.timestamp) == (isWriting ? [5] : []))
    #expect(units.flatMap(\.tags).map(\.bytes) == (isWriting ? [copy.copy.tag] : []))
  }

  /// Each copy waits for its packets, and goes into all carriages.
  @Test func allCarriages() throws {
    let pids = try CarriagePIDs(for: Self.map, usedPIDs: [])
    var writers = CarriageWriters(.messages, pids, games: [])
    let copies = [try Self.copy("a", at: 0), try Self.copy("b", at: 9_000)]
    #expect(!writers.isWaiting)
    try writers.queue(copies, before: CarryingUnit(pid: 0x100, codec: .h264, timestamp: 5))
    #expect(writers.isWaiting)
    let taken = writers.takePackets()
    #expect(taken.map(\.copy) == copies && writers.sei.units.flatMap(\.tags).count == 2)
    let stream = taken.flatMap { $0.packets.joined() }
    #expect(SamplePacket.pes(on: pids.id3.pid, in: stream).count == 2 && SamplePacket.continuityErrors(in: stream) == [])
    #expect(writers.takePackets().isEmpty && !writers.isWaiting)
    let announced = CarriageWriters.announced(in: Self.map, on: pids)
    #expect(CarriageWriters.removed(Set(pids.pids), from: announced) == Self.map)
  }
}
