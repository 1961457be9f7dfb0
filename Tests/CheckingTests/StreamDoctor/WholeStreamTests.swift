import Basics
import CMAF
import EventSchedule
import Foundation
import HLSReading
import ID3
import StreamDoctor
import StreamInput
import TestSupport
import Testing
import TransportStream

/// Whole streams, one's own and those of others.
@Suite struct WholeStreamTests {
  @Test func stampedStreamsBreakNoRule() throws {
    let report = examine(try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes)
    #expect(report.count(.error) == 0 && report.count(.warning) == 0)
    // The sample's game is packed into two seconds, so that its bursts meet.
    #expect(Set(report.rules).isSubset(of: ["EVENT-INTERLEAVED"]))
    #expect(report.resources == 1)
  }

  @Test func theSampleStreamAndPresentationBreakNoRuleAtAll() throws {
    #expect(examine(TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes).rules == [])
    #expect(try SamplePresentation().report().rules == [])
    #expect(examine(BoxSample.map() + BoxSample.segment(0, [try BoxSample.event(at: 9_000)])).rules == [])
  }

  /// Events without a right signature are told, and count for no other rule about events, nor as events: these have other times, the sequence
  /// number and the GUID of the one that is signed, and stand before and between its copies.
  @Test func forgedEventsCountForNoOtherRule() throws {
    func forged(_ name: String, _ ticks: Int64) throws -> [UInt8] {
      try SampleTag.event(name, at: ticks, viewers: 9, signedBy: { TestSignature.sign($0 + [1]) })
    }
    let stream = TagStream().with(tag: try forged("rival", 900_000), before: 2).with(tag: try forged("info", 14_400), before: 4)
      .with(tag: try SampleTag.event(at: 21_600, signedBy: TestSignature.sign))
      .with(tag: try SampleTag.event("rival", at: 500_000), before: 12)
      .with(tag: try SampleTag.event(at: 21_600, age: 43_200, signedBy: TestSignature.sign), before: 18)
    #expect(examine(stream.bytes).rules == ["EVENT-CONFLICT", "EVENT-TIME"])
    let report = examine(stream.bytes, requiring: TestSignature.check)
    #expect(report.rules == ["EVENT-SIGNATURE"] && report.tags == 5 && report.events == 1)
    #expect(report.findings.first?.count == 3)
    #expect(
      report.findings.first?.places.map(\.found) == [
        "its signature is not by the trusted key", "its signature is not by the trusted key", "it is not signed",
      ])
    #expect(report.player(.hlsjs)?.events == 1)
  }

  /// Where pictures are half a minute apart, a tag between them is in its place, and one far behind them is not.
  @Test(arguments: [(-1_350_000, false), (-1_700_000, false), (1_350_000, true)]) func tagsInAGap(off ticks: Int64, isFar: Bool) {
    var later = TagStream()
    later.stream.start += 2_700_000
    let report = examine(TagStream().bytes + later.with(tag: SampleTag.plain, before: 0, off: ticks).bytes)
    #expect(report.rules.contains("TS-PTS-FAR") == isFar, "\(report.rules)")
  }

  /// The pictures behind the gap may be those of the next segment, unless it begins anew.
  @Test(arguments: ["", "#EXT-X-DISCONTINUITY\n"]) func tagsInAGapBetweenSegments(tag: String) throws {
    var later = TagStream()
    later.stream.start += 2_700_000
    // The tag stands behind the last picture, 15 s after it.
    let first = TagStream().with(tag: SampleTag.plain, before: 60, off: 1_350_000)
    var counters: [PID: UInt8] = [:]
    let segments = [first.bytes, later.bytes].map { SamplePresentation.renumbered($0, &counters) }
    let playlist = SamplePresentation.playlist(count: 2, target: 30, durations: ["30", "2.44"], before: [1: tag])
    let report = try SamplePresentation(segments, playlist: playlist).report()
    let places = report.findings.filter { $0.rule.id == "TS-PTS-FAR" }.flatMap(\.places)
    #expect(places.map(\.resource) == (tag.isEmpty ? [] : ["segment-0"]))
  }

  /// How bytes come in changes nothing.
  @Test(arguments: [1, 7, 188, 1_000]) func chunksDoNotMatter(_ size: Int) throws {
    let streams = [
      try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes,
      SamplePacket.reframed(TagStream().with(tag: SampleTag.plain).bytes, .withParity),
      BoxSample.map() + BoxSample.segment(0, [try BoxSample.message { $0.value = "1" }]) + BoxSample.segment(1, [try BoxSample.message()]),
    ]
    for stream in streams { #expect(examine(stream, chunk: size) == examine(stream)) }
  }

  /// Whatever is cut off or changed, there is a report.
  @Test func damageIsReported() throws {
    let stream = TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes
    let boxes = BoxSample.map() + BoxSample.segment(0, [try BoxSample.event(at: 9_000)])
    for count in stride(from: 0, to: boxes.count, by: 5) { _ = examine(Array(boxes[..<count])) }
    for index in stride(from: 0, to: boxes.count, by: 3) {
      var changed = boxes
      changed[index] ^= 0xFF
      _ = examine(changed)
    }
    for index in stride(from: 0, to: stream.count, by: 97) {
      var changed = stream
      changed[index] ^= 0xFF
      _ = examine(changed)
    }
    #expect(examine([]) == examine([]) && examine([]).tags == 0)
  }

  /// Two halves whose clocks differ: the programme goes on over the jump, as for the reader.
  @Test(arguments: [5_000_000, 20_000_000] as [UInt64]) func eventsGoOnOverAJumpOfTheClock(start: UInt64) throws {
    // A stream lasts 61 pictures of 40 ms; the second half continues the programme behind it.
    let length: Int64 = 61 * 3_600
    let first = TagStream().with(tag: try SampleTag.event(at: 21_600))
    var second = TagStream()
    second.stream.start = start
    for frame in [10, 15, 20] {
      second = second.with(tag: try SampleTag.event(at: 21_600, age: length + Int64(frame) * 3_600 - 21_600), before: frame)
    }
    var counters: [PID: UInt8] = [:]
    let bytes = [first.bytes, second.bytes].flatMap { SamplePresentation.renumbered($0, &counters) }
    let report = examine(bytes)
    #expect(report.rules == [], "\(report.findings.flatMap(\.places).map(\.found))")
  }

  /// Multiplexers that repeat their tables with one counter lose packets, to readers.
  @Test func tablesWithAConstantCounterAreCounted() throws {
    var bytes = TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes
    let tables = SamplePacket.all(in: bytes).filter { $0.pid == ProgramAssociationTable.pid }
    for packet in tables { bytes[packet.offset + 3] = bytes[packet.offset + 3] & 0xF0 | 7 }
    let report = examine(bytes)
    // Each second of equal packets may be a duplicate.
    #expect(report.rules == ["TS-CONTINUITY"] && report.findings.first?.count == (tables.count - 1) / 2)
    #expect(report.findings.first?.places.first?.found == "counter 7 again in a further packet of tables on PID 0")
  }

  /// Nothing in CODECS stands for MPEG-2 video.
  @Test func codecsWithoutANameNeedNoCODECS() throws {
    var map = TagStream.map()
    map.streams[0].type = .mpeg2Video
    let maps = Dictionary(uniqueKeysWithValues: (0..<3).map { ($0, map) })
    var presentation = try SamplePresentation(
      SamplePresentation.segments(maps: maps) { try SamplePresentation.refresh(of: 18_000, in: $0) })
    presentation.multivariant = SamplePresentation.multivariant(codecs: nil)
    #expect(presentation.report().rules == ["CODEC-PLAYERS"])
  }

  /// Some multiplexers count the map's version up in each segment, though the map is the same.
  @Test func theSameMapWithAnotherVersionIsNoChange() throws {
    let maps = Dictionary(uniqueKeysWithValues: (0..<3).map { ($0, TagStream.map(version: UInt8($0))) })
    #expect(
      try SamplePresentation(SamplePresentation.segments(maps: maps) { try SamplePresentation.refresh(of: 18_000, in: $0) }).report().rules
        == [])
  }

  /// A segment a second time behind itself.
  @Test func aSegmentTwiceIsAClockThatGoesBack() throws {
    let segments = try SamplePresentation.segments()
    let report = try SamplePresentation([segments[0], segments[1], segments[1]]).report()
    let finding = try #require(report.findings.first { $0.rule.id == "HLS-DISCONTINUITY" })
    #expect(finding.places.map(\.found) == ["timestamps that go back by 1 s after segment-1, without EXT-X-DISCONTINUITY"])
  }

  /// ID3 in messages of a scheme that nobody knows.
  @Test func tagsOfAnUnknownScheme() throws {
    let message = try BoxSample.message { $0.schemeID = "https://example.org/emsg/ID3" }
    let report = examine(BoxSample.map() + BoxSample.segment(0, [message]))
    #expect(report.rules == ["EVENT-NO-TAGS", "EMSG-SCHEME"])
    #expect(report.findings.last?.places.map(\.found) == ["an ID3 tag of the scheme https://example.org/emsg/ID3"])
  }

  /// Fragmented MP4 needs version 6 (RFC 8216, 7).
  @Test(arguments: [(5, ["HLS-VERSION"]), (6, []), (7, [])] as [(Int, [String])]) func versionsOfFragmentedMP4(
    version: Int, rules: [String]
  ) throws {
    let playlist = SamplePresentation.playlist(count: 1, version: version, durations: ["1.0"], tags: "#EXT-X-MAP:URI=\"map\"\n")
    let presentation = SamplePresentation(
      map: BoxSample.map(), segments: [BoxSample.segment(0, [try BoxSample.event(at: 9_000)])], playlist: playlist)
    #expect(presentation.report().rules == rules)
  }

  /// Pictures of a playlist of I-frames are cut out of their segments.
  @Test func picturesMayEndWithinTheirBox() throws {
    let tags = "#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"map\"\n"
    let playlist = SamplePresentation.playlist(
      count: 1, version: 6, durations: ["1.0"], tags: tags, before: [0: "#EXT-X-BYTERANGE:1000@0\n"])
    let segment = Array(BoxSample.segment(0, [try BoxSample.event(at: 9_000)]).dropLast(4))
    #expect(SamplePresentation(map: BoxSample.map(), segments: [segment], playlist: playlist).report().rules == [])
  }

  /// They may end within a packet, too, and have no clock.
  @Test func picturesMayEndWithinAPacket() throws {
    let segment = try SamplePresentation.segments(1)[0]
    let ranges = [0: "#EXT-X-BYTERANGE:\(segment.count - 100)@0\n"]
    let playlist = SamplePresentation.playlist(count: 1, version: 4, tags: "#EXT-X-I-FRAMES-ONLY\n", before: ranges)
    #expect(try SamplePresentation([Array(segment.dropLast(100))], playlist: playlist).report().rules == [])
  }

  /// Between byte ranges that are apart, counters say nothing.
  @Test(arguments: [(0, true), (188, false)]) func byteRangesApart(gap: Int, isContinuous: Bool) throws {
    let segments = try SamplePresentation.segments(2)
    let length = segments[0].count
    let ranges = [0: "#EXT-X-BYTERANGE:\(length)@0\n", 1: "#EXT-X-BYTERANGE:\(segments[1].count)@\(length + gap)\n"]
    var playlist = SamplePresentation.playlist(count: 2, version: 4, before: ranges)
    playlist = playlist.replacing("segment-0", with: "all").replacing("segment-1", with: "all")
    var bytes = segments[1]
    // Four packets of the video are missing in front of the second range.
    for packet in SamplePacket.all(in: bytes) where packet.pid == 0x100 {
      bytes[packet.offset + 3] = bytes[packet.offset + 3] & 0xF0 | (bytes[packet.offset + 3] + 4) & 0x0F
    }
    let rules = try SamplePresentation([segments[0], bytes], playlist: playlist).report().rules
    #expect(rules.contains("TS-CONTINUITY") == isContinuous)
  }

  /// Timestamps of packed audio are no events.
  @Test func timestampsOfPackedAudioAreNoTags() throws {
    let timestamp = ID3Frame.privateData(owner: "com.apple.streaming.transportStreamTimestamp", data: [0, 0, 0, 0, 0, 13, 187, 160])
    let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 1, count: 9)
    let report = examine(try ID3Tag(frames: [timestamp]).encode() + frame + frame)
    #expect(report.rules == ["EVENT-NO-TAGS"] && report.tags == 0)
  }

  /// Places are kept in bounded number, and counted all the same.
  @Test func repeatsAreCounted() {
    let stream = (0..<12).reduce(TagStream()) { stream, number in
      stream.with(stream.pes(SampleTag.plain, at: Int64(number) * 18_000, streamID: 0xFC), before: number * 5)
    }
    let finding = examine(stream.bytes).findings.first
    #expect(finding?.rule.id == "TS-PES-STREAM-ID" && finding?.count == 12 && finding?.places.count == 5)
    let offsets = SamplePacket.all(in: stream.bytes).filter { $0.pid == TagStream.pid && $0.header.startsUnit }.map(\.offset)
    #expect(finding?.places.map(\.position) == offsets.prefix(5).map { .byte($0) })
    #expect(finding?.places.first?.description == "show byte \(offsets[0])" && finding?.places.first?.found == "stream_id FC")
  }

  @Test func placesInPresentationsNameTheFileAndTheLine() throws {
    let report = try SamplePresentation(playlist: SamplePresentation.playlist(target: 0)).report()
    #expect(report.findings.first?.places.map(\.description) == ["media.m3u8 line 4", "media.m3u8 line 6", "media.m3u8 line 8"])
  }

  /// Of live renditions different parts are read; they are not compared.
  @Test(arguments: [true, false]) func onlyWholeRenditionsAreCompared(_ isEnded: Bool) throws {
    var presentation = try SamplePresentation()
    presentation.multivariant += "#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS=\"avc1.4D401E,mp4a.40.2\"\nother.m3u8\n"
    let other = try SamplePresentation.segments(2) { _ in nil }
    presentation.renditions.append(.init(uri: "other.m3u8", playlist: SamplePresentation.playlist(count: 2), segments: other))
    if !isEnded {
      for index in presentation.renditions.indices { presentation.renditions[index].playlist.removeLast("#EXT-X-ENDLIST\n".count) }
    }
    #expect(presentation.report().rules == (isEnded ? ["HLS-RENDITION-EVENTS", "HLS-RENDITION-CUTS"] : []))
  }

  /// Behind a discontinuity another clock, another map and other counters are right.
  @Test(arguments: [true, false]) func aDiscontinuityMayChangeEverything(_ isTold: Bool) throws {
    var map = TagStream.map()
    map.streams[1].type = .mpeg1Audio
    var stream = TagStream(map)
    stream.stream.start = 50_000_000
    stream.stream.pictureCount = 25
    let second = stream.with(tag: try SamplePresentation.refresh(of: 18_000, in: 1), before: 5).bytes
    let segments = [try SamplePresentation.segments(1)[0], second]
    let playlist = SamplePresentation.playlist(count: 2, before: isTold ? [1: "#EXT-X-DISCONTINUITY\n"] : [:])
    let rules = try SamplePresentation(segments, playlist: playlist).report().rules
    if isTold { #expect(rules == []) } else { #expect(rules.contains("HLS-PMT-CHANGES") && rules.contains("HLS-DISCONTINUITY")) }
  }

  /// A segment that is missing is one fault, and none of the ones around it.
  @Test func lossesAreOneFinding() throws {
    let segments = try SamplePresentation.segments()
    var doctor = StreamDoctor(name: "index.m3u8")
    func source(_ number: UInt64) -> HLSSource { HLSSource(uri: "s\(number)", mediaSequence: number) }
    doctor.receive(.playlist(Array(SamplePresentation.playlist().utf8), uri: "s0"))
    for number in 0..<3 as Range<UInt64> {
      doctor.receive(.begin(HLSPortion.Part(kind: .segment, source: source(number))))
      if number == 1 {
        doctor.receive(.notice(.segmentLost(source(1), reason: "not found", read: 0)))
        doctor.receive(.lost(.zero))
      } else {
        doctor.receive(.bytes(segments[Int(number)][...]))
        doctor.receive(.end(.zero))
      }
    }
    #expect(doctor.finish().findings.map { "\($0.rule.id) \($0.places)" } == ["HLS-MISSING [s1]"])
  }

  private static let streams = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]

  /// What real streams of others break, each with its reason.
  @Test(
    .enabled(if: streams != nil),
    arguments: [
      // The packet's stream_id is 0D; its header is filled up with 123 bytes of stuffing.
      ("videojs-id3.ts", ["TS-PES-STREAM-ID", "TS-PES-HEADER"]),
      // The descriptors' fields behind the format are wider than they should be, so that the pointer names program 31; both tags end with an
      // empty WOAF frame.
      ("shaka-id3-metadata.ts", ["TS-PMT-PROGRAM", "ID3-EMPTY-FRAME", "TS-PMT-FORM"]),
      // No ID3: its event message is of MPEG DASH.
      ("cml-emsg.m4s", ["EVENT-NO-TAGS"]),
      // No ID3 at all.
      ("eyevinn-bbb-1s.ts", ["EVENT-NO-TAGS"]), ("eyevinn-obs-hevc-aac.ts", ["EVENT-NO-TAGS", "CODEC-PLAYERS"]),
      ("kim-broken.ts", ["EVENT-NO-TAGS"]),
    ])
  func streamsOfOthersAreJudged(_ name: String, _ rules: [String]) throws {
    let folder = try #require(Self.streams)
    var doctor = StreamDoctor(name: name)
    let looking: StreamInput.Change = { portion in
      doctor.receive(portion)
      return [portion]
    }
    _ = try StreamInput("\(folder)/\(name)").read(through: looking) { _, _ in true }
    #expect(doctor.finish().rules == rules)
  }
}
