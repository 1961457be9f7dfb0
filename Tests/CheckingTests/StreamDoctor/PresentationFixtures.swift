import Basics
import CMAF
import GameEvents
import HLSReading
import ID3
import StreamDoctor
import TestSupport
import TransportStream

extension Fixture {
  static func playlist(_ rule: String, _ playlist: String) -> Fixture {
    Fixture(rule, presentation: { try SamplePresentation(playlist: playlist) })
  }

  static func multivariant(_ rule: String, _ playlist: String) -> Fixture {
    Fixture(
      rule,
      presentation: {
        var presentation = try SamplePresentation()
        presentation.multivariant = playlist
        return presentation
      })
  }

  /// With a second variant.
  static func variant(_ rule: String, _ segments: @escaping @Sendable () throws -> [[UInt8]]) -> Fixture {
    Fixture(
      rule,
      presentation: {
        var presentation = try SamplePresentation()
        let other = try segments()
        presentation.multivariant += "#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS=\"avc1.4D401E,mp4a.40.2\"\nother.m3u8\n"
        presentation.renditions.append(
          .init(uri: "other.m3u8", playlist: SamplePresentation.playlist(count: other.count), segments: other))
        return presentation
      })
  }

  /// Audio in a group beside the variant.
  static func audio(_ rule: String, _ segment: @escaping @Sendable () throws -> [UInt8]) -> Fixture {
    Fixture(
      rule,
      presentation: {
        var presentation = try SamplePresentation()
        presentation.multivariant = SamplePresentation.multivariant(more: ",AUDIO=\"a\"")
        presentation.multivariant += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"audio.m3u8\"\n"
        presentation.renditions.append(
          .init(uri: "audio.m3u8", isVariant: false, playlist: SamplePresentation.playlist(count: 1), segments: [try segment()]))
        return presentation
      })
  }

