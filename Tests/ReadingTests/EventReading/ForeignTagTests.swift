import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

/// Timed ID3 as other writers make it.
@Suite struct ForeignTagTests {
  static let pid: PID = 0x123

  static func sample(_ extras: [Int: [SampleStream.Extra]]) -> SampleStream {
    var sample = SampleStream()
    sample.pictureCount = 31
    sample.map.streams.append(.init(type: .metadata, pid: pid))
    sample.extras = extras
    return sample
  }

  static func tag(_ text: String, size: Int = 0) -> ID3Tag {
    ID3Tag(frames: [.text(id: "TIT2", values: [text]), .privateData(owner: "o", data: [UInt8](repeating: 5, count: size))])
  }

  static func offsets(_ stream: [UInt8]) -> [Int] {
    SamplePacket.all(in: stream).filter { $0.pid == pid && $0.header.startsUnit }.map(\.offset)
  }

  static func item(_ tag: ID3Tag, time: Int64, offset: Int) throws -> StreamItem {
    let place = Place(
      time: MediaTime(ticks: time), presentationTime: MediaTime(ticks: 900_000 + time), videoTime: MediaTime(ticks: time),
      carriage: .id3(pid: pid),
      offset: offset,
      byteCount: try tag.encode().count)
    return .tag(tag, place)
  }

  /// Each form that a PES packet of ID3 takes, as one tag at 36,000 ticks.
  enum Form: CaseIterable {
    case plain, streamID0D, withoutLength, stuffedWithZeros, stuffedWithOnes, large, withDecodingTime

    func unit(_ tag: ID3Tag) throws -> [UInt8] {
      let payload = try tag.encode()
      let time: UInt64 = 936_000
      return switch self {
      case .plain, .large: SamplePacketWriter.pes(presentation: time, payload: payload)
      case .streamID0D: SamplePacketWriter.pes(streamID: 0x0D, presentation: time, payload: payload)
      case .withoutLength: SamplePacketWriter.pesHeader(streamID: 0xBD, length: 0, presentation: time) + payload
      case .stuffedWithZeros: SamplePacketWriter.pes(presentation: time, payload: payload + [UInt8](repeating: 0, count: 60))
      case .stuffedWithOnes: SamplePacketWriter.pes(presentation: time, payload: payload + [UInt8](repeating: 0xFF, count: 60))
      case .withDecodingTime:
        SamplePacketWriter.pesHeader(streamID: 0xBD, length: 13 + payload.count, presentation: time, decoding: time - 9_000) + payload
      }
    }
  }

  @Test(arguments: Form.allCases) func oneTag(form: Form) throws {
    let tag = Self.tag("one", size: form == .large ? 60_000 : 300)
    let stream = Self.sample([7: [.pes(Self.pid, try form.unit(tag))]]).bytes
    let offset = try #require(Self.offsets(stream).first)
    for chunk in [1, 188, stream.count] where chunk > 1 || form != .large {
      #expect(try read(stream, chunk: chunk) == [Self.item(tag, time: 36_000, offset: offset)])
    }
  }

  /// Tags before the first video frame wait for the timeline origin.
  @Test func aTagBeforeThePicture() throws {
    let stream = Self.sample([0: [.pes(Self.pid, try Form.plain.unit(Self.tag("early")))]]).bytes
    #expect(try read(stream) == [Self.item(Self.tag("early"), time: 36_000, offset: Self.offsets(stream)[0])])
  }

