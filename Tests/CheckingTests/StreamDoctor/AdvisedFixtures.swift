import Basics
import CMAF
import GameEvents
import HLSReading
import ID3
import StreamDoctor
import TestSupport
import TransportStream

/// What fixtures become if their advice is followed: for each rule one that breaks neither this rule nor another.
extension Fixture {
  static let advised: [Fixture] =
    [advisedStreams, advisedPackets, advisedTags, advisedMessages, advisedPresentations, advisedDeliveries, advisedEvents, advisedBreaks]
    .flatMap { $0 }

  /// Rules whose advice is that there is nothing to do.
  static let withoutAdvice = ["TS-PTS-WRAP", "DASH-EVENT-STREAM"]

  /// The same fixture for several rules.
  private static func each(_ rules: String..., bytes: @escaping @Sendable () throws -> [UInt8]) -> [Fixture] {
    rules.map { Fixture($0, bytes) }
  }

  private static let advisedStreams: [Fixture] =
    each(
      "TS-PMT-POINTER", "TS-PMT-METADATA", "TS-PMT-PROGRAM", "TS-PMT-FORM", "TS-TABLE-CRC", "TS-STREAM-TYPE", "TS-ONE-PID", "TS-PCR",
      "TS-DTS"
    ) { mapped(TagStream.map()) } + [
      Fixture("TS-PMT-SERVICE") {
        mapped(
          TagStream.map(
            pointer: [MetadataPointerDescriptor(serviceID: 4, programNumber: 1).descriptor],
            metadata: [MetadataDescriptor(serviceID: 4).descriptor]))
      },
      Fixture("TS-PMT-VERSION") {
        var stream = TagStream().with(tag: SampleTag.plain)
        var map = TagStream.map(version: 4)
        map.streams[1].descriptors = [Descriptor(tag: 0x0A, data: Array("eng".utf8) + [0])]
        stream.stream.laterMaps[30] = map
        return stream.bytes
      },
      Fixture("TS-PID-CLASH") { mapped(TagStream.map(more: [.init(type: .privateData, pid: 0x103)])) },
      Fixture("TS-CONTINUITY") {
        // The packet that is lost stays so; those after it are renumbered.
        let bytes = TagStream().with(tag: SampleTag.plain).bytes
        var counters: [PID: UInt8] = [:]
        guard let lost = SamplePacket.all(in: bytes).last(where: { $0.pid == 0x100 && !$0.header.startsUnit }) else { return [] }
        return SamplePresentation.renumbered(Array(bytes[..<lost.offset] + bytes[(lost.offset + 188)...]), &counters)
      },
      Fixture("TS-PACKET-SIZE") {
        let bytes = SamplePacket.reframed(TagStream().with(tag: SampleTag.plain).bytes, .timestamped)
        return stride(from: 4, to: bytes.count, by: 192).flatMap { bytes[$0..<$0 + 188] }
      },
    ]

  private static let advisedPackets: [Fixture] =
    each("TS-PES-STREAM-ID", "TS-PES-LENGTH", "TS-PES-ALIGNMENT", "TS-PES-TIME", "TS-PES-HEADER", "TS-PES-TAG", "TAG-CUT-BY-FFMPEG") {
      packed { $0.pes(SampleTag.plain) }
    }
    + each("TS-PES-ONE-TAG", "TS-PES-CONTINUED", "TS-PES-BROKEN", "TS-PTS-ORDER", "TS-PTS-FAR") {
      TagStream().with(tag: SampleTag.plain).with(tag: SampleTag.plain, before: 7).bytes
    }

