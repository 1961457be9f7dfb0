import Basics
import ID3
import TestSupport
import Testing
import TransportStream

@testable import EventReading

/// Each carriage on its own, and tags that come by several.
@Suite struct CarriageReaderTests {
  struct NoTag: Error {}

  static let pid: PID = 0x102

  static func packets(_ tag: [UInt8]) -> [SamplePacket] {
    var writer = SamplePacketWriter()
    writer.append(SamplePacketWriter.pes(presentation: 900_000, payload: tag), pid: pid)
    return SamplePacket.all(in: writer.bytes)
  }

  /// A tag comes out with its last packet, with its time and where it starts. Its start alone is damage.
  @Test func timedID3() throws {
    let tag = try ForeignTagTests.tag("one", size: 300).encode()
    let packets = Self.packets(tag)
    var (whole, cut) = (ID3Reader(pid: Self.pid), ID3Reader(pid: Self.pid))
    #expect(whole.interest == .all)
    for packet in packets {
      let payload = packet.bytes.span.extracting(packet.header.payload)
      let found = whole.push(packet.header, payload: payload, offset: 7 + packet.offset)
      guard packet != packets.last else {
        guard case .tag(let carried) = found.first else { throw NoTag() }
        #expect(carried.bytes == tag && carried.timestamp == 900_000 && carried.offset == 7 && !carried.isRestored)
        #expect(carried.carriage == .id3(pid: Self.pid))
        continue
      }
      #expect(found.isEmpty)
      #expect(cut.push(packet.header, payload: payload, offset: packet.offset).isEmpty)
    }
    #expect(whole.finish().isEmpty)
    guard case .damage = cut.interrupt().first else { throw NoTag() }
  }

  /// A tag is known where it has come by another carriage, and not where it comes by the same one again.
  @Test func tagsOfSeveralCarriages() {
    var pairs = TagPairs()
    func isSecond(_ carriage: Carriage, _ tag: [UInt8] = [1, 2, 3]) -> Bool { pairs.isSecond(tag.span, in: carriage) }
    #expect(!isSecond(.id3(pid: 0x102)))
    #expect(!isSecond(.id3(pid: 0x102)))
    #expect(!isSecond(.id3(pid: 0x103)))
    #expect(isSecond(.sei(pid: 0x100)))
    #expect(isSecond(.eventMessage(id: 1)))
    #expect(!isSecond(.sei(pid: 0x100), [1, 2, 4]))
  }
}
