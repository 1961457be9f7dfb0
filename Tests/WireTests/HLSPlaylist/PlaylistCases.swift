@testable import HLSPlaylist
import Testing

/// A playlist as text in the writer's own form, and what it says.
struct PlaylistCase: CustomTestStringConvertible, Sendable {
  let name: String
  let text: String
  let playlist: Playlist

  init(_ name: String, _ text: String, _ playlist: MediaPlaylist) {
    (self.name, self.text, self.playlist) = (name, text, .media(playlist))
  }

  init(_ name: String, _ text: String, _ playlist: MultivariantPlaylist) {
    (self.name, self.text, self.playlist) = (name, text, .multivariant(playlist))
  }

  var testDescription: String { name }
}

/// A segment of so many thousandths of a second, changed by `change`.
private func segment(_ uri: String, _ milliseconds: Int64, _ change: (inout MediaSegment) -> Void = { _ in }) -> MediaSegment {
  var segment = MediaSegment(uri: uri, duration: PlaylistDecimal(billionths: milliseconds * 1_000_000))
  change(&segment)
  return segment
}

private func media(_ target: UInt64, _ segments: [MediaSegment], _ change: (inout MediaPlaylist) -> Void = { _ in }) -> MediaPlaylist {
  var playlist = MediaPlaylist(targetDuration: target, segments: segments)
  change(&playlist)
  return playlist
}

private func multivariant(_ variants: [Variant], _ change: (inout MultivariantPlaylist) -> Void = { _ in }) -> MultivariantPlaylist {
  var playlist = MultivariantPlaylist(variants: variants)
  change(&playlist)
  return playlist
}

private let key = EncryptionKey(method: .aes128, uri: "key?n=52")
private let vectorKey = EncryptionKey(
  method: .aes128, uri: "key2", initializationVector: [UInt8](repeating: 0, count: 14) + [0xAB, 0x01])
private let formatKey = EncryptionKey(
  method: EncryptionMethod(rawValue: "SAMPLE-AES"), uri: "skd://one", keyFormat: "com.example.drm", keyFormatVersions: "1/2",
  attributes: AttributeList([Attribute("X-HINT", .integer(3))]))

private let simple: [PlaylistCase] = [
  PlaylistCase(
    "whole seconds, no version",
    lines(
      "#EXTM3U", "#EXT-X-TARGETDURATION:10", "#EXT-X-MEDIA-SEQUENCE:0", "#EXTINF:9,", "a.ts", "#EXTINF:3,The end", "b.ts", "#EXT-X-ENDLIST"),
    media(10, [segment("a.ts", 9_000), segment("b.ts", 3_000) { $0.title = "The end" }]) { $0.isEnded = true }),
  PlaylistCase(
    "decimals",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:7794", "#EXT-X-DISCONTINUITY-SEQUENCE:4",
      "#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES", "#EXTINF:6.006,", "a.ts",
      "#EXT-X-DISCONTINUITY", "#EXT-X-GAP", "#EXTINF:0.04,", "b.ts"),
    media(
      6,
      [
        segment("a.ts", 6_006),
        segment("b.ts", 40) {
          $0.isDiscontinuous = true
          $0.isGap = true
        },
      ]
    ) {
      $0.version = 3
      $0.mediaSequence = 7_794
      $0.discontinuitySequence = 4
      $0.playlistType = .event
      $0.hasIndependentSegments = true
      $0.start = StartPoint(timeOffset: PlaylistDecimal(billionths: -12_500_000_000), isPrecise: true)
    }),
  PlaylistCase(
    "I-frames in byte ranges",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:4", "#EXT-X-TARGETDURATION:5", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
      "#EXT-X-I-FRAMES-ONLY",
      "#EXT-X-BYTERANGE:9400@376", "#EXTINF:4.12,", "a.ts", "#EXT-X-BITRATE:800", "#EXT-X-BYTERANGE:7144@47000", "#EXTINF:3.56,", "a.ts"),
    media(
      5,
      [
        segment("a.ts", 4_120) { $0.byteRange = ByteRange(length: 9_400, offset: 376) },
        segment("a.ts", 3_560) {
          $0.byteRange = ByteRange(length: 7_144, offset: 47_000)
          $0.bitrate = 800
        },
      ]
    ) {
      $0.version = 4
      $0.playlistType = .onDemand
      $0.isIFramesOnly = true
    }),
]