  /// Frames of AAC in ADTS behind a tag.
  static func packedAudio(_ tag: [UInt8]) -> [UInt8] {
    let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 1, count: 9)
    return tag + frame + frame
  }

  static let timestamp = ID3Frame.privateData(
    owner: "com.apple.streaming.transportStreamTimestamp", data: [0, 0, 0, 0, 0, 13, 187, 160])

  /// Video of a transfer characteristic, without samples that could be decoded.
  private static func map(transfer: UInt64) -> [UInt8] {
    let colour = box("colr", Array("nclx".utf8), integer(9, 2), integer(transfer, 2), integer(9, 2), [0])
    let entry = box("avc1", integer(0, 24), integer(160, 2), integer(90, 2), integer(0, 50), colour)
    let track = box(
      "trak", box("tkhd", integer(0, 12), integer(1), integer(0, 60)),
      box(
        "mdia", box("mdhd", integer(0, 12), integer(12_800), integer(0, 8)), box("hdlr", integer(0, 8), Array("vide".utf8), integer(0, 13)),
        box("minf", box("stbl", box("stsd", integer(0), integer(1), entry)))))
    return BoxSample.ftyp() + BoxSample.moov(tracks: track, defaults: BoxSample.defaults(1))
  }

  /// Variants of pictures alone and of sound alone.
  static func picturesAndSound(audio: String = "") throws -> SamplePresentation {
    let pictures = ProgramMapTable(
      programNumber: 1, version: 3, pcrPID: 0x100, streams: Array(SampleStream.videoAndAudio.streams.prefix(1)))
    var presentation = try SamplePresentation(SamplePresentation.segments(maps: [0: pictures, 1: pictures, 2: pictures]) { _ in nil })
    presentation.multivariant = SamplePresentation.multivariant(
      codecs: audio.isEmpty ? "avc1.4D401E" : "avc1.4D401E,mp4a.40.2", more: audio)
    var counters: [PID: UInt8] = [:]
    let sound = ProgramMapTable(programNumber: 1, version: 3, pcrPID: 0x101, streams: SampleStream.soundAlone.streams)
    presentation.multivariant += "#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS=\"mp4a.40.2\"\nother.m3u8\n"
    presentation.renditions.append(
      .init(
        uri: "other.m3u8", playlist: SamplePresentation.playlist(count: 1, target: 3, durations: ["2.44"]),
        segments: [SamplePresentation.renumbered(TagStream(sound).bytes, &counters)]))
    return presentation
  }

  /// The advice of HLS-SILENT, followed.
  static func picturesWithSound() throws -> SamplePresentation {
    var presentation = try picturesAndSound(audio: ",AUDIO=\"a\"")
    presentation.multivariant += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"other.m3u8\"\n"
    return presentation
  }

  /// Video of PQ, with further attributes.
  static func brightVideo(_ attributes: String = "") -> SamplePresentation {
    let playlist = SamplePresentation.playlist(count: 1, version: 7, durations: ["1.0"], tags: "#EXT-X-MAP:URI=\"map\"\n")
    var presentation = SamplePresentation(map: map(transfer: 16), segments: [BoxSample.segment(0)], playlist: playlist)
    presentation.multivariant = SamplePresentation.multivariant(version: 7, codecs: "avc1.4D401E", more: attributes)
    return presentation
  }

  /// A presentation with an event in the segments, at 0.2 s, and in a date range.
  static func range(_ rule: String, at ticks: Int64, viewers: Int = 1) -> Fixture {
    let event = SampleTag.copy(at: ticks, viewers: viewers).text.utf8.map { $0.digits(2, radix: 16) }.joined()
    return Fixture(
      rule,
      presentation: {
        try SamplePresentation(
          playlist: SamplePresentation.playlist(
            tags: "\(dated),X-COM-CUELIGHT-EVENT=0x\(event)\n#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n"))
      })
  }

  static let dated = "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2026-11-20T20:00:00Z\""

  static let presentations: [Fixture] = [
    playlist("HLS-SYNTAX", "\u{FEFF}\(SamplePresentation.playlist())"),
    multivariant("HLS-SYNTAX", SamplePresentation.multivariant(more: ",FRAME-RATE=\"25\"")),
    playlist("HLS-VERSION", SamplePresentation.playlist(version: 2)),
    playlist("HLS-TARGETDURATION", SamplePresentation.playlist(target: 0)),
    playlist("HLS-SEGMENT-DURATION", SamplePresentation.playlist(durations: ["0.8"])),
    Fixture(
      "HLS-DISCONTINUITY",
      presentation: {
        var counters: [PID: UInt8] = [:]
        let segments = [900_000, 450_000].map { (start: UInt64) in
          var stream = TagStream()
          stream.stream.start = start
          stream.stream.pictureCount = 25
          return SamplePresentation.renumbered(stream.bytes, &counters)
        }
        return try SamplePresentation(segments)
      }),
    Fixture(
      "HLS-DISCONTINUITY",
      presentation: {
        // A clock that goes on by half a minute.
        var counters: [PID: UInt8] = [:]
        let segments = [900_000, 3_690_000].map { (start: UInt64) in
          var stream = TagStream()
          stream.stream.start = start
          stream.stream.pictureCount = 25
          return SamplePresentation.renumbered(stream.bytes, &counters)
        }
        return try SamplePresentation(segments)
      }),
    Fixture(
      "HLS-MISSING",
      presentation: {
        var presentation = try SamplePresentation()
        presentation.missing = [1: "no such file"]
        return presentation
      }),
    playlist("HLS-DATERANGE-DATE", SamplePresentation.playlist(tags: "\(dated)\n")),
    playlist(
      "HLS-DATERANGE-EVENT",
      SamplePresentation.playlist(tags: "\(dated),X-COM-CUELIGHT-EVENT=0x7B7D\n#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n")),
    playlist(
      "HLS-DATERANGE-EVENT",
      SamplePresentation.playlist(tags: "\(dated),X-COM-CUELIGHT-EVENT=\"{}\"\n#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n")),
    range("HLS-CARRIAGES", at: 18_000, viewers: 2),
    range("HLS-CARRIAGES", at: 18_001),
    Fixture("EVENT-SIGNATURE", requiring: TestSignature.check) {
      let event = SampleTag.copy(at: 0).text.utf8.map { $0.digits(2, radix: 16) }.joined()
      return try SamplePresentation(
        SamplePresentation.segments { _ in nil },
        playlist: SamplePresentation.playlist(
          tags: "\(dated),X-COM-CUELIGHT-EVENT=0x\(event)\n#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n"))
    },
    multivariant("HLS-CODECS", SamplePresentation.multivariant(codecs: nil)),
    multivariant("HLS-CODECS-DIFFER", SamplePresentation.multivariant(codecs: "hvc1.1.6.L93.B0,mp4a.40.2")),
    Fixture(
      "HLS-CODECS-DIFFER",
      presentation: {
        let map = ProgramMapTable(programNumber: 1, version: 3, pcrPID: 0x101, streams: SampleStream.soundAlone.streams)
        var counters: [PID: UInt8] = [:]
        let segment = SamplePresentation.renumbered(TagStream(map).bytes, &counters)
        return try SamplePresentation([segment], playlist: SamplePresentation.playlist(count: 1, target: 3, durations: ["2.44"]))
      }),
    multivariant("HLS-BANDWIDTH", SamplePresentation.multivariant(bandwidth: 90_000)),
    Fixture(
      "HLS-INDEPENDENT",
      presentation: {
        // The second key frame is that of an open group: two frames after it are presented before it, at 0.6 s.
        let bytes = TagStream().bytes
        let keys = SamplePacket.all(in: bytes).filter { $0.pid == 0x100 && $0.header.adaptation?.isRandomAccess == true }
        let playlist = SamplePresentation.playlist(
          count: 2, target: 2, durations: ["0.6", "1.84"], tags: "#EXT-X-INDEPENDENT-SEGMENTS\n")
        return try SamplePresentation([Array(bytes[..<keys[1].offset]), Array(bytes[keys[1].offset...])], playlist: playlist)
      }),
    Fixture(
      "HLS-INDEPENDENT",
      presentation: {
        // Segment boundaries without key frames.
        let bytes = TagStream().bytes
        let frames = SamplePacket.all(in: bytes).filter { $0.pid == 0x100 && $0.header.startsUnit }
        let playlist = SamplePresentation.playlist(
          count: 2, target: 2, durations: ["0.84", "1.6"], tags: "#EXT-X-INDEPENDENT-SEGMENTS\n")
        return try SamplePresentation([Array(bytes[..<frames[19].offset]), Array(bytes[frames[19].offset...])], playlist: playlist)
      }),
    Fixture(
      "HLS-PMT-CHANGES",
      presentation: {
        var plain = SampleStream.videoAndAudio
        plain.version = 4
        return try SamplePresentation(SamplePresentation.segments(maps: [1: plain, 2: plain]) { $0 == 0 ? SampleTag.plain : nil })
      }),
    Fixture("HLS-SEGMENT-TABLES", presentation: { try SamplePresentation(SamplePresentation.segments(withoutTables: [1])) }),
    Fixture(
      "HLS-REFRESH",
      presentation: {
        try SamplePresentation(SamplePresentation.segments { $0 == 2 ? nil : try SamplePresentation.refresh(of: 18_000, in: $0) })
      }),
    Fixture(
      "HLS-TRACKS",
      presentation: {
        let playlist = SamplePresentation.playlist(count: 1, version: 7, durations: ["1.0"], tags: "#EXT-X-MAP:URI=\"map\"\n")
        return SamplePresentation(map: BoxSample.map(tracks: 2), segments: [BoxSample.segment(0)], playlist: playlist)
      }),
    variant("HLS-RENDITION-CUTS") { try SamplePresentation.segments(2) },
    variant("HLS-RENDITION-EVENTS") { try SamplePresentation.segments { _ in nil } },
    Fixture(
      "HLS-RENDITION-EVENTS",
      presentation: {
        // Sound alone, without the events of the video.
        var presentation = try SamplePresentation()
        presentation.multivariant += "#EXT-X-STREAM-INF:BANDWIDTH=20000,CODECS=\"mp4a.40.2\"\nsound.m3u8\n"
        presentation.renditions.append(
          .init(
            uri: "sound.m3u8", playlist: SamplePresentation.playlist(count: 1),
            segments: [packedAudio(try ID3Tag(frames: [timestamp]).encode())]))
        return presentation
      }),
    Fixture("HLS-SILENT", presentation: { try picturesAndSound() }),
    Fixture("HLS-VIDEO-RANGE", presentation: { brightVideo() }),
    Fixture("HLS-VIDEO-RANGE", presentation: { brightVideo(",VIDEO-RANGE=SDR") }),
    Fixture(
      "EVENT-UNSEEN",
      presentation: {
        var presentation = try SamplePresentation(SamplePresentation.segments { _ in nil })
        presentation.multivariant = SamplePresentation.multivariant(more: ",AUDIO=\"a\"")
        presentation.multivariant += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"audio.m3u8\"\n"
        let segment = packedAudio(try ID3Tag(frames: [timestamp]).encode()) + (try SampleTag.event(at: 0))
        presentation.renditions.append(
          .init(uri: "audio.m3u8", isVariant: false, playlist: SamplePresentation.playlist(count: 1), segments: [segment]))
        return presentation
      }),
    variant("HLS-RENDITION-EVENTS") { try SamplePresentation.segments { try SamplePresentation.refresh(of: 9_000, in: $0) } },
    audio("HLS-AUDIO-GROUP-EVENTS") { packedAudio(try ID3Tag(frames: [timestamp]).encode()) + SampleTag.plain },
    audio("HLS-AUDIO-TIMESTAMP") { packedAudio([]) },
  ]

  static func delivery(
    _ rule: String, _ kind: HLSReader.Resource.Kind? = nil, _ type: String?, from origin: String? = "*", isSubtitles: Bool = false
  ) -> Fixture {
    let url = "https://example.com/show"
    return Fixture(
      rule, delivered: Delivery(url: url, kind: kind, contentType: type, allowedOrigin: origin, isSubtitles: isSubtitles))
  }

  static let deliveries: [Fixture] = [
    delivery("HTTP-CONTENT-TYPE", .playlist, "text/plain"),
    delivery("HTTP-CONTENT-TYPE", .playlist, nil),
    delivery("HTTP-CONTENT-TYPE", .segment, "text/html; charset=utf-8"),
    delivery("HTTP-CONTENT-TYPE", .segment, "text/vtt"),
    delivery("HTTP-CONTENT-TYPE", .segment, "text/html", isSubtitles: true),
    delivery("HTTP-CORS", .playlist, "application/vnd.apple.mpegurl", from: nil),
    delivery("HTTP-CORS", nil, "video/mp2t", from: "https://example.com"),
  ]
}
