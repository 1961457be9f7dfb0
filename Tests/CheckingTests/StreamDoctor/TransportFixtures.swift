import GameEvents
import HLSReading
import StreamDoctor
import TestSupport
import TransportStream

extension Fixture {
  static func mapped(_ map: ProgramMapTable) -> [UInt8] { TagStream(map).with(tag: SampleTag.plain).bytes }

  /// A stream whose tag lies in this packet.
  static func packed(_ change: (TagStream) -> [UInt8]) -> [UInt8] {
    let stream = TagStream()
    return stream.with(change(stream)).bytes
  }

  static let transportStream: [Fixture] = [
    Fixture("TS-PMT-POINTER") { mapped(TagStream.map(pointer: [])) },
    Fixture("TS-PMT-METADATA") { mapped(TagStream.map(metadata: [])) },
    Fixture("TS-PMT-METADATA") {
      // A stream that says to carry something else, and carries ID3.
      var descriptor = MetadataDescriptor(serviceID: 0)
      descriptor.format = 0x4B4C_5641
      return mapped(TagStream.map(metadata: [descriptor.descriptor]))
    },
    Fixture("TS-PMT-SERVICE") { mapped(TagStream.map(metadata: [MetadataDescriptor(serviceID: 4).descriptor])) },
    Fixture("TS-PMT-PROGRAM") { mapped(TagStream.map(pointer: [MetadataPointerDescriptor(serviceID: 0, programNumber: 7).descriptor])) },
    Fixture("TS-PMT-FORM") {
      var descriptor = MetadataDescriptor(serviceID: 0).descriptor
      descriptor.data.append(0)
      return mapped(TagStream.map(metadata: [descriptor]))
    },
    Fixture("TS-PMT-VERSION") {
      var stream = TagStream().with(tag: SampleTag.plain)
      var map = TagStream.map()
      map.streams[1].descriptors = [Descriptor(tag: 0x0A, data: Array("eng".utf8) + [0])]
      stream.stream.laterMaps[30] = map
      return stream.bytes
    },
    Fixture("TS-TABLE-CRC") {
      var bytes = TagStream().with(tag: SampleTag.plain).bytes
      let packet = SamplePacket.all(in: bytes).filter { $0.pid == 0x1000 }[1]
      bytes[packet.offset + 15] ^= 1
      return bytes
    },
    Fixture("TS-STREAM-TYPE") { mapped(TagStream.map(metadata: [], type: .privateData)) },
    Fixture("TS-STREAM-TYPE") { TagStream(SampleStream.videoAndAudio).with(tag: SampleTag.plain).bytes },
    Fixture("TS-ONE-PID") {
      let other = ProgramMapTable.ElementaryStream(type: .metadata, pid: 0x103, descriptors: [MetadataDescriptor(serviceID: 0).descriptor])
      return mapped(TagStream.map(more: [other]))
    },
    Fixture("TS-PID-CLASH") { mapped(TagStream.map(more: [.init(type: .privateData, pid: TagStream.pid)])) },
    Fixture("TS-CONTINUITY") {
      let bytes = TagStream().with(tag: SampleTag.plain).bytes
      let lost = SamplePacket.all(in: bytes).filter { $0.pid == 0x100 && !$0.header.startsUnit }[4]
      return Array(bytes[..<lost.offset] + bytes[(lost.offset + 188)...])
    },
    Fixture("TS-PACKET-SIZE") { SamplePacket.reframed(TagStream().with(tag: SampleTag.plain).bytes, .timestamped) },
    Fixture("TS-PACKET-SIZE") { TagStream().with(tag: SampleTag.plain).bytes + [1, 2, 3] },
    Fixture("TS-PCR") {
      var bytes = TagStream().with(tag: SampleTag.plain).bytes
      for packet in SamplePacket.all(in: bytes) where packet.header.adaptation?.pcr != nil { bytes[packet.offset + 5] &= ~0x10 }
      return bytes
    },
    Fixture("TS-DTS") {
      // A picture with its two times exchanged.
      var bytes = TagStream().with(tag: SampleTag.plain).bytes
      let picture = SamplePacket.all(in: bytes).filter { $0.pid == 0x100 && $0.header.startsUnit }[4]
      let times = picture.offset + picture.header.payload.lowerBound + 9
      for index in 0..<5 { bytes.swapAt(times + index, times + 5 + index) }
      bytes[times] = bytes[times] & 0x0F | 0x30
      bytes[times + 5] = bytes[times + 5] & 0x0F | 0x10
      return bytes
    },
  ]