  @Test func severalTagsInAPacket() throws {
    let tags = [Self.tag("one"), Self.tag("two", size: 200), Self.tag("three")]
    let payload = try tags.flatMap { try $0.encode() }
    let stream = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: payload + [0, 0]))]]).bytes
    #expect(try read(stream) == tags.map { try Self.item($0, time: 36_000, offset: Self.offsets(stream)[0]) })
  }

  @Test(arguments: [10, 184, 500, 1_300]) func aTagGoesOnInFurtherPackets(part: Int) throws {
    let tag = Self.tag("long", size: 1_400)
    let payload = try tag.encode()
    var extras: [Int: [SampleStream.Extra]] = [:]
    for (number, start) in stride(from: 0, to: payload.count, by: part).enumerated() {
      let unit = SamplePacketWriter.pes(
        presentation: number == 0 ? 936_000 : nil, payload: Array(payload[start..<min(start + part, payload.count)]))
      extras[min(5 + number, 20), default: []].append(.pes(Self.pid, unit))
    }
    // The packet after it starts a tag of its own.
    extras[25] = [.pes(Self.pid, SamplePacketWriter.pes(presentation: 990_000, payload: try Self.tag("next").encode()))]
    let stream = Self.sample(extras).bytes
    let offsets = Self.offsets(stream)
    #expect(
      try read(stream) == [
        Self.item(tag, time: 36_000, offset: offsets[0]), Self.item(Self.tag("next"), time: 90_000, offset: offsets[offsets.count - 1]),
      ])
  }

  /// FFmpeg before 6.1 cuts the first five bytes of a packet's first tag; the next one is whole.
  @Test func cutTagsAreRead() throws {
    let payload = try Array(Self.tag("cut").encode().dropFirst(5)) + Self.tag("whole").encode()
    let stream = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: payload))]]).bytes
    let offset = Self.offsets(stream)[0]
    var cut = try Self.item(Self.tag("cut"), time: 36_000, offset: offset)
    if case .tag(let tag, var place) = cut {
      place.isRestored = true
      cut = .tag(tag, place)
    }
    for chunk in [nil, 1, 187] {
      #expect(try read(stream, chunk: chunk) == [cut, Self.item(Self.tag("whole"), time: 36_000, offset: offset)])
    }
  }

  /// What cannot be read is said, with the place, and the tag after it is read.
  @Test func brokenPackets() throws {
    let good = try Self.tag("good").encode()
    let cut = Array(good.dropLast(3))
    var broken = good
    broken[13] = 0xFF
    let cases: [(unit: [UInt8], reason: String)] = [
      (SamplePacketWriter.pes(presentation: 936_000, payload: Array("no tag at all".utf8)), "no ID3 tag where one should start"),
      (SamplePacketWriter.pes(presentation: 936_000, payload: Array(broken.dropFirst(5))), "no ID3 tag where one should start"),
      (SamplePacketWriter.pes(presentation: nil, payload: good), "metadata without a presentation time"),
      (
        SamplePacketWriter.pes(presentation: 936_000, payload: cut),
        "ID3 tag is cut off: \(good.count) bytes needed, \(cut.count) there"
      ),
      ([1, 2, 3, 4, 0, 4, 7, 8, 9, 10], "no start code of a PES packet"),
    ]
    for (unit, reason) in cases {
      let next = SamplePacketWriter.pes(presentation: 990_000, payload: good)
      let stream = Self.sample([7: [.pes(Self.pid, unit)], 20: [.pes(Self.pid, next)]]).bytes
      let offsets = Self.offsets(stream)
      #expect(
        try read(stream) == [
          .damage(Damage(offset: offsets[0], reason: reason)), Self.item(Self.tag("good"), time: 90_000, offset: offsets[1]),
        ])
    }
    let stream = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: broken))]]).bytes
    let items = try read(stream)
    #expect(items.count == 1)
    #expect(items.damages.first?.reason.hasPrefix("broken ID3 tag: ") == true)
  }

  /// Sixty thousand bytes of tags of ten bytes are read in less time than copying them for each would take.
  @Test func manySmallTagsInAPacket() throws {
    let empty = ID3Tag(frames: [])
    let payload = try (0..<6_000).flatMap { _ in try empty.encode() }
    let stream = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: payload))]]).bytes
    let item = try Self.item(empty, time: 36_000, offset: Self.offsets(stream)[0])
    #expect(try read(stream) == [StreamItem](repeating: item, count: 6_000))
  }

  /// Metadata of another format on a stream of its own is not looked at.
  @Test func otherMetadataIsLeftAlone() throws {
    var sample = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: [0x06, 0x0E]))]])
    sample.map.streams[2].descriptors = [Descriptor(tag: 0x26, data: [0x01, 0x00, 0xFF, 0x4B, 0x4C, 0x56, 0x41, 0, 0x0F])]
    #expect(try read(sample.bytes) == [])
  }

  /// Each of two programs has its own clock and its own metadata.
  @Test func twoPrograms() throws {
    var first = Self.sample([7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: try Self.tag("first").encode()))]])
    first.tablesEvery = 0
    var second = SampleStream()
    second.pictureCount = 31
    second.start = 5_000_000
    second.tablesEvery = 0
    second.map = ProgramMapTable(
      programNumber: 2, version: 0, pcrPID: 0x200, streams: [.init(type: .h264, pid: 0x200), .init(type: .metadata, pid: 0x223)])
    second.extras[7] = [.pes(0x223, SamplePacketWriter.pes(presentation: 5_000_000, payload: try Self.tag("second").encode()))]
    let association = ProgramAssociationTable(
      transportStreamID: 1, version: 0, entries: [.init(number: 1, pmtPID: 0x1000), .init(number: 2, pmtPID: 0x1001)])
    var writer = SamplePacketWriter()
    writer.append(section: association.section, pid: 0)
    writer.append(section: try first.map.section(), pid: 0x1000)
    writer.append(section: try second.map.section(), pid: 0x1001)
    writer.append(packets: first.bytes)
    writer.append(packets: second.bytes)
    let tags = try read(writer.bytes).tags
    #expect(tags.map(\.tag) == [Self.tag("first"), Self.tag("second")])
    #expect(tags.map(\.place.time.ticks) == [36_000, 0])
    #expect(tags.map(\.place.carriage) == [.id3(pid: Self.pid), .id3(pid: 0x223)])
  }

  /// The metadata's PID changes with the map.
  @Test func theMapChanges() throws {
    var sample = Self.sample([
      7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: try Self.tag("before").encode()))],
      25: [.pes(0x124, SamplePacketWriter.pes(presentation: 990_000, payload: try Self.tag("after").encode()))],
    ])
    var later = sample.map
    later.version = 4
    later.streams[2].pid = 0x124
    sample.laterMaps[20] = later
    let tags = try read(sample.bytes).tags
    #expect(tags.map(\.tag) == [Self.tag("before"), Self.tag("after")])
    #expect(tags.map(\.place.time.ticks) == [36_000, 90_000])
  }

  /// Without video and audio the timeline origin is what the copies say, else the first tag.
  @Test func metadataAlone() throws {
    var sample = Self.sample([
      7: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 936_000, payload: try Self.tag("one").encode()))],
      25: [.pes(Self.pid, SamplePacketWriter.pes(presentation: 990_000, payload: try Self.tag("two").encode()))],
    ])
    sample.map.streams = [.init(type: .metadata, pid: Self.pid)]
    #expect(try read(sample.bytes).tags.map(\.place.time.ticks) == [0, 54_000])
    let copy = EventCopy(of: SampleGame.short(at: 9_000).event, age: MediaTime(ticks: 1_800))
    sample.extras[25] = [.pes(Self.pid, SamplePacketWriter.pes(presentation: 990_000, payload: try copy.encodedTag()))]
    let items = try read(sample.bytes)
    #expect(items.copies.map(\.place.time.ticks) == [10_800])
    #expect(items.tags.map(\.place.time.ticks) == [-43_200])
  }
}
