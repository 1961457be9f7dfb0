import Basics
import CMAF
import EventSchedule
import GameEvents
import HLSReading
@testable import StreamDoctor
import TestSupport
import Testing
import TransportStream

/// What players are expected to make of tags.
@Suite struct PlayerTests {
  /// What each player shows of a stream, as events and cues.
  private func shown(_ report: DoctorReport) -> [String] { report.players.map { "\($0.player.rawValue) \($0.events) \($0.cues)" } }

  private func expected(
    _ hls: String, _ video: String, _ shaka: String, _ media3: String, _ dash: String, _ apple: String,
    video8: String? = nil
  ) -> [String] {
    [
      "hls.js \(hls)", "video.js \(video)", "video.js 8 \(video8 ?? video)", "Shaka Player \(shaka)", "media3 \(media3)", "dash.js \(dash)",
      "AVFoundation \(apple)",
    ]
  }

  /// A stream with one event, whose tag or packet is changed.
  private func stream(
    _ map: ProgramMapTable = TagStream.map(), on pid: PID = TagStream.pid, _ change: (TagStream, [UInt8]) throws -> [UInt8]
  ) throws -> DoctorReport {
    let stream = TagStream(map)
    return examine(stream.with(try change(stream, try SampleTag.event(at: 21_600)), on: pid).bytes)
  }

