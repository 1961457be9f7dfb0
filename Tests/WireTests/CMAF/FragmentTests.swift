import Basics
@testable import CMAF
import TestSupport
import Testing

@Suite struct FragmentTests {
  static func moof(_ tfhd: [UInt8], _ parts: [UInt8]...) -> [UInt8] {
    box("moof", fullBox("mfhd", integer(4)), box("traf", tfhd, parts.flatMap { $0 }))
  }

  static func part(
    id: UInt32 = 1, decode: Int64?, earliest: Int64?, duration: Int64?, count: Int64, bytes: Int64?, sync: Bool?
  ) -> TrackFragment {
    TrackFragment(
      trackID: id, timescale: SampleMovie.header.track(id)?.timescale, decodeTicks: decode, earliestPresentationTicks: earliest,
      durationTicks: duration, sampleCount: count, byteCount: bytes, startsWithSyncSample: sync)
  }

  static let cases: [(bytes: [UInt8], part: TrackFragment)] = [
    // Everything by default.
    (
      moof(fullBox("tfhd", integer(2)), fullBox("tfdt", integer(48_000)), fullBox("trun", integer(10))),
      part(id: 2, decode: 48_000, earliest: 48_000, duration: 10_240, count: 10, bytes: 0, sync: true)
    ),
    // All fields of tfhd, whose defaults count before those of trex.
    (
      moof(
        fullBox("tfhd", flags: 0x3B, integer(1), integer(0, 8), integer(1), integer(100), integer(10), integer(0x1_0000)),
        fullBox("tfdt", integer(0)), fullBox("trun", flags: 1, integer(3), integer(0)), fullBox("trun", integer(2))),
      part(decode: 0, earliest: 0, duration: 500, count: 5, bytes: 50, sync: false)
    ),
    // All fields of samples; composition offsets below 0 in version 1.
    (
      moof(
        fullBox("tfhd", integer(1)), fullBox("tfdt", version: 1, integer(1 << 40, 8)),
        fullBox(
          "trun", version: 1, flags: 0xF00, integer(2), integer(10) + integer(1) + integer(0x1_0000) + integer(5),
          integer(20) + integer(2) + integer(0) + integer(0xFFFF_FFEC))),
      part(decode: 1 << 40, earliest: (1 << 40) - 10, duration: 30, count: 2, bytes: 3, sync: false)
    ),
    // The same offset is far above 0 in version 0, and first_sample_flags counts before the sample's own.
    (
      moof(
        fullBox("tfhd", integer(1)), fullBox("tfdt", integer(7)),
        fullBox("trun", flags: 0xC04, integer(1), integer(0), integer(0x1_0000) + integer(0xFFFF_FFEC))),
      part(decode: 7, earliest: 0xFFFF_FFF3, duration: 512, count: 1, bytes: 0, sync: true)
    ),
    // A run without samples does not count; no tfdt.
    (
      moof(fullBox("tfhd", integer(1)), fullBox("trun", integer(0)), fullBox("trun", flags: 0x400, integer(1), integer(0x1_0000))),
      part(decode: nil, earliest: nil, duration: 512, count: 1, bytes: 0, sync: false)
    ),
    // An unknown track: no defaults.
    (
      moof(fullBox("tfhd", integer(3)), fullBox("tfdt", integer(5)), fullBox("trun", integer(4))),
      part(id: 3, decode: 5, earliest: 5, duration: nil, count: 4, bytes: nil, sync: nil)
    ),
    // As many samples as can be said, without a field for each.
    (
      moof(fullBox("tfhd", flags: 8, integer(1), integer(0x7FFF_FFFF)), fullBox("tfdt", integer(0)), fullBox("trun", integer(0xFFFF_FFFF))),
      part(decode: 0, earliest: 0, duration: 0x7FFF_FFFF * 0xFFFF_FFFF, count: 0xFFFF_FFFF, bytes: 0, sync: true)
    ),
    (
      moof(fullBox("tfhd", integer(1)), fullBox("tfdt", integer(5))),
      part(decode: 5, earliest: nil, duration: 0, count: 0, bytes: 0, sync: nil)
    ),
  ]

  @Test(arguments: cases) func fragmentIsSummedUp(bytes: [UInt8], part: TrackFragment) throws {
    #expect(try Fragment(bytes, movie: SampleMovie.header) == Fragment(sequenceNumber: 4, tracks: [part]))
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(throws: ParseError.self) { try Fragment(cut, movie: SampleMovie.header) }
    }
  }

  @Test func timesAreThoseOfTheTrack() throws {
    let fragment = try Fragment(SampleMovie.moof(1, decodeTicks: 12_800), movie: SampleMovie.header)
    #expect(fragment == SampleMovie.fragment(1, decodeTicks: 12_800))
    #expect(fragment.tracks[0].decodeTime == MediaTime(ticks: 90_000))
    #expect(fragment.earliestPresentationTime == MediaTime(ticks: 97_200))
    #expect(fragment.tracks[0].duration == MediaTime(ticks: 10_800))
    let alone = try Fragment(SampleMovie.moof(1, decodeTicks: 12_800), movie: nil)
    #expect(alone.earliestPresentationTime == nil)
    #expect(alone.tracks[0].decodeTicks == 12_800)
  }

  @Test func editListShiftsPresentation() throws {
    var movie = SampleMovie.header
    movie.tracks[0].presentationShift = -1_024
    let fragment = try Fragment(SampleMovie.moof(1, decodeTicks: 12_800), movie: movie)
    #expect(fragment.earliestPresentationTime == MediaTime(ticks: 90_000))
  }

  @Test(
    arguments: [
      (box("moof", []), ParseError(.invalid("moof without mfhd"), at: 0)),
      (box("moof", fullBox("mfhd", integer(1)), box("traf", [])), ParseError(.invalid("traf without tfhd"), at: 24)),
      (
        moof(fullBox("tfhd", integer(1)), fullBox("tfdt", version: 1, integer(1 << 63, 8))),
        ParseError(.invalid("decode time above 63 bits"), at: 60)
      ),
      (
        moof(
          fullBox("tfhd", integer(1)), fullBox("tfdt", version: 1, integer(UInt64(Int64.max), 8)),
          fullBox("trun", flags: 0x800, integer(1), integer(1))),
        ParseError(.invalid("times of a fragment above 63 bits"), at: 24)
      ),
      (
        moof(fullBox("tfhd", flags: 8, integer(1), integer(0xFFFF_FFFF)), fullBox("trun", integer(0xFFFF_FFFF))),
        ParseError(.invalid("times of a fragment above 63 bits"), at: 52)
      ),
      (
        moof(fullBox("tfhd", integer(1)), fullBox("trun", flags: 0x200, integer(0xFFFF_FFFF), integer(1))),
        ParseError(.truncated(needed: 4, available: 0), at: 68)
      ),
    ] as [([UInt8], ParseError)])
  func badFragmentIsRefused(bytes: [UInt8], error: ParseError) {
    #expect(throws: error) { try Fragment(bytes, movie: SampleMovie.header) }
  }

  @Test(arguments: [0, 1] as [UInt8]) func indexIsRead(version: UInt8) throws {
    let bytes = SampleMovie.sidx(51_200, version: version)
    #expect(try SegmentIndexBox(bytes).earliestPresentationTime == MediaTime(seconds: 4))
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(throws: ParseError.self) { try SegmentIndexBox(cut) }
    }
  }
}
