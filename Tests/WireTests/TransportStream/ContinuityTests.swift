import Testing
import TransportStream

@Suite struct ContinuityCounterTests {
  /// A packet with a payload of one byte over and over; without a payload where there is none.
  static func packet(_ counter: UInt8, _ content: UInt8? = 0, isDiscontinuous: Bool = false) throws -> [UInt8] {
    var packet: [UInt8] = [0x47, 1, 0, (content == nil ? 0x20 : 0x30) | counter]
    packet += content == nil ? [183, 0] : [1, isDiscontinuous ? 0x80 : 0]
    return packet + [UInt8](repeating: content ?? 0xFF, count: 188 - packet.count)
  }

  static func steps(_ packets: [[UInt8]], comparesContent: Bool = true) throws -> [ContinuityCounter.Step] {
    var continuity = ContinuityCounter()
    return try packets.map { packet in
      let header = try TransportPacket(packet.span)
      return comparesContent ? continuity.push(header, content: packet.span.extracting(header.payload)) : continuity.push(header)
    }
  }

  @Test func counts() throws {
    #expect(try Self.steps([14, 15, 0, 2, 3].map { try Self.packet($0) }) == [.first, .next, .next, .lost, .next])
  }

  @Test func packetsWithoutAPayloadDoNotCount() throws {
    let packets = [try Self.packet(3), try Self.packet(3, nil), try Self.packet(3, nil), try Self.packet(4)]
    #expect(try Self.steps(packets) == [.first, .withoutPayload, .withoutPayload, .next])
  }

  @Test func aDiscontinuityAllowsAnyCounter() throws {
    let packets = [try Self.packet(3), try Self.packet(9, isDiscontinuous: true), try Self.packet(10)]
    #expect(try Self.steps(packets) == [.first, .discontinuity, .next])
  }

  /// A packet comes twice at most; where the counter alone stands still, the packet is another one.
  @Test func duplicates() throws {
    #expect(try Self.steps([3, 3, 4].map { try Self.packet($0) }) == [.first, .duplicate, .next])
    #expect(try Self.steps([3, 3, 3, 4].map { try Self.packet($0) }) == [.first, .duplicate, .stalled, .next])
    #expect(try Self.steps([try Self.packet(3, 1), try Self.packet(3, 2), try Self.packet(3, 2)]) == [.first, .stalled, .duplicate])
    #expect(try Self.steps([3, 3, 4].map { try Self.packet($0) }, comparesContent: false) == [.first, .stalled, .next])
  }

  @Test func repetitions() throws {
    var continuity = ContinuityCounter()
    func isRepetition(_ packet: [UInt8]) throws -> Bool {
      let header = try TransportPacket(packet.span)
      return continuity.isRepetition(header, content: packet.span.extracting(header.payload))
    }
    #expect(try !isRepetition(Self.packet(3)))
    let packet = try Self.packet(3)
    let header = try TransportPacket(packet.span)
    _ = continuity.push(header, content: packet.span.extracting(header.payload))
    #expect(try isRepetition(Self.packet(4)))
    #expect(try !isRepetition(Self.packet(4, 1)))
    #expect(try !isRepetition(Self.packet(5)))
    #expect(try !isRepetition(Self.packet(3)))
    continuity.reset()
    #expect(continuity.last == nil)
    #expect(try !isRepetition(Self.packet(4)))
  }
}
