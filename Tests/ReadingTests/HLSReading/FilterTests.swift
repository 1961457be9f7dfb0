import Basics
import EventReading
import HLSPlaylist
import HLSReading
import Testing

/// What happens to portions between the loader and the event reader.
@Suite struct FilterTests {
  let sample: SegmentedSample
  init() throws { sample = try SegmentedSample() }

  @Test func theOrderOfPortions() throws {
    let uris = ["0.ts", "1.ts"]
    var presentation = sample.presentation
    presentation.files["index.m3u8"] = playlist(sample.lines(0), "#EXT-X-DISCONTINUITY", sample.lines(1), "#EXT-X-GAP", sample.lines(2))
    let portions = try presentation.read().portions
    let sources = uris.enumerated().map { HLSSource(uri: $1, mediaSequence: UInt64($0)) }
    let durations = sample.durations.map { MediaTime(ticks: $0) }
    let segments = try #require(portions.dropFirst().first)
    let gap = HLSSource(uri: "2.ts", mediaSequence: 2)
    #expect(
      portions == [
        .playlist(presentation.files["index.m3u8"] ?? [], uri: "index.m3u8"), segments, .next(mediaSequence: 0, isGap: false),
        .begin(.init(kind: .segment, source: sources[0])), .bytes(sample.segments[0][...]), .end(durations[0]),
        .next(mediaSequence: 1, isGap: false), .discontinuity, .begin(.init(kind: .segment, source: sources[1])),
        .bytes(sample.segments[1][...]), .end(durations[1]), .next(mediaSequence: 2, isGap: true), .notice(.gap(gap)), .lost(durations[2]),
        .finished,
      ])
    guard case .segments(let playlist, firstNew: 0, missed: nil) = segments else {
      Issue.record("no media playlist")
      return
    }
    #expect(playlist.segments.count == 3)
  }

  /// A segment that is skipped is not asked for, costs what is in it, and no notice tells of it.
  @Test(arguments: 0..<5 as Range<UInt64>) func aSkippedSegment(number: UInt64) throws {
    var options = HLSReader.Options()
    options.skippedSegments = [number]
    let outcome = try sample.presentation.read("index.m3u8", options)
    #expect(!outcome.uris.contains("\(number).ts") && outcome.uris.count == 5)
    #expect(outcome.notices == [] && outcome.damages == [])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [Int(number)])))
  }

  /// Every byte of every segment passes through, in order, and the end of each comes once.
  @Test(arguments: [nil, 1_000] as [Int?]) func everyByteOfTheSegments(chunk: Int?) throws {
    var passed: [[UInt8]] = [[]]
    var presentation = sample.presentation
    presentation.chunk = chunk
    let outcome = try presentation.read { portion in
      if case .bytes(let bytes) = portion { passed[passed.count - 1] += bytes }
      if case .end = portion { passed.append([]) }
      return [portion]
    }
    #expect(passed == sample.segments + [[]])
    #expect(outcome.items == (try sample.presentation.read().items))
  }

  /// What is held back until the end of a segment is read then.
  @Test func bytesThatAreHeldBack() throws {
    var held = HeldBytes()
    let outcome = try sample.presentation.read { held.change($0) }
    #expect(outcome.items == (try sample.presentation.read().items))
  }
}

/// Holds bytes back until what they belong to ends.
struct HeldBytes {
  private var held: ArraySlice<UInt8> = []

  mutating func change(_ portion: HLSPortion) -> [HLSPortion] {
    switch portion {
    case .bytes(let bytes):
      held += bytes
      return []
    case .end:
      defer { held = [] }
      return [.bytes(held), portion]
    default: return [portion]
    }
  }
}
