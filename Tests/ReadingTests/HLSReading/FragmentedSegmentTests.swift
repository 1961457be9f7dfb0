import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import HLSReading
import ID3
import TestSupport
import Testing

private func tag(_ text: String) -> ID3Tag { ID3Tag(frames: [.text(id: "TIT2", values: [text])]) }

/// Presentations of fragmented MP4 and of packed audio.
@Suite struct FragmentedSegmentTests {
  /// Three segments from 100 s on, of a second each, with a tag in the middle of each.
  static func presentation() throws -> Presentation {
    var files = ["map.mp4": BoxSample.map()]
    for second in 0..<3 as Range<UInt64> {
      files["\(second).m4s"] = try BoxSample.segment(100 + second, tags: [(tag("\(second)"), .absolute((100 + second) * 90_000 + 45_000))])
    }
    files["index.m3u8"] = playlist("#EXT-X-MAP:URI=\"map.mp4\"", "#EXTINF:1,\n0.m4s\n#EXTINF:1,\n1.m4s\n#EXTINF:1,\n2.m4s")
    return Presentation(files: files)
  }

  static func item(_ name: Int, _ time: Int64, uri: String? = nil, stream: Int64) throws -> HLSItem {
    // The segment type is 16 bytes long.
    let place = Place(
      time: MediaTime(ticks: time), presentationTime: MediaTime(ticks: stream), videoTime: MediaTime(ticks: time),
      carriage: .eventMessage(id: 7), offset: 16, byteCount: try tag("\(name)").encode().count)
    return .item(.tag(tag("\(name)"), place), in: HLSSource(uri: uri ?? "\(name).m4s", mediaSequence: UInt64(name)))
  }

  static func expected() throws -> [HLSItem] {
    try (0..<3).map { try item($0, Int64($0) * 90_000 + 45_000, stream: Int64(100 + $0) * 90_000 + 45_000) }
  }

  @Test(arguments: [nil, 1, 13] as [Int?]) func everyTagAtItsPlace(chunk: Int?) throws {
    var presentation = try Self.presentation()
    presentation.chunk = chunk
    let outcome = try presentation.read()
    #expect(outcome.items == (try Self.expected()))
    #expect(outcome.uris == ["index.m3u8", "map.mp4", "0.m4s", "1.m4s", "2.m4s"])
    #expect(outcome.resources.map(\.kind) == [.playlist, .initializationSegment, .segment, .segment, .segment])
    #expect(outcome.reader.container == .fragmentedMP4)
    #expect(outcome.reader.end == MediaTime(seconds: 3))
  }

  @Test func cutOffAtEveryLength() throws {
    let bytes = try #require(Self.presentation().files["1.m4s"])
    let expected = try Self.expected()
    for cut in 0..<bytes.count {
      var presentation = try Self.presentation()
      presentation.answers["1.m4s"] = [.cutOff(bytes, after: cut)]
      let outcome = try presentation.read()
      let items = outcome.items.filter { if case .item(.tag, _) = $0 { true } else { false } }
      #expect(items.count >= 2 && items.allSatisfy { expected.contains($0) })
      #expect(outcome.damages.count <= 1)
      #expect(outcome.reader.end == MediaTime(seconds: 3))
    }
  }

  /// Without its initialization segment a segment is read as far as possible, and the initialization segment is asked for again.
  @Test func theInitializationSegmentIsAskedForAgain() throws {
    var presentation = try Self.presentation()
    presentation.answers["map.mp4"] = [.error(isFinal: false), .error(isFinal: false), .error(isFinal: false), .bytes(BoxSample.map())]
    let outcome = try presentation.read()
    #expect(outcome.notices == [.initializationSegmentFailed(HLSSource(uri: "map.mp4", mediaSequence: 0), reason: "busy, in attempt 3")])
    #expect(outcome.uris == ["index.m3u8"] + [String](repeating: "map.mp4", count: 3) + ["0.m4s", "map.mp4", "1.m4s", "2.m4s"])
    #expect(outcome.streamItems.tags.map(\.tag) == ["0", "1", "2"].map { tag($0) })
    presentation.answers["map.mp4"] = [.error(isFinal: true)]
    #expect(try presentation.read().uris == ["index.m3u8", "map.mp4", "0.m4s", "1.m4s", "2.m4s"])
  }

