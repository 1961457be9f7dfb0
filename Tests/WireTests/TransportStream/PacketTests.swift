import Basics
import Testing
import TransportStream

@Suite struct TransportPacketTests {
  @Test(arguments: [1, 2, 100, 182, 183, 184, 185, 366, 367, 368, 369, 1_000])
  func splitsUnitsIntoPacketsAndBack(size: Int) throws {
    let unit = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    var counter: UInt8 = 14
    let bytes = TransportPacket.packets(carrying: unit, pid: 0x1ABC, counter: &counter)
    let count = (size + 183) / 184
    #expect(bytes.count == count * 188)
    #expect(counter == UInt8((14 + count) % 16))
    var joined: [UInt8] = []
    for number in 0..<count {
      let packet = Array(bytes[number * 188..<(number + 1) * 188])
      let header = try TransportPacket(packet.span)
      #expect(header.pid == 0x1ABC)
      #expect(header.startsUnit == (number == 0))
      #expect(header.continuityCounter == UInt8((14 + number) % 16))
      joined += packet[header.payload]
    }
    #expect(joined == unit)
  }

  @Test func readsTheAdaptationField() throws {
    var packet: [UInt8] = [0x47, 0x41, 0x00, 0x37, 7, 0xD0, 0x00, 0x00, 0x00, 0x01, 0xFE, 0x00]
    packet += [UInt8](repeating: 0xAA, count: 188 - packet.count)
    let header = try TransportPacket(packet.span)
    var expected = header
    expected.adaptation = .init(isDiscontinuous: true, isRandomAccess: true, pcr: 3)
    expected.payload = 12..<188
    #expect(header == expected)
    #expect(header.pid == 0x100 && header.startsUnit && header.continuityCounter == 7)
  }

  @Test func refusesWhatDoesNotFit() {
    var packet = [UInt8](repeating: 0, count: 188)
    #expect(throws: ParseError(.invalid("no sync byte"), at: 0)) { try TransportPacket(packet.span) }
    packet[0] = 0x47
    packet[3] = 0x30
    packet[4] = 183
    #expect(throws: ParseError(.invalid("adaptation field is longer than its packet"), at: 4)) { try TransportPacket(packet.span) }
    for length in 0..<188 {
      let cut = Array(packet.prefix(length))
      #expect(throws: ParseError.self) { try TransportPacket(cut.span) }
    }
  }
}

@Suite struct PESTests {
  static let times: [UInt64] = [0, 1, 0x7FFF, 0x8000, 900_000, 1 << 30, (1 << 33) - 1]

  @Test(arguments: times) func timedID3PacketsGoBothWays(time: UInt64) throws {
    let packet = try PESHeader.timedID3Packet([0x49, 0x44, 0x33], presentationTime: time)
    #expect(Array(packet.prefix(9)) == [0, 0, 1, 0xBD, 0, 11, 0x84, 0x80, 5])
    #expect(packet[9] & 0xF1 == 0x21)
    let header = try PESHeader(packet.span)
    #expect(header.presentationTime == time && header.decodingTime == nil && header.isAligned && header.size == 14)
    #expect(header.payloadSize == 3)
    for length in 0..<14 {
      let cut = Array(packet.prefix(length))
      #expect(throws: ParseError.self) { try PESHeader(cut.span) }
    }
  }

