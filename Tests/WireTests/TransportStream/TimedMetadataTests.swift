import ID3
import TestSupport
import Testing
import TransportStream

@Suite struct TimedMetadataTests {
  typealias Event = TimedMetadataAssembler.Event

  static func tag(_ number: UInt8, size: Int = 100) throws -> [UInt8] {
    try ID3Tag(frames: [.privateData(owner: "o", data: [UInt8](repeating: number, count: size))]).encode()
  }

  /// A PES packet, of unstated length where `isUnbounded`.
  static func unit(_ payload: [UInt8], time: UInt64? = 900_000, isUnbounded: Bool = false) -> [UInt8] {
    guard isUnbounded else { return SamplePacketWriter.pes(presentation: time, payload: payload) }
    return SamplePacketWriter.pesHeader(streamID: 0xBD, length: 0, presentation: time) + payload
  }

  static func packets(_ units: [[UInt8]]) -> [[UInt8]] {
    var counter: UInt8 = 0
    let bytes = units.flatMap { TransportPacket.packets(carrying: $0, pid: 0x102, counter: &counter) }
    return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
  }

  static func events(
    _ packets: [[UInt8]], _ scope: TimedMetadataAssembler.Scope = .readable, insideTag: ((Bool) -> Void)? = nil
  ) throws -> [Event] {
    var assembler = TimedMetadataAssembler(scope)
    var events: [Event] = []
    for (offset, packet) in packets.enumerated() {
      let header = try TransportPacket(packet.span)
      events += assembler.push(header, payload: packet.span.extracting(header.payload), offset: offset)
      insideTag?(assembler.isInsideTag)
    }
    events += assembler.finish()
    #expect(!assembler.isInsideTag)
    return events
  }

  /// The events in words, without the packets.
  static func summary(_ events: [Event]) -> [String] {
    events.compactMap { event in
      switch event {
      case .packet: nil
      case .tag(let tag): "\(tag.bytes.count) bytes at \(tag.offset), number \(tag.index)\(tag.isContinued ? ", continued" : "")"
      case .cutOff(let tag): "\(tag.bytes.count) of \(tag.size) bytes at \(tag.offset)"
      case .rest(let rest): "rest of \(rest.bytes.count) bytes behind \(rest.tagCount) tags\(rest.isStuffing ? ", stuffing" : "")"
      case .damaged(let offset, let reason): "\(reason) at \(offset)"
      }
    }
  }

  static func tags(_ events: [Event]) -> [[UInt8]] {
    events.compactMap { if case .tag(let tag) = $0 { tag.bytes } else { nil } }
  }

  /// Units with tags: alone, several in a PES packet, over several PES packets, behind each other with a beginning of the next.
  static func sample(isUnbounded: Bool = false) throws -> (units: [[UInt8]], tags: [[UInt8]]) {
    let tags = try [tag(1), tag(2, size: 0), tag(3, size: 700), tag(4), tag(5, size: 900), tag(6)]
    let units = [
      unit(tags[0], isUnbounded: isUnbounded),
      unit(tags[1] + tags[2], time: 903_600, isUnbounded: isUnbounded),
      unit(tags[3] + tags[4].prefix(300), time: 907_200, isUnbounded: isUnbounded),
      unit(Array(tags[4][300..<500]), time: nil, isUnbounded: isUnbounded),
      unit(Array(tags[4][500...]), time: nil, isUnbounded: isUnbounded),
      unit(tags[5] + [0, 0, 0xFF], time: 910_800, isUnbounded: isUnbounded),
    ]
    return (units, tags)
  }

  @Test(arguments: [false, true], [TimedMetadataAssembler.Scope.readable, .malformedToo])
  func findsTags(isUnbounded: Bool, scope: TimedMetadataAssembler.Scope) throws {
    let (units, tags) = try Self.sample(isUnbounded: isUnbounded)
    let events = try Self.events(Self.packets(units), scope)
    #expect(Self.tags(events) == tags)
    #expect(events.filter { if case .packet = $0 { true } else { false } }.count == units.count)
    let times = events.compactMap { if case .tag(let tag) = $0 { tag.header.presentationTime } else { nil } }
    #expect(times == [900_000, 903_600, 903_600, 907_200, 907_200, 910_800])
    let indices = events.compactMap { if case .tag(let tag) = $0 { tag.index } else { nil } }
    #expect(indices == [0, 0, 1, 0, 1, 0])
    #expect(Self.summary(events).last == "rest of 3 bytes behind 1 tags, stuffing")
  }

  /// However few bytes of a PES packet come in a transport packet, the tags are the same.
  @Test(arguments: [1, 2, 3, 50]) func inSmallPackets(size: Int) throws {
    let (units, tags) = try Self.sample()
    var counter: UInt8 = 0
    var packets: [[UInt8]] = []
    for unit in units {
      for start in stride(from: 0, to: unit.count, by: size) {
        let part = Array(unit[start..<min(start + size, unit.count)])
        var packet = TransportPacket.packets(carrying: part, pid: 0x102, counter: &counter)
        if start > 0 { packet[1] &= ~0x40 }
        packets.append(packet)
      }
    }
    #expect(Self.tags(try Self.events(packets)) == tags)
  }