  /// Behind a discontinuity the initialization segment is loaded anew, though its address is the same; times in messages count from their
  /// segment.
  @Test func discontinuitiesAndByteRanges() throws {
    let (map, first) = (BoxSample.map(), try BoxSample.segment(100, tags: [(tag("0"), .afterSegmentStart(45_000))]))
    let second = try BoxSample.segment(7, tags: [(tag("1"), .afterSegmentStart(45_000))])
    let lines = [
      "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"\(map.count)@0\"", "#EXTINF:1,", "#EXT-X-BYTERANGE:\(first.count)@\(map.count)", "all.mp4",
      "#EXT-X-DISCONTINUITY", "#EXTINF:1,", "#EXT-X-BYTERANGE:\(second.count)", "all.mp4",
    ]
    let files = ["index.m3u8": playlist(lines.joined(separator: "\n")), "all.mp4": map + first + second]
    let outcome = try Presentation(files: files).read()
    #expect(outcome.resources.map(\.kind) == [.playlist, .initializationSegment, .segment, .initializationSegment, .segment])
    let places = outcome.streamItems.tags.map(\.place)
    #expect(places.map(\.time) == [MediaTime(ticks: 45_000), MediaTime(ticks: 135_000)])
    #expect(places.map(\.offset) == [map.count + 16, map.count + first.count + 16])
    #expect(outcome.damages == [] && outcome.notices == [])
  }

  /// A stretch of transport stream, one of packed audio, one of fragmented MP4.
  @Test func theContainerChangesAtADiscontinuity() throws {
    var presentation = try Self.presentation()
    presentation.files["a.ts"] = try SegmentedSample.foreign(start: 5_000)
    presentation.files["s.aac"] = try PackedSample.segment(1_000_000, tag("sound"))
    presentation.files["index.m3u8"] = playlist(
      "#EXTINF:2.44,\na.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:0.64,", "s.aac", "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"map.mp4\"",
      "#EXTINF:1,", "0.m4s")
    let outcome = try presentation.read()
    let times = outcome.streamItems.tags.map(\.place.time)
    #expect(times == [MediaTime(ticks: 36_000), MediaTime(ticks: 219_600 + 19_200), MediaTime(ticks: 219_600 + 57_600 + 45_000)])
    #expect(outcome.reader.end == MediaTime(ticks: 219_600 + 90_000 + 57_600))
    #expect(outcome.damages == [] && outcome.reader.container == .fragmentedMP4)
  }

  @Test(arguments: [nil, 1, 50] as [Int?]) func packedAudio(chunk: Int?) throws {
    let copy = EventCopy(of: SampleGame.short(at: 57_600 + 19_200).event)
    var presentation = Presentation(files: [
      "0.aac": try PackedSample.segment(8_589_934_000, tag("a")), "1.aac": try PackedSample.segment(57_008, copy.tag),
      "index.m3u8": playlist("#EXTINF:0.64,\n0.aac\n#EXTINF:0.64,\n1.aac"),
    ])
    presentation.chunk = chunk
    let outcome = try presentation.read()
    let first = try PackedSample.timestamp(0).encode().count + 10 * PackedSample.frame.count
    let places = (outcome.streamItems.tags.map(\.place) + outcome.copies.map(\.place))
    #expect(places.map(\.time) == [MediaTime(ticks: 19_200), MediaTime(ticks: 76_800)])
    #expect(places.allSatisfy { $0.offset == first && $0.videoTime == $0.time })
    #expect(outcome.copies.map(\.copy) == [copy] && outcome.copies[0].source == HLSSource(uri: "1.aac", mediaSequence: 1))
    #expect(outcome.notices == [] && outcome.damages == [])
    #expect(outcome.reader.end == MediaTime(ticks: 115_200))
  }
}

/// Segments of packed AAC: 30 frames at 48 kHz (0.64 s), with a tag behind the tenth.
enum PackedSample {
  static let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x0C, 0x9F, 0xFC] + [UInt8](repeating: 0x11, count: 93)

  static func timestamp(_ ticks: UInt64) -> ID3Tag {
    let data = (0..<8).map { UInt8(truncatingIfNeeded: ticks >> UInt64(56 - 8 * $0)) }
    return ID3Tag(frames: [.privateData(owner: "com.apple.streaming.transportStreamTimestamp", data: data)])
  }

  static func segment(_ ticks: UInt64, _ tag: ID3Tag) throws -> [UInt8] {
    var bytes = try timestamp(ticks).encode()
    for number in 0..<30 { bytes += (number == 10 ? try tag.encode() : []) + frame }
    return bytes
  }
}
