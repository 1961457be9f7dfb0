import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import PacketStamping
import TestSupport
import Testing

@testable import Stamping

/// A file becomes fragmented MP4 with event messages.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct FragmentedTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  @Test(arguments: [Clip.mp4, .transportStream]) func videoAndAudioAreTracksOfTheirOwn(clip: Clip) throws {
    let summary = try #require(try presentation.stamp([clip], .fragmentedMP4).first)
    #expect(summary.segments == 3)
    let names = ["show-audio", "show-segment"].flatMap { name in (0..<3).map { "\(name)-0000\($0).m4s" } + ["\(name)-init.mp4"] }
    #expect(try presentation.entries == (names + ["show-audio.m3u8", "show-media.m3u8", "show.m3u8"]).sorted())
    let picture = try presentation.media("show-media.m3u8")
    #expect(picture.version == 7 && picture.targetDuration == 1 && picture.isEnded && picture.hasIndependentSegments)
    #expect(picture.segments.map { $0.duration.text } == ["1", "1", "1"])
    #expect(picture.segments.allSatisfy { $0.initializationSegment == InitializationSegment(uri: "show-segment-init.mp4") })
    let main = try presentation.multivariant()
    let variant = try #require(main.variants.first)
    #expect(main.version == 7 && main.variants.count == 1 && variant.uri == "show-media.m3u8" && variant.audio == "audio")
    #expect(variant.codecs?.hasPrefix("avc1.") == true && variant.codecs?.hasSuffix(",mp4a.40.2") == true)
    #expect(variant.resolution == Resolution(width: 160, height: 120) && variant.frameRate == PlaylistDecimal("25"))
    let sizes = try picture.segments.map { try presentation.bytes($0.uri).count * 8 }
    let soundSizes = try presentation.media("show-audio.m3u8").segments.map { try presentation.bytes($0.uri).count * 8 }
    #expect(variant.bandwidth >= UInt64(try #require(sizes.max())) + UInt64(try #require(soundSizes.min())))
    var sound = Rendition(type: .audio, groupID: "audio", name: "Audio 1", uri: "show-audio.m3u8")
    (sound.isDefault, sound.isAutoselected, sound.channels) = (true, true, "1")
    #expect(main.renditions == [sound])
  }

  /// One copy of each event at its exact time, a refresh of what is current at the start of each segment, nothing in the sound.
  @Test func eventsRideInFrontOfThePicture() throws {
    let summary = try #require(try presentation.stamp([.mp4], .fragmentedMP4).first)
    let items = try read(try presentation.joined("show-media.m3u8"))
    #expect(items.damages == [] && items.copies.count == summary.stamped.copies)
    let events = SampleGame.plan().map { $0.event }
    #expect(items.copies.filter { $0.copy.copy == 1 }.map { $0.copy.event } == events)
    #expect(summary.stamped.events == events.count && summary.stamped.end == MediaTime(seconds: 3))
    #expect(items.copies.allSatisfy { $0.copy.copies == 1 && $0.place.time - $0.copy.age == $0.copy.event.at })
    for copy in items.copies {
      #expect(copy.place.carriage == .eventMessage(id: CRC32MPEG2.checksum(copy.copy.event.guid.text)))
    }
    let refreshes = items.copies.filter { $0.copy.isRefresh }
    #expect(!refreshes.isEmpty && refreshes.allSatisfy { $0.place.time.ticks % MediaTime.ticksPerSecond == 0 })
    #expect(try read(try presentation.joined("show-audio.m3u8")).copies.isEmpty)
  }

  @Test func boxesStandInTheirOrder() throws {
    try presentation.stamp([.mp4], .fragmentedMP4)
    let map = try presentation.bytes("show-segment-init.mp4")
    var boxes = BoxReader(map.span)
    let first = try #require(try boxes.next()?.header.size)
    let type = try FileTypeBox(map.span.extracting(..<Int(first)))
    #expect(type.compatibleBrands.contains(.aid3))
    let start = try presentation.bytes("show-audio-init.mp4")
    var soundBoxes = BoxReader(start.span)
    let size = try #require(try soundBoxes.next()?.header.size)
    #expect(try !FileTypeBox(start.span.extracting(..<Int(size))).compatibleBrands.contains(.aid3))
    for number in 0..<3 {
      let segment = try presentation.bytes("show-segment-0000\(number).m4s")
      var reader = BoxReader(segment.span)
      var types: [BoxType] = []
      while let box = try reader.next() {
        types.append(box.type)
        if box.type == .emsg {
          let bytes = segment.span.extracting(box.offset..<(box.payloadOffset + box.payload.count))
          let message = try EventMessageBox(bytes)
          guard case .absolute(let ticks) = message.time else {
            Issue.record("event message of version 0")
            continue
          }
          #expect(message.schemeID == EventMessageBox.id3Scheme && message.value == "" && message.timescale.ticksPerSecond == 90_000)
          #expect(message.eventDuration == EventMessageBox.unknownDuration)
          #expect((900_000 + UInt64(number) * 90_000..<900_000 + UInt64(number + 1) * 90_000).contains(ticks))
        }
      }
      let messages = types.filter { $0 == .emsg }
      #expect(types == [.styp] + messages + [.moof, .mdat])
    }
  }

  @Test func soundAloneCarriesTheEvents() throws {
    try presentation.stamp([.audioOnly], .fragmentedMP4)
    let main = try presentation.multivariant()
    #expect(main.variants.map { $0.uri } == ["show-media.m3u8"] && main.variants[0].audio == nil && main.renditions == [])
    #expect(main.variants[0].codecs == "mp4a.40.2")
    let copies = try read(try presentation.joined("show-media.m3u8")).copies
    #expect(copies.filter { $0.copy.copy == 1 }.map { $0.copy.event } == SampleGame.plan().map { $0.event })
  }

  /// Sound that begins later than the picture has gaps in its playlist, so that both keep one timeline.
  @Test func soundThatBeginsLaterLeavesGaps() throws {
    try presentation.stamp([.lateSound], .fragmentedMP4)
    let sound = try presentation.media("show-audio.m3u8")
    #expect(sound.segments.map { $0.isGap } == [true, false, false])
    let duration = sound.segments.reduce(Int64(0)) { $0 + $1.duration.billionths }
    #expect(abs(duration - 3_000_000_000) < 60_000_000)
    #expect(try read(try presentation.joined("show-media.m3u8")).copies.count > 5)
  }

  @Test func nothingStaysBehindWhenItFails() throws {
    #expect(throws: StampingError.eventsAfterTheEnd(of: MediaTime(seconds: 3))) {
      try presentation.stamp([.mp4], .fragmentedMP4, [SampleGame.short(at: 900_000)])
    }
    #expect(throws: StampingError.interrupted) { try presentation.stamp([.mp4], .fragmentedMP4) { $0.isInterrupted = { true } } }
    #expect(try Workshop.entries(presentation.folder) == [])
  }

  @Test(arguments: SegmentType.allCases) func eventsStandInThePlaylistToo(type: SegmentType) throws {
    let zero = try #require(PlaylistDate("2026-11-20T20:00:00Z"))
    try presentation.stamp([.mp4], type) { ($0.programDateTime, $0.writesDateRanges, $0.datesResults) = (zero, true, true) }
    let ranges = try presentation.media("show-media.m3u8").segments.map { $0.dateRanges }
    let events = SampleGame.plan().map { $0.event }
    let copies = try ranges.flatMap { $0 }.map { range in
      let json = try #require(range.attributes[DateRange.eventAttribute]?.hexadecimal)
      return try EventCopy(parsing: String(decoding: json, as: UTF8.self), description: "")
    }
    #expect(copies == events.map { EventCopy(of: $0) })
    #expect(ranges.flatMap { $0 }.map { $0.id } == events.map { $0.guid.text })
    #expect(ranges.flatMap { $0 }.allSatisfy { $0.rangeClass == DateRange.eventClass })
    for (number, inSegment) in ranges.enumerated() {
      let milliseconds = inSegment.compactMap { $0.startDate.map { Int($0.milliseconds - zero.milliseconds) } }
      #expect(milliseconds.allSatisfy { (number * 1_000..<(number + 1) * 1_000).contains($0) })
    }
    if type == .fragmentedMP4 {
      #expect(try presentation.media("show-audio.m3u8").allDateRanges == [])
    }
  }
}
