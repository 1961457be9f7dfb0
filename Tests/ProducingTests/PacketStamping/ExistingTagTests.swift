import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Streams that have timed ID3 already keep all of it.
@Suite struct ExistingTagTests {
  static let pid: PID = 0x150

  static func sample(descriptors: [Descriptor] = []) -> SampleStream {
    var sample = SampleStream()
    sample.map.streams.append(.init(type: .metadata, pid: pid, descriptors: descriptors))
    return sample
  }

  static func tag(_ text: String, size: Int = 0) throws -> [UInt8] {
    try ID3Tag(frames: [.text(id: "TIT2", values: [text]), .privateData(owner: "o", data: [UInt8](repeating: 5, count: size))]).encode()
  }

  static func time(_ picture: Int) -> UInt64 { 900_000 + UInt64(picture) * 3_600 }

  /// Tags of one and of several packets, in all forms that other writers give them.
  static func foreign() throws -> [Int: [UInt8]] {
    let large = try tag("large", size: 900)
    return [
      3: SamplePacketWriter.pes(presentation: time(3), payload: try tag("small")),
      20: SamplePacketWriter.pes(streamID: 0x0D, presentation: time(20), payload: large),
      21: SamplePacketWriter.pesHeader(streamID: 0xBD, length: 0, presentation: time(21)) + large,
      38: SamplePacketWriter.pes(presentation: time(38), payload: try tag("one") + tag("two", size: 500)),
    ]
  }

  static func stamped(_ sample: SampleStream, _ events: [PlannedEvent]) throws -> [UInt8] { try stamp(sample.bytes, with: events).bytes }

  /// The PES packets that are not ours: ours are in the schedule.
  static func foreignPackets(_ stamped: [UInt8], _ sample: SampleStream, _ events: [PlannedEvent]) throws -> [[UInt8]] {
    let ours = Set(try sample.scheduledCopies(events).map(\.tag))
    return SamplePacket.pes(on: pid, in: stamped).map(\.bytes).filter { !ours.contains(Array($0.dropFirst(14))) }
  }

  @Test func theStreamIsReused() throws {
    var sample = Self.sample()
    let foreign = try Self.foreign()
    for (picture, unit) in foreign { sample.extras[picture] = [.pes(Self.pid, unit), .clock(Self.pid, Self.time(picture))] }
    let (stamped, report) = try stamp(sample.bytes, with: SampleGame.plan())
    #expect(try Self.foreignPackets(stamped, sample, SampleGame.plan()) == foreign.sorted { $0.key < $1.key }.map(\.value))
    #expect(SamplePacket.pes(on: Self.pid, in: stamped).count == foreign.count + report.copies)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    let items = try read(stamped)
    #expect(items.copies.count == report.copies)
    #expect(items.tags.count == 5)
    #expect(items.damages == [])
    let others = SamplePacket.stream(SamplePacket.stream(stamped, without: Self.pid), without: 0x1000)
    #expect(others == SamplePacket.stream(SamplePacket.stream(sample.bytes, without: Self.pid), without: 0x1000))
  }

  /// Access units come while a large tag is not complete: the events due then wait for its end, and no longer.
  @Test func tagsGoBetweenPacketsOfATag() throws {
    let events = [SampleGame.short("a", at: 72_000), SampleGame.short("b", at: 75_600)]
    let unit = SamplePacketWriter.pes(presentation: Self.time(20), payload: try Self.tag("large", size: 2_000))
    var writer = SamplePacketWriter()
    writer.append(unit, pid: Self.pid)
    let pieces = SamplePacket.all(in: writer.bytes).map(\.bytes)
    var sample = Self.sample()
    // One packet before each video frame from the 16th on.
    for (number, piece) in pieces.enumerated() { sample.extras[16 + number] = [.packets(piece)] }
    let stamped = try Self.stamped(sample, events)
    #expect(try Self.foreignPackets(stamped, sample, events) == [unit])
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    #expect(try read(stamped).copies.map(\.copy) == sample.scheduledCopies(events).map(\.copy))
    #expect(try read(stamped).damages == [])
  }

  /// A tag goes on in PES packets without a presentation time (Apple, section 2.4): nothing comes between them.
  @Test func tagsGoBetweenContinuedTags() throws {
    let tag = try Self.tag("continued", size: 1_500)
    var sample = Self.sample()
    for (number, start) in stride(from: 0, to: tag.count, by: 400).enumerated() {
      let part = Array(tag[start..<min(start + 400, tag.count)])
      sample.extras[16 + 2 * number] = [
        .pes(Self.pid, SamplePacketWriter.pes(presentation: number == 0 ? Self.time(20) : nil, payload: part))
      ]
    }
    let events = [SampleGame.short(at: 72_000)]
    let items = try read(try Self.stamped(sample, events))
    #expect(items.tags.map(\.tag) == [try ID3Tag.decode(tag.span)])
    #expect(items.copies.map(\.copy) == (try sample.scheduledCopies(events)).map(\.copy))
    #expect(items.damages == [])
  }

  /// The end of a tag that never comes is not waited for longer than a second.
  @Test func aTagWithoutItsEndHoldsNothingBack() throws {
    var writer = SamplePacketWriter()
    writer.append(SamplePacketWriter.pes(presentation: Self.time(2), payload: try Self.tag("cut", size: 900)), pid: Self.pid)
    var sample = Self.sample()
    sample.extras[2] = [.packets(Array(writer.bytes.prefix(2 * 188)))]
    let events = [SampleGame.short(at: 7_200)]
    let stamped = try Self.stamped(sample, events)
    let packets = SamplePacket.all(in: stamped)
    let first = try #require(packets.dropFirst(20).firstIndex { $0.pid == Self.pid })
    let pictures = packets[..<first].filter { $0.pid == 0x100 && $0.header.startsUnit }.count
    #expect(pictures < 35)
    #expect(try read(stamped).copies.map(\.copy) == sample.scheduledCopies(events).map(\.copy))
  }

