import Basics
import TestSupport
import Testing
import TransportStream

/// The bytes around packets of 192 and 204 bytes, and sections in packets.
@Suite struct FramingBytesTests {
  /// As the Python package reedsolo tells: `RSCodec(16, fcr=0, prim=0x11d).encode(packet)[-16:]`.
  @Test func parityOfOthers() {
    let null: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0x55, count: 184)
    let expected: [UInt8] = [0x9C, 0x5F, 0xFA, 0x11, 0x15, 0xE4, 0xA9, 0x77, 0xD4, 0x17, 0x3C, 0x41, 0xCE, 0xF2, 0x52, 0x60]
    #expect(ReedSolomonParity.parity(of: null.span) == expected)
    let counting = [UInt8](0..<188)
    let other: [UInt8] = [0x31, 0x1D, 0x78, 0xD6, 0xC8, 0x60, 0xF8, 0x78, 0xB7, 0x18, 0x9F, 0x1A, 0x54, 0x96, 0x1D, 0x5F]
    #expect(ReedSolomonParity.parity(of: counting.span) == other)
    let zeros = [UInt8](repeating: 0, count: 188)
    #expect(ReedSolomonParity.parity(of: zeros.span) == [UInt8](repeating: 0, count: 16))
  }

  static let timestamps: [(UInt8, UInt32, [UInt8])] = [
    (0, 0, [0, 0, 0, 0]), (3, 0x3FFF_FFFF, [0xFF, 0xFF, 0xFF, 0xFF]), (1, 0x0102_0304, [0x41, 2, 3, 4]),
  ]

  @Test(arguments: timestamps) func timestampsGoBothWays(permission: UInt8, ticks: UInt32, bytes: [UInt8]) {
    let timestamp = ArrivalTimestamp(copyPermission: permission, ticks: ticks)
    #expect(timestamp.bytes == bytes)
    #expect(ArrivalTimestamp(bytes.span) == timestamp)
  }

  @Test func timestampsBetweenOthers() {
    func between(_ first: UInt32, _ next: UInt32, _ count: Int) -> [UInt32] {
      (0..<count).map {
        ArrivalTimestamp(copyPermission: 2, ticks: first)
          .interpolated(before: ArrivalTimestamp(copyPermission: 0, ticks: next), number: $0, of: count).ticks
      }
    }
    #expect(between(100, 400, 2) == [200, 300])
    #expect(between(100, 101, 2) == [100, 100])
    #expect(between((1 << 30) - 10, 20, 2) == [0, 10])
    // A clock that starts anew.
    #expect(between(1_000, 0, 2) == [1_000, 1_000])
  }

  // MARK: Sections

  static func section(_ number: Int, _ size: Int) -> [UInt8] {
    let section = Section(tableID: 2, tableIDExtension: UInt16(number), version: 0, body: [UInt8](repeating: UInt8(number), count: size))
    return (try? section.encode()) ?? []
  }

  /// Sections of all lengths near the ends of packets come back, and a packet in which one starts says so.
  @Test(arguments: [150, 160, 169, 170, 171, 172, 173, 174, 340, 1_000], [0, 40])
  func sectionsGoIntoPacketsAndBack(size: Int, clock: Int) throws {
    let sections = [Self.section(1, size), Self.section(2, 3), Self.section(3, size)]
    var head: [UInt8] = [0x47, 0x1F, 0x00, 0x3F, UInt8(clock), 0x10]
    head = clock > 0 ? head + [UInt8](repeating: 0xFF, count: clock - 1) : [0x47, 0x1F, 0x00, 0x1F]
    let packets = TransportPacket.packets(sections: sections, pid: 0x1F00, heads: [head], counter: 0)
    #expect(packets.allSatisfy { $0.count == 188 })
    #expect(packets[0][4..<head.count] == head[4...])
    var assembler = SectionAssembler()
    var found: [[UInt8]] = []
    var counter: UInt8 = 15
    for packet in packets {
      let header = try TransportPacket(packet.span)
      #expect(header.pid == 0x1F00 && header.continuityCounter == counter)
      counter = (counter + 1) & 0x0F
      let ended = found.count
      found += assembler.push(header, payload: packet.span.extracting(header.payload))
      let startsOne = header.startsUnit
      // A section that starts without a pointer would be lost to whoever joins here.
      if !startsOne { #expect(found.count - ended <= 1) }
    }
    #expect(found == sections)
    // Each section can be read by itself, from the packet on in which it starts.
    for (number, packet) in packets.enumerated() where packet[1] & 0x40 != 0 {
      var late = SectionAssembler()
      var rest: [[UInt8]] = []
      for packet in packets[number...] {
        let header = try TransportPacket(packet.span)
        rest += late.push(header, payload: packet.span.extracting(header.payload))
      }
      #expect(rest == Array(sections.suffix(rest.count)) && !rest.isEmpty)
    }
  }

  /// More room than sections: what is left is filled.
  @Test func roomThatIsLeft() throws {
    let heads: [[UInt8]] = (0..<3).map { [0x47, 0x41, 0x00, 0x10 | UInt8($0)] }
    let section = Self.section(1, 20)
    let packets = TransportPacket.packets(sections: [section], pid: 0x100, heads: heads, counter: 3)
    #expect(packets.count == 3)
    #expect(packets[0] == [0x47, 0x41, 0x00, 0x10, 0] + section + [UInt8](repeating: 0xFF, count: 183 - section.count))
    #expect(packets[1] == [0x47, 0x01, 0x00, 0x11] + [UInt8](repeating: 0xFF, count: 184))
    #expect(packets[2] == [0x47, 0x01, 0x00, 0x12] + [UInt8](repeating: 0xFF, count: 184))
  }
}