  static let packets: [Fixture] = [
    Fixture("TS-PES-STREAM-ID") { packed { $0.pes(SampleTag.plain, streamID: 0xFC) } },
    Fixture("TS-PES-LENGTH") {
      packed { SamplePacketWriter.pesHeader(streamID: 0xBD, length: 0, presentation: $0.time(21_600)) + SampleTag.plain }
    },
    Fixture("TS-PES-ALIGNMENT") {
      packed { stream in
        var pes = stream.pes(SampleTag.plain)
        pes[6] &= ~0x04
        return pes
      }
    },
    Fixture("TS-PES-TIME") {
      packed { _ in
        var pes = SamplePacketWriter.pes(presentation: nil, payload: SampleTag.plain)
        pes[6] |= 0x04
        return pes
      }
    },
    Fixture("TS-PES-HEADER") {
      packed { stream in
        let time = stream.time(21_600)
        let header = SamplePacketWriter.pesHeader(
          streamID: 0xBD, length: 13 + SampleTag.plain.count, presentation: time, decoding: time)
        return header + SampleTag.plain
      }
    },
    Fixture("TS-PES-TAG") { packed { $0.pes(Array("{\"eventType\":\"poll\"}".utf8)) } },
    Fixture("TS-PES-ONE-TAG") { packed { $0.pes(SampleTag.plain + SampleTag.plain) } },
    Fixture("TS-PES-ONE-TAG") { packed { $0.pes(SampleTag.plain + [0, 0, 0]) } },
    Fixture("TS-PES-CONTINUED") {
      let tag = SampleTag.plain
      let rest = SamplePacketWriter.pes(presentation: nil, payload: Array(tag[12...]))
      let stream = TagStream()
      return stream.with(stream.pes(Array(tag[..<12]))).with(rest).bytes
    },
    Fixture("TS-PES-BROKEN") {
      let stream = TagStream()
      let cut = Array(stream.pes(SampleTag.plain).dropLast(4))
      return stream.with(cut).with(tag: SampleTag.plain, before: 12).bytes
    },
    Fixture("TS-PTS-ORDER") {
      TagStream().with(tag: SampleTag.plain).with(tag: SampleTag.plain, before: 7, off: -7_200).bytes
    },
    Fixture("TS-PTS-FAR") { TagStream().with(tag: SampleTag.plain, off: 1_800_000).bytes },
    Fixture("TS-PTS-WRAP") {
      var stream = TagStream()
      stream.stream.start = 1 << 33 - 45_000
      return stream.with(tag: SampleTag.plain, before: 3).with(tag: SampleTag.plain, before: 40).bytes
    },
    Fixture("TAG-CUT-BY-FFMPEG") { packed { $0.pes(Array(SampleTag.plain.dropFirst(5))) } },
  ]