  /// Lost packets stay visible as a gap in the counters, and packets that came twice stay so.
  @Test func gapsAndRepeatsStay() throws {
    let unit = SamplePacketWriter.pes(presentation: Self.time(20), payload: try Self.tag("large", size: 600))
    var writer = SamplePacketWriter()
    writer.append(unit, pid: Self.pid)
    writer.append(unit, pid: Self.pid)
    var pieces = SamplePacket.all(in: writer.bytes).map(\.bytes)
    pieces.remove(at: 1)
    var sample = Self.sample()
    sample.extras[20] = [.packets(pieces.flatMap { $0 + $0 })]
    let events = [SampleGame.short("a", at: 7_200), SampleGame.short("b", at: 108_000)]
    let stamped = try Self.stamped(sample, events)
    #expect(SamplePacket.continuityErrors(in: SamplePacket.withoutRepeats(on: Self.pid, in: stamped)).count == 1)
    #expect(try Self.foreignPackets(stamped, sample, events) == [unit])
    let items = try read(stamped)
    #expect(items.tags.count == 1)
    #expect(items.damages.count == 1)
    #expect(items.copies.map(\.copy) == (try sample.scheduledCopies(events)).map(\.copy))
  }

  /// Descriptors that are there already stay as they are, and what is missing is added, with the service that the stream has.
  @Test(arguments: [0, 1, 2]) func descriptorsAreCompleted(present: Int) throws {
    let stream = MetadataDescriptor(serviceID: 7).descriptor
    let pointer = MetadataPointerDescriptor(serviceID: present > 0 ? 7 : 0, programNumber: 1).descriptor
    var sample = Self.sample(descriptors: present > 0 ? [stream] : [])
    if present == 2 { sample.map.descriptors = [pointer] }
    let stamped = try Self.stamped(sample, [])
    let section = try #require(SamplePacket.sections(on: 0x1000, in: stamped).first)
    var expected = sample.map
    expected.descriptors = [pointer]
    expected.streams[2].descriptors = present > 0 ? [stream] : [MetadataDescriptor(serviceID: 0).descriptor]
    if present < 2 { expected.version += 1 }
    #expect(try ProgramMapTable(Section(section.span)) == expected)
  }

  /// Where one PMT had to be changed, those that follow have a new version too, or two PMTs would have the same one.
  @Test func versionsStayApart() throws {
    var sample = SampleStream()
    var complete = Self.sample(descriptors: [MetadataDescriptor(serviceID: 0).descriptor]).map
    complete.descriptors = [MetadataPointerDescriptor(serviceID: 0, programNumber: 1).descriptor]
    complete.version = 4
    sample.laterMaps[30] = complete
    let stamped = try Self.stamped(sample, [])
    let maps = try SamplePacket.sections(on: 0x1000, in: stamped).map { try ProgramMapTable(Section($0.span)) }
    #expect(maps.map(\.version) == [4, 4, 4, 5, 5, 5, 5])
  }

  /// A game that is in the stream already is found wherever its tag is: first in its PES packet, behind another tag, or continued in the next
  /// PES packet.
  @Test(arguments: [0, 1, 2]) func aGameIsFoundInEveryTag(place: Int) throws {
    let other = place == 0 ? [] : try Self.tag("other")
    let payload = other + (try EventCopy(of: SampleGame.plan()[0].event).encodedTag())
    let end = place == 2 ? payload.count - 20 : payload.count
    var sample = Self.sample()
    sample.extras[20] = [.pes(Self.pid, SamplePacketWriter.pes(presentation: Self.time(20), payload: Array(payload[..<end])))]
    if place == 2 { sample.extras[21] = [.pes(Self.pid, SamplePacketWriter.pes(presentation: nil, payload: Array(payload[end...])))] }
    let offset = try #require(SamplePacket.all(in: sample.bytes).first { $0.pid == Self.pid }?.offset)
    #expect(RefusalTests.error(sample.bytes) == .alreadyStamped(SampleGame.plan()[0].event.gameID, offset: offset))
    _ = try stamp(sample.bytes, with: SampleGame.plan("saturday"))
  }

  /// A second game goes in beside the first.
  @Test func aStampedStreamIsStampedAgain() throws {
    let sample = SampleStream()
    let first = try stamp(sample.bytes, with: SampleGame.plan("first"))
    let second = try stamp(first.bytes, with: SampleGame.plan("second"))
    #expect(SamplePacket.sections(on: 0x1000, in: second.bytes) == SamplePacket.sections(on: 0x1000, in: first.bytes))
    #expect(SamplePacket.continuityErrors(in: second.bytes) == [])
    let before = try read(first.bytes).copies
    let items = try read(second.bytes)
    #expect(items.damages == [])
    let kept = items.copies.filter { $0.copy.event.game == "first" }
    #expect(kept.map(\.copy) == before.map(\.copy))
    #expect(kept.map(\.place.time) == before.map(\.place.time))
    let added = items.copies.filter { $0.copy.event.game == "second" }
    // The same copies; repeats go behind tags of the first game where those are later.
    let planned = try sample.scheduledCopies(SampleGame.plan("second"))
    #expect(added.map(\.copy.copy) == planned.map(\.copy.copy))
    #expect(added.map(\.copy.event) == planned.map(\.copy.event))
    #expect(added.filter { $0.copy.copy == 1 }.map(\.place.time) == SampleGame.plan().map(\.time))
    #expect(added.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
    let repeats = items.copies.filter { $0.copy.copy > 1 }.map(\.place.time)
    #expect(repeats == repeats.sorted())
  }
}