private let encrypted: [PlaylistCase] = [
  PlaylistCase(
    "keys that change and end",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:5", "#EXT-X-TARGETDURATION:3", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-KEY:METHOD=AES-128,URI=\"key?n=52\"",
      "#EXTINF:3,", "0", "#EXTINF:3,", "1", "#EXT-X-KEY:METHOD=AES-128,URI=\"key2\",IV=0x0000000000000000000000000000AB01", "#EXTINF:3,",
      "2",
      "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://one\",KEYFORMAT=\"com.example.drm\",KEYFORMATVERSIONS=\"1/2\",X-HINT=3", "#EXTINF:3,", "3",
      "#EXT-X-KEY:METHOD=NONE", "#EXT-X-KEY:METHOD=AES-128,URI=\"key?n=52\"", "#EXTINF:3,", "4", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:3,", "5"
    ),
    media(
      3,
      [
        segment("0", 3_000) { $0.keys = [key] }, segment("1", 3_000) { $0.keys = [key] }, segment("2", 3_000) { $0.keys = [vectorKey] },
        segment("3", 3_000) { $0.keys = [vectorKey, formatKey] }, segment("4", 3_000) { $0.keys = [key] }, segment("5", 3_000),
      ]
    ) { $0.version = 5 }),
  PlaylistCase(
    "a map in the clear, and one that is encrypted otherwise than its segments",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:1",
      "#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"720@0\"",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"key2\",IV=0x0000000000000000000000000000AB01", "#EXTINF:4,", "1.m4s",
      "#EXT-X-MAP:URI=\"init2.mp4\",X-A=\"b\"",
      "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,", "2.m4s"),
    media(
      4,
      [
        segment("1.m4s", 4_000) {
          $0.initializationSegment = InitializationSegment(uri: "init.mp4", byteRange: ByteRange(length: 720, offset: 0))
          $0.keys = [vectorKey]
        },
        segment("2.m4s", 4_000) {
          $0.initializationSegment = InitializationSegment(
            uri: "init2.mp4", keys: [vectorKey], attributes: AttributeList([Attribute("X-A", .quoted("b"))]))
        },
      ]
    ) {
      $0.version = 7
      $0.mediaSequence = 1
    }),
]

private let kept: [PlaylistCase] = [
  PlaylistCase(
    "dates, date ranges and tags of low latency",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:266", "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES",
      "#EXT-X-PART-INF:PART-TARGET=0.334", "#EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00.250+01:00",
      "#EXT-X-DATERANGE:ID=\"q1\",CLASS=\"com.example.event\",START-DATE=\"2026-11-20T19:00:01Z\",X-EVENT=0x7B7D,X-TEXT=\"a,b\",X-SCORE=1.50",
      "#EXT-X-PART:DURATION=0.334,URI=\"266.0.ts\"", "#EXTINF:4,", "266.ts",
      "#EXT-X-DATERANGE:ID=\"q1\",END-DATE=\"2026-11-20T19:00:31Z\",DURATION=30,PLANNED-DURATION=29.97,SCTE35-CMD=0xFC00,SCTE35-OUT=0xFC01,"
        + "SCTE35-IN=0xFC02",
      "#EXT-X-DATERANGE:ID=\"q2\",CLASS=\"c\",END-ON-NEXT=YES",
      "#EXT-X-DISCONTINUITY", "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"267.0.ts\""),
    media(
      4,
      [
        segment("266.ts", 4_000) {
          $0.programDateTime = PlaylistDate("2026-11-20T20:00:00.250+01:00")
          $0.dateRanges = [
            DateRange(
              id: "q1", rangeClass: "com.example.event", startDate: PlaylistDate("2026-11-20T19:00:01Z"),
              attributes: AttributeList([
                Attribute("X-EVENT", .hexadecimal([0x7B, 0x7D])), Attribute("X-TEXT", .quoted("a,b")),
                Attribute("X-SCORE", .unquoted("1.50")),
              ]))
          ]
          $0.unknownTags = ["#EXT-X-PART:DURATION=0.334,URI=\"266.0.ts\""]
        }
      ]
    ) {
      $0.version = 9
      $0.mediaSequence = 266
      $0.unknownTags = ["#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES", "#EXT-X-PART-INF:PART-TARGET=0.334"]
      $0.dateRanges = [
        DateRange(
          id: "q1", endDate: PlaylistDate("2026-11-20T19:00:31Z"), duration: PlaylistDecimal(billionths: 30_000_000_000),
          plannedDuration: PlaylistDecimal(billionths: 29_970_000_000), scte35Command: [0xFC, 0], scte35Out: [0xFC, 1], scte35In: [0xFC, 2]),
        DateRange(id: "q2", rangeClass: "c", endsOnNext: true),
      ]
      $0.trailingTags = ["#EXT-X-DISCONTINUITY", "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"267.0.ts\""]
    }),
  PlaylistCase(
    "an unknown tag of the first segment",
    lines("#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:0", "#EXTINF:4,", "#EXT-X-CUE-OUT:30", "a.ts"),
    media(4, [segment("a.ts", 4_000) { $0.unknownTags = ["#EXT-X-CUE-OUT:30"] }])),
  PlaylistCase(
    "no segments yet",
    lines("#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-FOO"), media(4, []) { $0.unknownTags = ["#EXT-X-FOO"] }),
]