  private static let advisedTags: [Fixture] = [
    tag("ID3-VERSION", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(0, "Title"))])),
    tag("ID3-SYNCHSAFE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(190)))])),
    tag("ID3-SIZE", SampleTag.plain),
    tag("ID3-FRAME-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(255)))])),
    tag("ID3-PLAIN-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(0, long(199)))])),
    tag("ID3-EMPTY-FRAME", SampleTag.plain),
    tag("ID3-EXTENDED-HEADER", SampleTag.plain),
    tag("ID3-UNSYNCHRONISED", SampleTag.plain),
    tag("ID3-FOOTER", SampleTag.plain),
    tag(
      "ID3-FRAMES",
      SampleTag.frames([SampleTag.frame("TENC", SampleTag.text(3, "Encoder")), SampleTag.frame("TIT2", SampleTag.text(3, "a"))])),
    tag("ID3-ASCII-DESCRIPTION", SampleTag.frames([SampleTag.userText("Ueber", "1")])),
    tag("ID3-ENCODING", SampleTag.frames([SampleTag.userText("poll", "1", encoding: 3)])),
  ]

  private static let advisedMessages: [Fixture] =
    ["EMSG-VERSION", "EMSG-SCHEME", "EMSG-VALUE", "EMSG-DATA", "EMSG-TIMESCALE", "EMSG-DURATION", "EMSG-TIME"].map { message($0) { _ in } }
    + each("EMSG-PLACE", "EMSG-BRAND", "MP4-BOXES") { messages([try BoxSample.message()]) } + [
      Fixture("EMSG-ID") { messages([try BoxSample.event("a", at: 9_000), try BoxSample.event("b", at: 18_000, number: 2)]) }
    ]
    + each("EMSG-ID-COPIES", "EMSG-ID-CRC") { messages([try BoxSample.event(at: 9_000), try BoxSample.event(at: 9_000, age: 9_000)]) }

  /// The presentation as it should be, for several rules.
  private static func whole(_ rules: String...) -> [Fixture] { rules.map { Fixture($0, presentation: { try SamplePresentation() }) } }

  private static let advisedPresentations: [Fixture] =
    whole(
      "HLS-VERSION", "HLS-TARGETDURATION", "HLS-SEGMENT-DURATION", "HLS-MISSING", "HLS-CODECS", "HLS-CODECS-DIFFER", "HLS-BANDWIDTH",
      "HLS-PMT-CHANGES", "HLS-SEGMENT-TABLES", "HLS-REFRESH") + [
      multivariant("HLS-SYNTAX", SamplePresentation.multivariant(more: ",FRAME-RATE=25")),
      Fixture(
        "HLS-DISCONTINUITY",
        presentation: {
          let segments = try SamplePresentation.segments(2)
          let other = try SamplePresentation.segments(1)
          let playlist = SamplePresentation.playlist(count: 3, before: [2: "#EXT-X-DISCONTINUITY\n"])
          return try SamplePresentation(segments + other, playlist: playlist)
        }),
      Fixture(
        "HLS-INDEPENDENT",
        presentation: {
          let bytes = TagStream().bytes
          let frames = SamplePacket.all(in: bytes).filter { $0.pid == 0x100 && $0.header.startsUnit }
          let playlist = SamplePresentation.playlist(count: 2, target: 2, durations: ["0.84", "1.6"])
          return try SamplePresentation([Array(bytes[..<frames[19].offset]), Array(bytes[frames[19].offset...])], playlist: playlist)
        }),
      playlist("HLS-DATERANGE-DATE", SamplePresentation.playlist(tags: "\(dated)\n\(date)")),
      playlist(
        "HLS-DATERANGE-EVENT",
        SamplePresentation.playlist(
          tags: "\(dated),X-COM-CUELIGHT-EVENT=0x\(SampleTag.copy(at: 18_000).text.utf8.map { $0.digits(2, radix: 16) }.joined())\n\(date)")
      ),
      range("HLS-CARRIAGES", at: 18_000),
      Fixture(
        "HLS-TRACKS",
        presentation: {
          let playlist = SamplePresentation.playlist(count: 1, version: 7, durations: ["1.0"], tags: "#EXT-X-MAP:URI=\"map\"\n")
          return SamplePresentation(map: BoxSample.map(), segments: [BoxSample.segment(0)], playlist: playlist)
        }),
      variant("HLS-RENDITION-CUTS") { try SamplePresentation.segments() },
      variant("HLS-RENDITION-EVENTS") { try SamplePresentation.segments() },
      Fixture("HLS-SILENT", presentation: { try picturesWithSound() }),
      Fixture("HLS-VIDEO-RANGE", presentation: { brightVideo(",VIDEO-RANGE=PQ") }),
      audio("HLS-AUDIO-GROUP-EVENTS") { packedAudio(try ID3Tag(frames: [timestamp]).encode()) },
      audio("HLS-AUDIO-TIMESTAMP") { packedAudio(try ID3Tag(frames: [timestamp]).encode()) },
      audio("EVENT-UNSEEN") { packedAudio(try ID3Tag(frames: [timestamp]).encode()) },
    ]

  private static let date = "#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00Z\n"

  private static let advisedDeliveries: [Fixture] = [
    manifest("DASH-INBAND", announcing: announced),
    manifest("DASH-INBAND-VALUE", announcing: announced),
    manifest("DASH-CLOCK", announcing: announced, end: "<UTCTiming/>", type: "dynamic"),
    delivery("HTTP-CONTENT-TYPE", .playlist, "application/vnd.apple.mpegurl"),
    delivery("HTTP-CONTENT-TYPE", .segment, "video/mp2t"),
    delivery("HTTP-CONTENT-TYPE", .segment, "text/vtt", isSubtitles: true),
    delivery("HTTP-CORS", .playlist, "application/vnd.apple.mpegurl"),
  ]

  private static let advisedEvents: [Fixture] =
    each("EVENT-NO-TAGS", "EVENT-NONE", "EVENT-DAMAGED", "CODEC-PLAYERS") { TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes }
    + [
      Fixture(
        "EVENT-SEI-ALONE",
        reporting: {
          var doctor = StreamDoctor(name: "show")
          let bytes = TagStream().with(tag: try SampleTag.event("a", at: 21_600)).bytes
          doctor.receive(.bytes(bytes[...]))
          doctor.receive(message: SampleGame.guid("a"))
          return doctor.finish()
        }),
      Fixture("EVENT-SIGNATURE", requiring: TestSignature.check) {
        TagStream().with(tag: try SampleTag.event(at: 21_600, signedBy: TestSignature.sign)).bytes
      },
      Fixture("EVENT-CONFLICT") {
        TagStream().with(tag: try SampleTag.event("a", at: 21_600, viewers: 1))
          .with(tag: try SampleTag.event("b", at: 43_200, viewers: 2, number: 2), before: 12).bytes
      },
      Fixture("EVENT-TIME") {
        TagStream().with(tag: try SampleTag.event(at: 21_600))
          .with(tag: try SampleTag.event(at: 21_600, age: 21_600), before: 12)
          .with(tag: try SampleTag.event(at: 21_600, age: 43_200), before: 18).bytes
      },
      Fixture("EVENT-INTERLEAVED") {
        TagStream().with(tag: try SampleTag.event("a", at: 21_600))
          .with(tag: try SampleTag.event("b", at: 43_200, number: 2), before: 12).bytes
      },
      tag("LIMIT-TAG-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(900)))])),
      tag("LIMIT-IVS-TAG-SIZE", SampleTag.frames([SampleTag.frame("TIT2", SampleTag.text(3, long(900)))])),
      Fixture("LIMIT-IVS-RATE") { stride(from: 6, to: 36, by: 6).reduce(TagStream()) { $0.with(tag: SampleTag.plain, before: $1) }.bytes },
    ]
}
