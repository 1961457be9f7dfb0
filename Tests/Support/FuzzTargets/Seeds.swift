import AccessTokens
import AnswerIntake
import Basics
import CMAF
import EventSchedule
import GameEvents
import ID3
import NALUnits
import RTMP
import TestSupport
import TransportStream

extension FuzzTarget {
  /// Whole inputs of this target to start from, made by the builders of the tests.
  package var seeds: [[UInt8]] { Self.seeds[name] ?? [] }

  /// The copies of a short game, open and sealed.
  static let copies = [SampleGame.plan("friday", .open), SampleGame.plan()].joined().map { EventCopy(of: $0.event, copies: 3) }

  private static let seeds: [String: [[UInt8]]] = [
    id3.name: SampleBytes.tags,
    json.name: copies.map { bytes($0.text) } + [#"[1.5e-3,"\u00e9\ud83d\ude00\n",{"a":[],"b":{}},true,false,null,-0]"#].map(bytes),
    programTables.name: SampleBytes.sections.map { [1] + $0 },
    transportStream.name: SampleBytes.streams.map { [5] + $0 },
    packets.name: SampleBytes.packets.map { [7] + $0 },
    boxes.name: SampleBytes.fragmented.map { [3] + $0 },
    eventMessages.name: SampleBytes.messages + [SampleBytes.ftyp],
    codecs.name: SampleBytes.configurations,
    streams.name: (SampleBytes.streams + SampleBytes.fragmented + [SampleBytes.packedAudio]).map { [9] + $0 },
    playlist.name: ([SampleTexts.media, SampleTexts.live, SampleTexts.multivariant] + SampleTexts.slips).map(bytes),
    presentation.name: [SampleTexts.media, SampleTexts.live, SampleTexts.multivariant].map { [8] + bytes($0 + "\0" + SampleTexts.media) },
    eventCopy.name: copies.map { bytes("\($0.event.type)\n\($0.text)") } + [bytes(SampleTexts.custom)],
    copyParser.name: [
      copies.prefix(5).flatMap { copy in
        (1...3).flatMap { number in
          let text = EventCopy(of: copy.event, copy: number, copies: 3, age: MediaTime(ticks: Int64(number) * 3_601)).text
          return [UInt8(number & 1)] + bytes("\(number & 1 == 0 ? text : String(text.dropLast(ChecksumText.length)))\n")
        }
      }
    ],
    reports.name: [
      [3]
        + bytes(
          """
          cen="com.cuelight-shown",com.cuelight-age=1250,com.cuelight-guid="q",com.cuelight-late=5,com.cuelight-player="hls.js 1.7.1",e=ce,ltc=42,\
          sid="a",sn=3,sta=p,ts=1764385200000,v=2
          bl=(12000),br=(2000;v 128;a),bs,d=@1,e=t,f=-1.5,g=:aGk=:,h=?0,i=%"a",ltc=4350,sid="b",sn=1,ts=1,v=2

          """)
    ],
    answers.name: [
      bytes(#"{"answers":[{"question":"q","answer":1,"at":12.345},{"question":"r","answer":0,"at":0}]}"#),
      AnswerBatch.encode([PackedAnswer(player: 7, question: 1, answer: 2, time: MediaTime(seconds: 9))]),
    ],
    tokens.name: [
      bytes(tokenKey?.text(AccessToken(role: .player, game: "g", subject: 3, session: "s", expires: 1_000_000)) ?? ""),
      bytes(#"{"type":"decided","guid":"g","question":0,"cue":{"event":"showResults","counts":[1,2]}}"#),
      bytes(#"{"type":"placed","guid":"g","at":12.5}"#),
    ],
    request.name: [
      bytes(
        "GET /v1/streams/live/stream?token=x \nHost: localhost:8080\nLast-Event-ID: -9223372036854775808\nX-Forwarded-For: 9.9.9.9:80, [::1]:1"
      ),
      bytes("GET /live/live/media.m3u8?_HLS_msn=18446744073709551615&_HLS_part=18446744073709551615\nRange: bytes=0-9223372036854775807"),
      bytes("PUT /v1/streams/a%2fb/events/%00%ff\nAuthorization: Basic Og==\nRange: bytes=-9223372036854775808\nVia: 1.0 x"),
    ],
    audience.name: [bytes(SampleTexts.audience)],
    scoring.name: [0, 5, 10].map { (rules: UInt8) in
      [rules, 7] + bytes(SampleTexts.audience) + copies.prefix(5).flatMap { bytes($0.text + "\n") }
    },
    questions.name: [
      [1] + bytes(SampleTexts.quiz), [3] + bytes(SampleTexts.quizTable), [3] + bytes(SampleTexts.plainTable),
      [6] + bytes(SampleTexts.trivia), [10] + bytes(SampleTexts.percentTrivia), [2] + bytes(SampleTexts.base64Trivia),
      [3] + bytes(SampleTexts.germanTable),
      [3, 0xFF, 0xFE] + SampleTexts.germanTable.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
      [0x20] + bytes(SampleTexts.gift), [0x21] + bytes(SampleTexts.aiken),
    ],
    spreadsheets.name: [
      [0]
        + bytes(
          "\(SampleTexts.worksheet)\0<sst><si><t>Who?</t></si></sst>\0<styleSheet><cellXfs><xf numFmtId=\"14\"/></cellXfs></styleSheet>"),
      [1] + bytes(SampleTexts.openDocument),
    ],
    encodings.name: SampleTexts.encoded.map(bytes),
    game.name: [0, 200].map { (step: UInt8) in copies.flatMap { [step] + bytes($0.text + "\n") + [step ^ 1] + bytes("\n") } },
    journal.name: [copies.flatMap { bytes($0.text + "\n") }],
    cueSheet.name: [SampleTexts.sheet, SampleTexts.jsonSheet, SampleTexts.aliases, SampleTexts.clockedSheet, SampleTexts.dropFrameSheet]
      .map(bytes),
    stamper.name: SampleBytes.streams.map { [4, 0] + $0 }
      + [0x04, 0x01, 0x81, 0x02, 0x82, 0x8D].flatMap { (choice: UInt8) in
        (SampleBytes.packets + [SampleBytes.broadcast]).map { [7, choice] + $0 }
      } + [[7, 0x40] + SampleBytes.broadcast],
    editor.name: SampleBytes.editing,
    liveRequest.name: [
      bytes(#"{"event":"askQuestion","guid":"q","at":65,"question":"Q","answers":["A","B"],"correct":"B","late":"next","expires":9}"#),
      bytes(#"{"event":"poll","in":"1:05.5","x":[1.5e-3,"\u00e9",null]}"#), bytes(#"{"event":"poll","wallClock":"2026-11-20T20:00:00Z"}"#),
    ],
    liveJournal.name: [SampleTexts.liveJournal],
    amf.name: SampleBytes.amf, publisher.name: SampleBytes.published.map { [3] + $0 },
    pair.name: SampleTexts.pair,
    liveStamper.name: SampleBytes.streams + SampleBytes.packets + [SampleBytes.broadcast],
    doctor.name: (SampleBytes.streams + SampleBytes.fragmented).map { [6] + $0 } + [
      [1] + bytes(SampleTexts.media) + [0] + SampleBytes.styp
    ],
  ]

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// Bytes to start from.
private enum SampleBytes {
  static let tags: [[UInt8]] =
    FuzzTarget.copies.prefix(5).map { tag($0) } + [
      // ID3v2.4: a flag for all frames, a data length, UTF-16 with a byte order mark, strings parted by NULs, a private frame.
      id3(4, 0x80, frame("TIT2", 0x0003, [0, 0, 0, 6, 1, 0xFF, 0xFE, 0x41, 0, 0xFF, 0, 0xD8]) + frame("TPE1", 0, [3, 0x61, 0, 0x62])),
      id3(4, 0, frame("PRIV", 0, Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0, 0, 0, 0, 0, 0, 0x0D, 0xBB, 0xA0])),
      // ID3v2.3: unsynchronised, with an extended header; ID3v2.2.
      id3(3, 0xC0, [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + frame("TXXX", 0, [0, 0x61, 0, 0xFF, 0, 0xE0])),
      id3(2, 0, Array("TXX".utf8) + [0, 0, 4, 0, 0x61, 0, 0x62] + [0, 0, 0, 0]),
      id3(4, 0x10, frame("TXXX", 0, [2, 0, 0x61, 0, 0, 0, 0x62])) + Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 0, 17],
    ]

  static let sections: [[UInt8]] = {
    let pointer = MetadataPointerDescriptor(serviceID: 1, programNumber: 1).descriptor
    let metadata = MetadataDescriptor(serviceID: 1).descriptor
    let streams: [ProgramMapTable.ElementaryStream] = [
      .init(type: .h264, pid: 0x100), .init(type: .metadata, pid: 0x102, descriptors: [metadata]),
      .init(type: .privateData, pid: 0x103, descriptors: [Descriptor(tag: Descriptor.Tag.registration, data: Array("Opus".utf8))]),
    ]
    let map = ProgramMapTable(programNumber: 1, version: 3, pcrPID: 0x100, descriptors: [pointer], streams: streams)
    let programs: [ProgramAssociationTable.Program] = [.init(number: 0, pmtPID: 0x10), .init(number: 1, pmtPID: 0x1000)]
    let sections = [ProgramAssociationTable(transportStreamID: 1, version: 0, entries: programs).section, try? map.section()]
    return sections.compactMap { try? $0?.encode() }
  }()

  static let streams: [[UInt8]] = {
    var sample = SampleStream()
    (sample.pictureCount, sample.pictureSize) = (7, 20)
    let events = [SampleGame.short(at: 100), SampleGame.short("more", at: 9_000)]
    let stamped = (try? stamp(sample.bytes, with: events, CopyPolicy(copies: 1, refreshInterval: nil)).bytes) ?? []
    return [stamped] + [.timestamped, .withParity].map { SamplePacket.reframed(Array(stamped.prefix(188 * 8)), $0) }
  }()

  /// The inputs of the editor's target: streams, one of them with tags that FFmpeg has cut, packets and boxes, each with what is asked for.
  static let editing: [[UInt8]] = {
    var inputs: [[UInt8]] = []
    for stream in streams + [cutTags(streams[0])] {
      for choice: UInt8 in [0, 1, 2, 4] { inputs.append([4, choice] + stream) }
    }
    for packets in packets {
      for choice: UInt8 in [0, 1, 16] { inputs.append([7, choice] + packets) }
    }
    for boxes in fragmented {
      for choice: UInt8 in [8, 10] { inputs.append([4, choice] + boxes) }
    }
    return inputs
  }()

  /// Inputs of the packets' target: a video frame, a tag in one packet and a tag in several.
  static let packets: [[UInt8]] = {
    let picture = SamplePacketWriter.pesHeader(streamID: 0xE0, length: 0, presentation: 900_000) + [0, 0, 0, 1, 0x65]
    let short = SamplePacketWriter.pes(presentation: 903_600, payload: tag(FuzzTarget.copies[0]))
    let long = SamplePacketWriter.pes(
      presentation: 907_200, payload: id3(4, 0, frame("TXXX", 0, [3, 0] + [UInt8](repeating: 0x61, count: 120))))
    func unit(_ bytes: [UInt8], _ pid: UInt8) -> [UInt8] {
      stride(from: 0, to: bytes.count, by: 183).flatMap { start -> [UInt8] in
        let part = bytes[start..<min(start + 183, bytes.count)]
        return [pid | (start == 0 ? 0x40 : 0x10), UInt8(part.count)] + part
      }
    }
    return [unit(picture, 0) + unit(short, 2) + unit(picture, 0), unit(picture, 0) + unit(long, 3) + unit(short, 2) + unit(picture, 0)]
  }()

  /// The same for the stamper: null packets before and after video frames of two programs.
  static let broadcast: [UInt8] = {
    let nulls: [UInt8] = [5 | 31 << 3]
    let picture = SamplePacketWriter.pesHeader(streamID: 0xE0, length: 0, presentation: 900_000) + [0, 0, 0, 1, 0x65]
    let later = SamplePacketWriter.pesHeader(streamID: 0xE0, length: 0, presentation: 980_000) + [0, 0, 0, 1, 0x41]
    func packet(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] { [kind, UInt8(payload.count)] + payload }
    let start = packet(0x40, picture) + packet(0x43, picture)
    return start + nulls + packet(0, later) + nulls + nulls + packet(3, later) + nulls + packet(0, later)
  }()

  /// Values of AMF of all kinds.
  static let amf: [[UInt8]] = {
    let object = AMF0Value.object([.init("app", .string("live")), .init("list", .list([.number(1.5), .boolean(true), .null, .undefined]))])
    let values: [AMF0Value] = [.string("connect"), .number(1), object, .array([.init("width", .number(640))]), .date(1_700_000_000_000)]
    return [(try? AMF0Value.encode(values)) ?? [], [16, 0, 1, 0x43, 0, 1, 0x6B, 5, 0, 0, 9]]
  }()

  /// What a publisher sends behind the handshake: its commands, metadata, configurations, frames and data, of H.264 and of HEVC.
  static let published: [[UInt8]] = {
    let hevc: [UInt8] = [1] + zeros(20) + [0xFF, 1, 32, 0, 1, 0, 3, 0x40, 1, 7]
    let avc: [UInt8] = [1, 0x64, 0, 0x1F, 0xFF, 0xE1, 0, 2, 0x67, 0x64, 1, 0, 1, 0x68]
    let configurations: [([UInt8], [UInt8])] = [
      ([0x17, 0, 0, 0, 0] + avc, [0x17, 1, 0, 0, 80, 0, 0, 0, 2, 0x65, 9]),
      ([0x90] + Array("hvc1".utf8) + hevc, [0x93] + Array("hvc1".utf8) + [0, 0, 0, 3, 0x26, 1, 5]),
    ]
    return configurations.map { configuration, frame in
      let media: [(UInt8, UInt32, [UInt8])] = [
        (9, 0, configuration), (8, 0, [0xAF, 0, 0x11, 0x90]), (9, 0, frame), (8, 23, [0xAF, 1, 1, 2, 3]), (9, 1 << 24, frame),
        (9, 1 << 24, [0x27, 1, 0, 0, 0, 0, 0, 0, 2, 0x41, 9]),
      ]
      let commands: [(UInt8, UInt32, [AMF0Value])] = [
        (20, 0, [.string("connect"), .number(1), .object([.init("app", .string("live"))])]),
        (20, 0, [.string("createStream"), .number(2), .null]),
        (20, 1, [.string("publish"), .number(3), .null, .string("key")]),
        (18, 1, [.string("@setDataFrame"), .string("onMetaData"), .array([.init("videocodecid", .number(7))])]),
      ]
      let messages =
        commands.map { RTMPMessage(kind: $0.0, streamID: $0.1, payload: (try? AMF0Value.encode($0.2)) ?? []) }
        + media.map { RTMPMessage(kind: $0.0, streamID: 1, timestamp: $0.1, payload: $0.2) }
      return messages.flatMap { (try? ChunkWriter().chunks($0, on: 4)) ?? [] }
    }
  }()

  static let ftyp = box("ftyp", Array("iso6".utf8) + [0, 0, 2, 0] + Array("cmfcaid3".utf8))
  static let styp = box("styp", Array("msdh".utf8) + [0, 0, 0, 0])

  static let messages: [[UInt8]] = {
    let data = tag(FuzzTarget.copies[0])
    let times: [EventMessageBox.Time] = [.absolute(900_000), .afterSegmentStart(100)]
    return times.compactMap { time in
      try? EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: time, id: 7, messageData: data).encoded()
    }
  }()

  static let fragmented: [[UInt8]] = {
    let avcC = box("avcC", [1, 0x64, 0, 0x1F, 0xFF, 0xE1, 0, 0])
    let entry = box("avc1", zeros(24) + [5, 0, 2, 0xD0] + zeros(50) + avcC)
    let table = box("stbl", full("stsd", [0, 0, 0, 1] + entry))
    let media =
      full("mdhd", zeros(8) + [0, 0, 0x32, 0] + zeros(8)) + full("hdlr", zeros(4) + Array("vide".utf8) + zeros(13)) + box("minf", table)
    let edits = box("edts", full("elst", [0, 0, 0, 1] + zeros(4) + [0, 0, 4, 0, 0, 1, 0, 0]))
    let track = box("trak", full("tkhd", zeros(8) + [0, 0, 0, 1] + zeros(8)) + edits + box("mdia", media))
    let defaults = box("mvex", full("trex", [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0] + zeros(8)))
    let movie = box("moov", full("mvhd", zeros(8) + [0, 0, 3, 0xE8] + zeros(8)) + track + defaults)
    let run = full(
      "trun", flags: [0, 0x0A, 5], [0, 0, 0, 2] + zeros(4) + [2, 0, 0, 0] + [0, 0, 0, 9, 0, 0, 4, 0] + [0, 0, 0, 9, 0, 0, 6, 0])
    let part = full("tfhd", flags: [2, 0, 0], [0, 0, 0, 1]) + full("tfdt", version: 1, zeros(6) + [0x10, 0]) + run
    let fragment = box("moof", full("mfhd", [0, 0, 0, 1]) + box("traf", part)) + box("mdat", zeros(18))
    let index = full("sidx", [0, 0, 0, 1, 0, 0, 0x32, 0] + zeros(8) + [0, 0, 0, 1] + zeros(12))
    return [
      ftyp + movie + messages[0] + fragment, styp + index + messages[1] + fragment + messages[0] + fragment,
      ftyp + movie + fragmentWithEvents(statesSizes: true) + fragmentWithEvents(statesSizes: false),
    ]
  }()

  /// A fragment of two samples of the same size, each with an event in an SEI message. Their run states the size, or the fragment does.
  private static func fragmentWithEvents(statesSizes: Bool) -> [UInt8] {
    let unit = TagMessage.unit([TagMessage(delay: 0, tag: tag(FuzzTarget.copies[0]))], .h264)
    func bytes(_ number: Int) -> [UInt8] { [0, 0, UInt8(number >> 8), UInt8(number & 0xFF)] }
    let sample = bytes(unit.count) + unit + bytes(3) + [0x65, 0x88, 7]
    func moof(_ offset: Int) -> [UInt8] {
      let head = full("tfhd", flags: [2, 0, 0x10], [0, 0, 0, 1] + bytes(statesSizes ? 1 : sample.count))
      let sizes = statesSizes ? bytes(sample.count) + bytes(sample.count) : []
      let run = full("trun", flags: [0, statesSizes ? 2 : 0, 1], [0, 0, 0, 2] + bytes(offset) + sizes)
      return box("moof", full("mfhd", [0, 0, 0, 1]) + box("traf", head + full("tfdt", version: 1, zeros(8)) + run))
    }
    return moof(moof(0).count + 8) + box("mdat", sample + sample)
  }

  static let packedAudio: [UInt8] = tags[6] + [UInt8]([0xFF, 0xF1, 0x4C, 0x80, 0x02, 0x1F, 0xFC] + zeros(10)) + tags[0]

  /// An H.264 and an HEVC parameter set, an AudioSpecificConfig and an ADTS header.
  static let configurations: [[UInt8]] = [
    [0x67, 0x64, 0, 0x1F, 0xAC, 0xD9, 0x40, 0x50, 0x05, 0xBB, 0x01, 0x10, 0, 0, 3, 0, 0x10, 0, 0, 3, 3, 0x20, 0xF1, 0x83, 0x19, 0x60],
    [0x42, 1, 1, 1, 0x60, 0, 0, 3, 0, 0x90, 0, 0, 3, 0, 0, 3, 0, 0x5D, 0xA0, 2, 0x80, 0x80, 0x2D, 0x16, 0x59, 0x59, 0xA4, 0x93, 0x2B],
    [0x11, 0x90, 0x56, 0xE5, 0], [0xFF, 0xF1, 0x4C, 0x80, 0x0C, 0xFF, 0xFC], [0, 0, 1, 0x40, 1, 0x0C, 0, 0, 1, 0x26, 1],
    // Timecodes: of HEVC, and of H.264 behind the delays of a reference decoder.
    [0, 0, 1, 0x4E, 1, 0x88, 6, 0x70, 0x40, 0x18, 0, 0x28, 0x10, 0x80, 0, 0, 1, 0x26, 1, 0xAF],
    [
      0, 0, 1, 0x67, 0x4D, 0x40, 0x14, 0xEC, 0xA0, 0xA0, 0xCF, 0xCF, 0x80, 0x88, 0, 0, 0x1F, 0x48, 0, 7, 0x53, 3, 0x13, 0, 7, 0xA1, 0x20, 0,
      0xF4, 0x25, 0x24, 0x98, 7, 0xC5, 0x0A, 0x65, 0x80, 0, 0, 1, 6, 1, 0x0B, 0, 0x84, 4, 0x92, 0x81, 0xEE, 2, 0x80, 0, 0, 0x20, 0x80, 0, 0,
      1,
      0x65, 0x88,
    ],
  ]

  private static func tag(_ copy: EventCopy) -> [UInt8] { (try? copy.encodedTag()) ?? [] }

  private static func id3(_ version: UInt8, _ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [version, 0, flags, 0, 0, UInt8(body.count >> 7), UInt8(body.count & 0x7F)] + body
  }

  /// A frame of less than 128 bytes.
  private static func frame(_ id: String, _ flags: UInt16, _ content: [UInt8]) -> [UInt8] {
    Array(id.utf8) + [0, 0, 0, UInt8(content.count), UInt8(flags >> 8), UInt8(flags & 0xFF)] + content
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let size = content.count + 8
    return [0, 0, UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)] + Array(type.utf8) + content
  }

  private static func full(_ type: String, version: UInt8 = 0, flags: [UInt8] = [0, 0, 0], _ content: [UInt8]) -> [UInt8] {
    box(type, [version] + flags + content)
  }
}
