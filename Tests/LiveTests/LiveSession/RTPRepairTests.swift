import Testing

@testable import LiveSession

/// Lost packets that parity packets bring back (SMPTE ST 2022-1).
@Suite struct RTPRepairTests {
  private static let first: UInt16 = 65_530

  /// Twenty packets with different bytes and lengths.
  private static func packets() throws -> [RTPPacket] {
    try (0..<20).map { index in
      let sequence = first &+ UInt16(index)
      let payload = (0..<(188 * (1 + index % 3))).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index &* 31) }
      return try #require(RTPPacket([0x80, 33, UInt8(sequence >> 8), UInt8(sequence & 0xFF)] + [UInt8](repeating: 0, count: 8) + payload))
    }
  }

  /// The parity packet of some packets that are equally far apart.
  private static func parity(_ packets: [RTPPacket], offset: UInt8) throws -> RTPPacket {
    let base = packets[0].sequence
    var (length, bytes) = (0, [UInt8](repeating: 0, count: packets.map(\.payload.count).max() ?? 0))
    for packet in packets {
      length ^= packet.payload.count
      for (index, byte) in packet.payload.enumerated() { bytes[index] ^= byte }
    }
    let header = [UInt8(base >> 8), UInt8(base & 0xFF), UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 0, count: 9)
    return try #require(
      RTPPacket([0x80, 96, 0, 1] + [UInt8](repeating: 0, count: 8) + header + [offset, UInt8(packets.count), 0] + bytes))
  }

  /// Five columns and four rows.
  private static func columns(_ packets: [RTPPacket]) throws -> [RTPPacket] {
    try (0..<5).map { column in try parity((0..<4).map { packets[column + 5 * $0] }, offset: 5) }
  }

  private static func rows(_ packets: [RTPPacket]) throws -> [RTPPacket] {
    try (0..<4).map { row in try parity(Array(packets[5 * row..<5 * row + 5]), offset: 1) }
  }

  /// What comes back if some packets are lost.
  private static func recovered(without lost: Set<Int>, _ parities: ([RTPPacket]) throws -> [RTPPacket]) throws -> [Int] {
    let packets = try packets()
    var repair = RTPRepair()
    for (index, packet) in packets.enumerated() where !lost.contains(index) { repair.push(packet) }
    let found = try parities(packets).flatMap { repair.push(parity: $0) }
    return found.compactMap { entry in packets.firstIndex { $0.sequence == entry.sequence && $0.payload == entry.payload } }.sorted()
  }

  /// A burst of as many packets as there are columns comes back by the columns.
  @Test func columns() throws {
    #expect(try Self.recovered(without: [3, 4, 5, 6, 7], Self.columns) == [3, 4, 5, 6, 7])
    #expect(try Self.recovered(without: [0, 5], Self.columns).isEmpty && Self.recovered(without: [], Self.columns).isEmpty)
  }

  /// Rows and columns help each other.
  @Test func both() throws {
    #expect(try Self.recovered(without: [0, 1, 5], Self.rows) == [5])
    #expect(try Self.recovered(without: [0, 1, 5]) { try Self.columns($0) + Self.rows($0) } == [0, 1, 5])
    // Four corners of a rectangle are lost.
    #expect(try Self.recovered(without: [0, 1, 5, 6]) { try Self.columns($0) + Self.rows($0) }.isEmpty)
  }

  /// Damaged parity packets bring nothing back, and no more than some are kept.
  @Test func damage() throws {
    let packets = try Self.packets()
    var repair = RTPRepair()
    for packet in packets.dropFirst() { repair.push(packet) }
    for bytes in [[], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 40), [0xFF, 0xFA] + [UInt8](repeating: 1, count: 20)] {
      let packet = try #require(RTPPacket([0x80, 96, 0, 1] + [UInt8](repeating: 0, count: 8) + bytes))
      #expect(repair.push(parity: packet).isEmpty)
    }
    let far = try #require(RTPPacket([0x80, 96, 0, 1] + [UInt8](repeating: 0, count: 8) + [9, 9] + [UInt8](repeating: 9, count: 40)))
    for _ in 0..<1_000 { #expect(repair.push(parity: far).isEmpty) }
    // The right one is still worth something.
    #expect(repair.push(parity: try Self.rows(packets)[0]).map(\.sequence) == [Self.first])
  }
}