  static let tags: [Fixture] = [
    tag("ID3-VERSION", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(0, "Title"))], version: 3)),
    tag("ID3-VERSION", SampleTag.frames([Array("TT2".utf8) + [0, 0, 6] + SampleTag.text(0, "Title")], version: 2)),
    tag("ID3-SYNCHSAFE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(190)))], size: [0, 0, 0, 201])),
    tag("ID3-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, "Title"))], size: [0, 0, 0, 99])),
    tag("ID3-FRAME-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(199)), size: SampleTag.plainSize(200))])),
    tag("ID3-FRAME-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(255)), size: SampleTag.plainSize(256))])),
    tag(
      "ID3-PLAIN-SIZE",
      SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(0, long(199)), size: SampleTag.plainSize(200))], version: 3)),
    tag("ID3-EMPTY-FRAME", SampleTag.frames([SampleTag.frame("WOAF", []), SampleTag.frame("TIT2", SampleTag.text(3, "Title"))])),
    tag("ID3-EXTENDED-HEADER", SampleTag.frames([[0, 0, 0, 6, 1, 0], SampleTag.frame("TIT2", SampleTag.text(3, "Title"))], flags: 0x40)),
    tag("ID3-UNSYNCHRONISED", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, "Title"))], flags: 0x80)),
    tag(
      "ID3-FOOTER", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, "Title"))], flags: 0x10) + [UInt8](repeating: 0, count: 10)),
    tag("ID3-FRAMES", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, "Title")), Array("title, no frame".utf8)])),
    tag("ID3-ASCII-DESCRIPTION", SampleTag.frames([SampleTag.userText("Über", "1")])),
    tag("ID3-FRAMES", SampleTag.frames([SampleTag.frame("TENC", Array("Encoder".utf8)), SampleTag.frame("TIT2", SampleTag.text(3, "a"))])),
    tag("ID3-FRAMES", SampleTag.frames([SampleTag.frame("TIT2", [3, 0xE9]), SampleTag.userText("poll", "1")])),
    tag("ID3-FRAMES", SampleTag.frames([SampleTag.userText("poll", "1"), SampleTag.frame("COMM", SampleTag.text(3, "en"))])),
    tag("ID3-FRAMES", SampleTag.frames([Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0x08, 3, 0x61]])),
    tag("ID3-ENCODING", SampleTag.frames([SampleTag.userText("poll", "1", encoding: 0)])),
  ]

  static func tag(_ rule: String, _ bytes: [UInt8]) -> Fixture { Fixture(rule) { TagStream().with(tag: bytes).bytes } }

  static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

  static let events: [Fixture] = [
    Fixture("EVENT-NO-TAGS") { SampleStream().bytes },
    Fixture(
      "EVENT-SEI-ALONE",
      reporting: {
        var doctor = StreamDoctor(name: "show", expectsGame: false)
        let bytes = SampleStream().bytes
        doctor.receive(.bytes(bytes[...]))
        if let guid = GUID("a") { doctor.receive(message: guid) }
        return doctor.finish()
      }),
    Fixture("EVENT-NONE") { TagStream().with(tag: SampleTag.plain).bytes },
    Fixture("EVENT-DAMAGED") {
      var tag = try SampleTag.event(at: 21_600, viewers: 1)
      if let digit = tag.indices.first(where: { tag[$0...].starts(with: Array("\"viewers\":1".utf8)) }) { tag[digit + 10] = 0x37 }
      return TagStream().with(tag: tag).bytes
    },
    Fixture("EVENT-SIGNATURE", requiring: TestSignature.check) { TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes },
    Fixture("EVENT-CONFLICT") {
      TagStream().with(tag: try SampleTag.event(at: 21_600, viewers: 1))
        .with(tag: try SampleTag.event(at: 21_600, age: 21_600, viewers: 2), before: 12).bytes
    },
    Fixture("EVENT-TIME") {
      TagStream().with(tag: try SampleTag.event(at: 21_600))
        .with(tag: try SampleTag.event(at: 21_600, age: 21_600), before: 12)
        .with(tag: try SampleTag.event(at: 21_600, age: 40_000), before: 18).bytes
    },
    Fixture("EVENT-INTERLEAVED") {
      TagStream().with(tag: try SampleTag.event("a", at: 21_600))
        .with(tag: try SampleTag.event("b", at: 43_200, number: 2), before: 12)
        .with(tag: try SampleTag.event("a", at: 21_600, age: 43_200), before: 18).bytes
    },
    Fixture("LIMIT-TAG-SIZE") {
      TagStream().with(tag: SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(2_100)))])).bytes
    },
    Fixture("LIMIT-IVS-TAG-SIZE") {
      TagStream().with(tag: SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(1_100)))])).bytes
    },
    Fixture("CODEC-PLAYERS") {
      var map = TagStream.map()
      map.streams[1].type = .ac3
      return TagStream(map).with(tag: try SampleTag.event(at: 21_600)).bytes
    },
    Fixture("LIMIT-IVS-RATE") { (6..<12).reduce(TagStream()) { $0.with(tag: SampleTag.plain, before: $1) }.bytes },
  ]
}