  @Test func theLargestTagFitsAndNoLarger() throws {
    let largest = [UInt8](repeating: 0, count: 65_527)
    let packet = try PESHeader.timedID3Packet(largest, presentationTime: 0)
    #expect(try PESHeader(packet.span).packetLength == 65_535)
    #expect(throws: ParseError(.aboveLimit(what: "length", limit: 65_535), at: 4)) {
      try PESHeader.timedID3Packet(largest + [0], presentationTime: 0)
    }
  }

  @Test func readsDecodingTimes() throws {
    let bytes: [UInt8] = [0, 0, 1, 0xE0, 0, 0, 0x80, 0xC0, 10, 0x31, 0, 0x37, 0x77, 0x41, 0x11, 0, 0x35, 0xB6, 0x41]
    let header = try PESHeader(bytes.span)
    #expect(header.presentationTime == 900_000 && header.decodingTime == 875_296)
    #expect(header.payloadSize == nil)
  }

  static let units: [[UInt8]] = (0..<4).map { number in
    (try? PESHeader.timedID3Packet([UInt8](repeating: UInt8(number), count: 100 + number * 300), presentationTime: UInt64(number))) ?? []
  }

  static func assemble(_ packets: [[UInt8]]) throws -> [PESAssembler.Event] {
    var assembler = PESAssembler()
    var events: [PESAssembler.Event] = []
    for (index, packet) in packets.enumerated() {
      let header = try TransportPacket(packet.span)
      events += assembler.push(header, payload: packet.span.extracting(header.payload), offset: index)
    }
    return events + assembler.finish()
  }

  static var packets: [[UInt8]] {
    var counter: UInt8 = 0
    let bytes = units.flatMap { TransportPacket.packets(carrying: $0, pid: 0x102, counter: &counter) }
    return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
  }

  @Test func assemblesPacketsWithTheirOffsets() throws {
    let expected = zip([0, 1, 4, 8], Self.units).map { PESAssembler.Event.packet(.init(offset: $0, bytes: $1)) }
    #expect(try Self.assemble(Self.packets) == expected)
    #expect(try Self.assemble(Self.packets.flatMap { [$0, $0] }.map { $0 }).count == 4)
  }

  /// Whichever transport packet is missing, the PES packets that it is no part of are whole, and no other comes out.
  @Test func missingTransportPacketsCostOnlyTheirUnit() throws {
    for missing in Self.packets.indices {
      var packets = Self.packets
      packets.remove(at: missing)
      let whole = try Self.assemble(packets).compactMap { event -> [UInt8]? in
        if case .packet(let packet) = event { packet.bytes } else { nil }
      }
      #expect(whole.count == 3)
      #expect(whole.allSatisfy { Self.units.contains($0) })
    }
  }

  /// Where sixteen transport packets are missing, the counter goes on as if the next were the last one again: its payload tells that it is not.
  @Test func sixteenMissingTransportPackets() throws {
    var counter: UInt8 = 0
    let units = (0..<17).map { number in
      [UInt8](Self.units[0].dropLast()) + [UInt8(number)]
    }
    let packets = units.map { TransportPacket.packets(carrying: $0, pid: 0x102, counter: &counter) }
    #expect(
      try Self.assemble([packets[0], packets[0], packets[16]]) == [
        .packet(.init(offset: 0, bytes: units[0])), .packet(.init(offset: 2, bytes: units[16])),
      ])
  }

  /// Behind a gap that is known, a packet with the counter of the last one before is no repetition of it.
  @Test func aGapThatIsKnown() throws {
    var assembler = PESAssembler()
    var events: [PESAssembler.Event] = []
    for (offset, packet) in [Self.packets[0], Self.packets[1]].enumerated() {
      let header = try TransportPacket(packet.span)
      events += assembler.push(header, payload: packet.span.extracting(header.payload), offset: offset)
    }
    events += assembler.interrupt()
    var packet = Self.packets[0]
    packet[3] = packet[3] & 0xF0 | Self.packets[1][3] & 0x0F
    let header = try TransportPacket(packet.span)
    events += assembler.push(header, payload: packet.span.extracting(header.payload), offset: 2)
    #expect(
      events == [
        .packet(.init(offset: 0, bytes: Self.units[0])), .damaged(offset: 1, reason: "PES packet is cut off"),
        .packet(.init(offset: 2, bytes: Self.units[0])),
      ])
  }

  @Test func aUnitOfUnstatedLengthEndsWithTheNext() throws {
    var unit = Self.units[1]
    unit[4] = 0
    unit[5] = 0
    var counter: UInt8 = 0
    let bytes = [unit, Self.units[0]].flatMap { TransportPacket.packets(carrying: $0, pid: 0x102, counter: &counter) }
    let packets = stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
    #expect(try Self.assemble(packets) == [.packet(.init(offset: 0, bytes: unit)), .packet(.init(offset: 3, bytes: Self.units[0]))])
  }
}

@Suite struct AccessUnitTrackerTests {
  static func unit(_ time: Int64, decodedAt decodingTime: Int64? = nil, key: Bool = false) throws -> [UInt8] {
    var pes = try PESHeader.timedID3Packet(key ? [0, 0, 1, 0x65, 0] : [0, 0, 1, 0x41, 0], presentationTime: UInt64(bitPattern: time))
    pes[3] = 0xE0
    if let decodingTime {
      let stamp = try PESHeader.timedID3Packet([], presentationTime: UInt64(bitPattern: decodingTime))[9..<14]
      pes[5] += 5
      pes[7] = 0xC0
      pes[8] = 10
      pes.insert(contentsOf: stamp, at: 14)
    }
    return pes
  }

  @Test func findsTheZeroAndFollowsTheWrap() throws {
    var tracker = AccessUnitTracker(.init(type: .h264, pid: 0x100))
    let wrap = TimestampUnwrapper.period
    var counter: UInt8 = 0
    func push(_ pes: [UInt8]) throws -> AccessUnitTracker.AccessUnit? {
      let packet = TransportPacket.packets(carrying: pes, pid: 0x100, counter: &counter)
      let header = try TransportPacket(packet.span)
      return tracker.push(header, payload: packet.span.extracting(header.payload))
    }
    #expect(try push(Self.unit(wrap - 10_000))?.isRandomAccess == false)
    #expect(tracker.origin == nil)
    let key = try push(Self.unit(wrap - 3_600, decodedAt: wrap - 7_200, key: true))
    #expect(key?.isRandomAccess == true)
    #expect(tracker.origin == MediaTime(ticks: wrap - 3_600))
    let next = try push(Self.unit(7_200, decodedAt: wrap - 3_600))
    #expect(next?.presentationTime == MediaTime(ticks: wrap + 7_200))
    #expect(next?.decodingTime == MediaTime(ticks: wrap - 3_600))
    #expect(next?.frameDuration == MediaTime(ticks: 3_600))
    #expect(tracker.end == MediaTime(ticks: wrap + 10_800))
  }
}