  /// Whichever transport packet is missing, no tag is wrong, and those that it is no part of come out.
  @Test(arguments: [false, true]) func missingTransportPackets(isUnbounded: Bool) throws {
    let (units, tags) = try Self.sample(isUnbounded: isUnbounded)
    let packets = Self.packets(units)
    for missing in packets.indices {
      var rest = packets
      rest.remove(at: missing)
      // A PES packet of unstated length goes down with the one before it where the gap lies between them.
      let found = Self.tags(try Self.events(rest))
      #expect(found.allSatisfy { tags.contains($0) })
      #expect(found.count >= tags.count - (isUnbounded ? 4 : 2))
    }
  }

  /// Wherever the stream ends, the tags that are complete come out, and no other.
  @Test func endsAnywhere() throws {
    let (units, tags) = try Self.sample()
    let packets = Self.packets(units)
    for count in packets.indices {
      let found = Self.tags(try Self.events(Array(packets[..<count])))
      #expect(found == Array(tags.prefix(found.count)))
    }
  }

  @Test func insideTags() throws {
    for isUnbounded in [false, true] {
      let (units, _) = try Self.sample(isUnbounded: isUnbounded)
      var inside: [Bool] = []
      _ = try Self.events(Self.packets(units)) { inside.append($0) }
      // One packet; five; three, of which the last begins a tag that continues; two; three; one.
      #expect(inside == [false, true, true, true, true, false, true, true, true, true, true, true, true, false, false], "\(isUnbounded)")
    }
  }

  @Test func continuation() throws {
    let long = try Self.tag(1, size: 900)
    for isUnbounded in [false, true] {
      let first = Self.packets([Self.unit(Array(long.prefix(150)), isUnbounded: isUnbounded)])[0]
      var assembler = TimedMetadataAssembler()
      let header = try TransportPacket(first.span)
      _ = assembler.push(header, payload: first.span.extracting(header.payload), offset: 0)
      let (next, other) = (Self.unit([1], time: nil), Self.unit(long))
      let isContinued = assembler.isContinued(in: next.span)
      let isContinuedByOther = assembler.isContinued(in: other.span)
      #expect(isContinued && !isContinuedByOther)
      let isContinuedFromNothing = TimedMetadataAssembler().isContinued(in: next.span)
      #expect(!isContinuedFromNothing)
    }
  }

  @Test func whatIsNoTag() throws {
    let tag = try Self.tag(1)
    var other = tag
    other[3] = 5
    let untimed = Self.unit(tag, time: nil)
    let cases: [(unit: [UInt8], readable: [String], malformedToo: [String])] = [
      (Self.unit([1, 2, 3]), ["rest of 3 bytes behind 0 tags"], ["rest of 3 bytes behind 0 tags"]),
      (Self.unit([]), ["rest of 0 bytes behind 0 tags"], ["rest of 0 bytes behind 0 tags"]),
      (
        Self.unit(tag + [1]), ["122 bytes at 0, number 0", "rest of 1 bytes behind 1 tags"],
        ["122 bytes at 0, number 0", "rest of 1 bytes behind 1 tags"]
      ),
      (untimed, ["rest of 122 bytes behind 0 tags"], ["122 bytes at 0, number 0"]),
      (Self.unit(other), ["rest of 122 bytes behind 0 tags"], ["122 bytes at 0, number 0"]),
      (Self.unit(Array("ID3".utf8)), ["rest of 3 bytes behind 0 tags"], ["3 bytes at 0, number 0"]),
      (Self.unit(tag.dropLast()), ["121 of 122 bytes at 0"], ["121 of 122 bytes at 0"]),
      (
        [0, 0, 1, 0xBE, 0, 4, 0, 0, 0, 0], ["PES packet without the optional header at 0"], ["PES packet without the optional header at 0"]
      ),
    ]
    for (unit, readable, malformedToo) in cases {
      #expect(try Self.summary(Self.events(Self.packets([unit]))) == readable)
      #expect(try Self.summary(Self.events(Self.packets([unit]), .malformedToo)) == malformedToo)
    }
  }

  /// A tag that states more than is put together takes no memory where only readable tags are wanted, and a bounded part of it otherwise.
  @Test func tooLarge() throws {
    let large: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
    let units = [Self.unit(large)] + (0..<20).map { _ in Self.unit([UInt8](repeating: 1, count: 60_000), time: nil) }
    let readable = try Self.summary(Self.events(Self.packets(units)))
    #expect(readable.first == "rest of 10 bytes behind 0 tags")
    let all = try Self.summary(Self.events(Self.packets(units), .malformedToo))
    #expect(all.first == "1020010 of 268435465 bytes at 0")
  }

  @Test func aGapThatIsKnown() throws {
    var assembler = TimedMetadataAssembler()
    let packet = Self.packets([Self.unit(Array(try Self.tag(1).prefix(50)))])[0]
    let header = try TransportPacket(packet.span)
    let events = assembler.push(header, payload: packet.span.extracting(header.payload), offset: 0)
    #expect(events.count == 1)
    #expect(assembler.isInsideTag)
    #expect(Self.summary(assembler.interrupt()) == ["50 of 122 bytes at 0"])
    #expect(!assembler.isInsideTag)
  }
}