  @Test func copiesAreShownAsOftenAsTheyCome() throws {
    let report = examine(try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes)
    let copies = report.tags
    #expect(report.events == 5 && copies > 15)
    #expect(shown(report) == expected("5 \(copies)", "5 \(copies)", "5 \(2 * copies)", "5 \(copies)", "0 0", "5 \(copies)"))
    let hls = try #require(report.player(.hlsjs))
    #expect(hls.evidence == .checked(version: "1.6.15", script: "scripts/check-players") && hls.dropped == [])
    #expect(hls.repeated?.eventCount == 5 && hls.repeated?.tags == copies && hls.mostRepeats > 3)
    #expect(
      hls.remarks == [
        "its clock starts with the earlier of sound and picture, 0 s before the first picture", "a cue ends where the next one starts",
      ])
    let dash = try #require(report.player(.dashjs))
    #expect(dash.dropped.map(\.reason) == ["it reads event messages only"] && dash.dropped[0].eventCount == 5)
    #expect(dash.evidence == .tried(version: "5.1.1") && dash.repeated == nil)
  }

  @Test func audioBeforeTheVideoStartsTheClockOfHLSJS() throws {
    var stream = TagStream()
    // The audio starts two frames earlier than the video.
    stream.stream.start = 900_000
    let audio = SamplePacketWriter.pes(streamID: 0xC0, presentation: 896_160, payload: [0xFF, 0xF1, 0x4C, 0x80, 0x02, 0x1F, 0xFC])
    stream.stream.extras[0] = [.pes(0x101, audio)]
    let report = examine(stream.with(tag: SampleTag.plain).bytes)
    let remark = report.player(.hlsjs)?.remarks.first
    #expect(remark == "its clock starts with the earlier of sound and picture, 0.04267 s before the first picture")
  }

  @Test func aSecondStreamIsNotLookedAtByHLSJS() throws {
    let other = ProgramMapTable.ElementaryStream(type: .metadata, pid: 0x103, descriptors: [MetadataDescriptor(serviceID: 0).descriptor])
    let report = try stream(TagStream.map(more: [other]), on: 0x103) { $0.pes($1) }
    #expect(shown(report) == expected("0 0", "1 1", "1 2", "1 1", "0 0", "1 1"))
    let dropped = PlayerPrediction.Group(
      reason: "it takes the first ID3 stream of the program only", tags: 1, events: [SampleGame.guid("info")], eventCount: 1)
    #expect(report.player(.hlsjs)?.dropped == [dropped])
  }

  @Test func packetsWithoutAlignmentAreDroppedByMedia3() throws {
    let report = try stream { stream, tag in
      var pes = stream.pes(tag)
      pes[6] &= ~0x04
      return pes
    }
    #expect(shown(report) == expected("1 1", "1 1", "1 2", "0 0", "0 0", "1 1"))
  }

  @Test func onlyTheFirstTagOfAPacketIsTakenBySome() throws {
    let second = try SampleTag.event("b", at: 21_600, number: 2)
    let report = try stream { $0.pes($1 + second) }
    #expect(shown(report) == expected("2 2", "1 1", "2 4", "1 1", "0 0", "2 2"))
  }

  @Test func tagsOverSeveralPacketsAreDroppedBySome() throws {
    let stream = TagStream()
    let tag = try SampleTag.event(at: 21_600)
    let rest = SamplePacketWriter.pes(presentation: nil, payload: Array(tag[50...]))
    let report = examine(stream.with(stream.pes(Array(tag[..<50]))).with(rest).bytes)
    #expect(shown(report) == expected("0 0", "1 1", "1 2", "0 0", "0 0", "1 1"))
  }

  @Test func aMissingDescriptorMattersToAVFoundation() throws {
    let report = try stream(TagStream.map(pointer: [])) { $0.pes($1) }
    #expect(shown(report) == expected("1 1", "1 1", "1 2", "1 1", "0 0", "0 0"))
  }

  @Test func cutTagsAreSeenByNobodyAndNamed() throws {
    let report = try stream { $0.pes(Array($1.dropFirst(5))) }
    #expect(shown(report) == expected("0 0", "0 0", "0 0", "0 0", "0 0", "0 0"))
    #expect(report.events == 1 && report.players.allSatisfy { $0.dropped.map(\.eventCount) == [1] })
  }

  @Test func anEmptyFrameCostsVideoJSTheTag() throws {
    let report = try stream { stream, tag in
      let body = Array(tag[10...]) + SampleTag.frame("WOAF", [])
      return stream.pes(SampleTag.frames([body]))
    }
    // hls.js makes a cue of an empty URL too.
    #expect(shown(report) == expected("1 2", "0 0", "1 4", "1 2", "0 0", "1 2"))
  }

  @Test func otherEncodingsAndDescriptionsAreMisread() throws {
    let value = EventCopy(
      of: GameEvent(guid: SampleGame.guid("a"), game: "g", sequence: 1, content: .periodicInfo(PeriodicInfo(viewers: 1)))
    ).text
    let latin = try stream { stream, _ in stream.pes(SampleTag.frames([SampleTag.userText("info", value, encoding: 0)])) }
    #expect(shown(latin).prefix(2) == ["hls.js 1 1", "video.js 0 1"])
    let accent = try stream { stream, _ in stream.pes(SampleTag.frames([SampleTag.userText("infö", value)])) }
    #expect(shown(accent).prefix(2) == ["hls.js 0 1", "video.js 1 1"])
  }

  @Test func programsWithoutBasicCodecsAreNothingToVideoJS() throws {
    var map = TagStream.map()
    map.streams[0].type = .hevc
    map.streams[1].type = .mpeg1Audio
    let report = try stream(map) { $0.pes($1) }
    #expect(shown(report).prefix(2) == ["hls.js 1 1", "video.js 0 0"])
  }

  @Test func messagesAreDroppedByThoseThatDoNotReadThem() throws {
    let messages = [
      try BoxSample.event("a", at: 9_000), try BoxSample.event("b", at: 18_000, number: 2),
      try BoxSample.event("a", at: 9_000, age: 20_000),
    ]
    let report = examine(BoxSample.map() + BoxSample.segment(0, messages))
    #expect(shown(report) == expected("2 3", "0 0", "0 0", "2 3", "2 2", "2 3", video8: "2 3"))
    let dash = PlayerPrediction.Group(
      reason: "it keeps the first message of equal scheme, value and id in a period", tags: 1, events: [], eventCount: 0)
    #expect(report.player(.dashjs)?.dropped == [dash])
  }

  @Test func anIDThatTwoEventsShareCostsDashJSTheSecond() throws {
    let messages = [try BoxSample.event("a", at: 9_000, id: 1), try BoxSample.event("b", at: 18_000, id: 1, number: 2)]
    let report = examine(BoxSample.map() + BoxSample.segment(0, messages))
    #expect(report.player(.dashjs)?.dropped.map(\.events) == [[SampleGame.guid("b")]])
  }

  /// What a doctor says of two segments with one message each, of the same id, between which there may be a discontinuity.
  private func twoSegments(_ tag: String) throws -> DoctorReport {
    let playlist = SamplePresentation.playlist(
      count: 2, version: 7, tags: "#EXT-X-MAP:URI=\"map\"\n", before: [1: "\(tag)#EXT-X-MAP:URI=\"map\"\n"])
    var doctor = StreamDoctor(name: "index.m3u8")
    doctor.receive(.playlist(Array(playlist.utf8), uri: "index.m3u8"))
    for (number, name) in ["a", "b"].enumerated() {
      let message = try BoxSample.event(name, at: 9_000 + Int64(number) * 90_000, id: 1, number: number + 1)
      let source = HLSSource(uri: "segment-\(number)", mediaSequence: UInt64(number))
      for (kind, bytes) in [(.initializationSegment, BoxSample.map()), (.segment, BoxSample.segment(UInt64(number), [message]))]
        as [(HLSReader.Resource.Kind, [UInt8])]
      {
        doctor.receive(.begin(HLSPortion.Part(kind: kind, source: source)))
        doctor.receive(.bytes(bytes[...]))
        doctor.receive(.end(.zero))
      }
    }
    doctor.endRendition(HLSChoice(uri: "index.m3u8", names: [], isVariant: true))
    return doctor.finish()
  }

  /// MediaPackage writes the value 0, and others none: neither is a fault.
  @Test func valuesOfMessages() throws {
    for (value, count) in [("", 0), ("0", 0), ("00", 1), ("1", 1)] {
      let message = try BoxSample.message { $0.value = BoxText(stringLiteral: value) }
      let report = examine(BoxSample.map() + BoxSample.segment(0, [message]))
      #expect(report.findings.count { $0.rule.id == "EMSG-VALUE" } == count, "\(value)")
    }
  }

  /// The second of two events with equal checksums has another id, which is no fault.
  @Test func equalChecksums() throws {
    let (first, second) = ("event-938459724", "event-137056476")
    func faults(_ name: String) throws -> Int {
      let messages = [try BoxSample.event(first, at: 9_000), try BoxSample.event(name, at: 18_000, id: 5, number: 2)]
      return examine(BoxSample.map() + BoxSample.segment(0, messages)).findings.count { $0.rule.id.hasPrefix("EMSG-ID") }
    }
    #expect(try faults(second) == 0)
    #expect(try faults("other") == 1)
  }

  /// media3 reads the event messages of variants, not those of audio renditions.
  @Test func messagesOfAudioRenditions() throws {
    let messages = [try BoxSample.event("a", at: 9_000), try BoxSample.event("b", at: 18_000, number: 2)]
    let playlist = SamplePresentation.playlist(count: 1, version: 7, tags: "#EXT-X-MAP:URI=\"map\"\n")
    let sound = BoxSample.track(1, "soun", timescale: 12_800)
    let map = BoxSample.ftyp() + BoxSample.moov(tracks: sound, defaults: BoxSample.defaults(1))
    let segment = BoxSample.segment(0, messages)
    func report(isVariant: Bool) -> DoctorReport {
      var sample = SamplePresentation(map: map, segments: [segment], playlist: playlist)
      sample.renditions[0].isVariant = isVariant
      return sample.report()
    }
    let reason = "it reads the event messages of variants only, not those of audio renditions"
    for found in [report(isVariant: false), examine(map + segment)] {
      let audio = try #require(found.player(.media3))
      #expect(audio.events == 0 && audio.dropped.map(\.reason) == [reason] && found.player(.hlsjs)?.events == 2)
    }
    // A variant of sound alone, such as a radio programme, and video by itself.
    #expect(report(isVariant: true).player(.media3)?.events == 2)
    #expect(examine(BoxSample.map() + segment).player(.media3)?.events == 2)
  }

  @Test func idsCountAnewInEachPeriod() throws {
    #expect(try twoSegments("").player(.dashjs)?.events == 1)
    #expect(try twoSegments("#EXT-X-DISCONTINUITY\n").player(.dashjs)?.events == 2)
  }
}