private let presentations: [PlaylistCase] = [
  PlaylistCase(
    "variants",
    lines("#EXTM3U", "#EXT-X-STREAM-INF:BANDWIDTH=1280000", "low.m3u8", "#EXT-X-STREAM-INF:BANDWIDTH=65000", "http://e.com/audio.m3u8"),
    multivariant([Variant(uri: "low.m3u8", bandwidth: 1_280_000), Variant(uri: "http://e.com/audio.m3u8", bandwidth: 65_000)])),
  PlaylistCase(
    "everything",
    lines(
      "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-START:TIME-OFFSET=3",
      "#EXT-X-CONTENT-STEERING:SERVER-URI=\"/s\"",
      "#EXT-X-SESSION-DATA:DATA-ID=\"com.example.title\",VALUE=\"Quiz\",LANGUAGE=\"en\"",
      "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"key?n=52\"",
      "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",NAME=\"English\",LANGUAGE=\"en\",ASSOC-LANGUAGE=\"de\",STABLE-RENDITION-ID=\"s1\",DEFAULT=YES,"
        + "AUTOSELECT=YES,BIT-DEPTH=16,SAMPLE-RATE=48000,CHARACTERISTICS=\"public.accessibility\",CHANNELS=\"2\",X-NEW=1,URI=\"en.m3u8\"",
      "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"cc\",NAME=\"CC\",FORCED=YES,INSTREAM-ID=\"SERVICE1\"",
      "#EXT-X-STREAM-INF:BANDWIDTH=5000000,AVERAGE-BANDWIDTH=4000000,CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1280x720,FRAME-RATE=29.97,"
        + "AUDIO=\"aac\",VIDEO=\"v\",SUBTITLES=\"s\",CLOSED-CAPTIONS=\"cc\",NAME=\"720p\",SCORE=2.0",
      "720.m3u8", "#EXT-X-STREAM-INF:BANDWIDTH=100,CLOSED-CAPTIONS=NONE", "low.m3u8",
      "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,AVERAGE-BANDWIDTH=80000,CODECS=\"avc1.64001f\",RESOLUTION=1280x720,VIDEO=\"v\",SCORE=1,"
        + "URI=\"iframe.m3u8\""),
    multivariant([
      {
        var variant = Variant(uri: "720.m3u8", bandwidth: 5_000_000)
        variant.averageBandwidth = 4_000_000
        variant.codecs = "avc1.64001f,mp4a.40.2"
        variant.resolution = Resolution(width: 1_280, height: 720)
        variant.frameRate = PlaylistDecimal(billionths: 29_970_000_000)
        (variant.audio, variant.video, variant.subtitles, variant.closedCaptions) = ("aac", "v", "s", .group("cc"))
        variant.name = "720p"
        variant.attributes = AttributeList([Attribute("SCORE", .unquoted("2.0"))])
        return variant
      }(),
      {
        var variant = Variant(uri: "low.m3u8", bandwidth: 100)
        variant.closedCaptions = Variant.ClosedCaptions.none
        return variant
      }(),
    ]) {
      $0.version = 7
      $0.hasIndependentSegments = true
      $0.start = StartPoint(timeOffset: PlaylistDecimal(billionths: 3_000_000_000))
      $0.unknownTags = ["#EXT-X-CONTENT-STEERING:SERVER-URI=\"/s\""]
      $0.sessionData = [
        AttributeList([
          Attribute("DATA-ID", .quoted("com.example.title")), Attribute("VALUE", .quoted("Quiz")), Attribute("LANGUAGE", .quoted("en")),
        ])
      ]
      $0.sessionKeys = [key]
      var sound = Rendition(type: .audio, groupID: "aac", name: "English", uri: "en.m3u8")
      (sound.language, sound.associatedLanguage, sound.stableID) = ("en", "de", "s1")
      (sound.isDefault, sound.isAutoselected, sound.bitDepth, sound.sampleRate) = (true, true, 16, 48_000)
      (sound.characteristics, sound.channels) = ("public.accessibility", "2")
      sound.attributes = AttributeList([Attribute("X-NEW", .integer(1))])
      var captions = Rendition(type: .closedCaptions, groupID: "cc", name: "CC")
      (captions.isForced, captions.inStreamID) = (true, "SERVICE1")
      $0.renditions = [sound, captions]
      var frames = Variant(uri: "iframe.m3u8", bandwidth: 86_000)
      (frames.averageBandwidth, frames.codecs, frames.video) = (80_000, "avc1.64001f", "v")
      frames.resolution = Resolution(width: 1_280, height: 720)
      frames.attributes = AttributeList([Attribute("SCORE", .integer(1))])
      $0.iFrameVariants = [frames]
    }),
  PlaylistCase(
    "variables",
    lines("#EXTM3U", "#EXT-X-VERSION:8", "#EXT-X-DEFINE:NAME=\"host\",VALUE=\"http://e.com\"", "#EXT-X-STREAM-INF:BANDWIDTH=1", "a.m3u8"),
    multivariant([Variant(uri: "a.m3u8", bandwidth: 1)]) {
      $0.version = 8
      $0.variables = [PlaylistVariable("host", value: "http://e.com")]
    }),
]

/// Every case of the table.
let playlistCases = simple + encrypted + kept + presentations
