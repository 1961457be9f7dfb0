import Basics
@testable import CMAF
import NALUnits
import TestSupport
import Testing

/// Tags in the samples of fragmented MP4.
@Suite struct FragmentTagTests {
  static let tags = (1...4).map { number in [UInt8](repeating: 0, count: 3) + [UInt8(number)] }

  /// Three samples, decoded from `decodeTicks` on and presented in the order 1, 3, 2: a delimiter and a slice each.
  static func samples(isFirst: Bool = true) -> [[UInt8]] {
    (1...3).map { number in
      integer(2) + [9, 0xF0] + integer(UInt64(60 * number)) + [0x65, isFirst ? 0x88 : 0x08]
        + [UInt8](repeating: UInt8(number), count: 60 * number - 2)
    }
  }

  /// A fragment of these samples. Their run states what `fields` say, and the rest are defaults of the fragment.
  static func fragment(_ samples: [[UInt8]], decodeTicks: UInt64 = 12_800, trailing: [UInt8] = []) -> [UInt8] {
    let shifts: [UInt64] = [1_024, 1_536, 512]
    func moof(_ offset: Int) -> [UInt8] {
      box(
        "moof", fullBox("mfhd", integer(7)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0000, integer(1)), fullBox("tfdt", version: 1, integer(decodeTicks, 8)),
          fullBox(
            "trun", flags: 0xA05, integer(UInt64(samples.count)), integer(UInt64(offset)), integer(0x0200_0000),
            zip(samples, shifts).flatMap { integer(UInt64($0.count)) + integer($1) })))
    }
    return moof(moof(0).count + 8) + box("mdat", samples.flatMap { $0 }) + trailing
  }

  /// The tags that a reader finds, with their times.
  static func read(_ bytes: [UInt8], chunk: Int? = nil, skips: Bool = false) -> [(time: Int64, tag: [UInt8])] {
    let items = readFragments(bytes, chunk: chunk, skips: skips, movie: SampleMovie.header, samples: .untilEventMessages)
    return items.flatMap { item in
      guard case .tags(let tags, let time, _) = item else { return [(time: Int64, tag: [UInt8])]() }
      return tags.map { (time.ticks + Int64($0.delay), $0.tag) }
    }
  }

  static let writer = FragmentTagWriter(MovieHeader(tracks: [SampleMovie.header.tracks[0]]))

  /// Presented at 97,200, 104,400 and 100,800 ticks of 90 kHz: each tag is in front of the first, in decoding order, that is not before it.
  @Test func placesAndTimes() throws {
    let writer = try #require(Self.writer)
    let times: [Int64] = [90_000, 97_201, 104_400, 200_000]
    let given = zip(times, Self.tags).map { FragmentTagWriter.Tag(time: MediaTime(ticks: $0), bytes: $1) }
    let original = Self.samples()
    let (bytes, inserted) = try writer.inserting(given, into: Self.fragment(original, trailing: box("free", [1])).span)
    #expect(inserted == 4)
    let found = Self.read(bytes)
    #expect(found.map { $0.time } == times && found.map { $0.tag } == Self.tags)
    // The samples without what is in front of their slices.
    let samples = try #require(
      try FragmentSamples(Array(bytes[..<Self.moofSize(bytes)]).span, baseOffset: 0, of: SampleMovie.header.tracks[0]))
    #expect(samples.samples.map { $0.presentationTime.ticks } == [97_200, 104_400, 100_800])
    let messages = [[0], [1, 2], [3]].map { numbers in
      numbers.map { TagMessage(delay: Int32(times[$0] - [97_200, 104_400, 104_400, 100_800][$0]), tag: Self.tags[$0]) }
    }
    for (index, sample) in samples.samples.enumerated() {
      let unit = TagMessage.unit(messages[index], .h264)
      #expect(
        Array(bytes[sample.place]) == Array(original[index][..<6]) + integer(UInt64(unit.count)) + unit + Array(original[index][6...]))
    }
    #expect(Array(bytes.suffix(9)) == box("free", [1]))
    // What the fragment says of its samples is what it said.
    let fragment = try Fragment(Array(bytes[..<Self.moofSize(bytes)]).span, movie: SampleMovie.header)
    #expect(fragment.sequenceNumber == 7)
    #expect(fragment.tracks.first?.durationTicks == 1_536 && fragment.tracks.first?.startsWithSyncSample == true)
    #expect(fragment.tracks.first?.earliestPresentationTicks == 13_824)
  }

  private static func moofSize(_ bytes: [UInt8]) -> Int { bytes[..<4].reduce(0) { $0 << 8 | Int($1) } }

  @Test(arguments: [nil, 1, 2, 3, 7, 64, 257] as [Int?], [false, true]) func inPieces(chunk: Int?, skips: Bool) throws {
    let given = Self.tags.map { FragmentTagWriter.Tag(time: MediaTime(ticks: 97_200), bytes: $0) }
    let bytes = try #require(Self.writer).inserting(given, into: Self.fragment(Self.samples()).span).bytes
    let found = Self.read(SampleMovie.styp + bytes + bytes, chunk: chunk, skips: skips)
    #expect(found.map { $0.tag } == Self.tags + Self.tags)
  }

  @Test func cutAtEveryLength() throws {
    let given = Self.tags.enumerated().map { FragmentTagWriter.Tag(time: MediaTime(ticks: 97_200 + 3_600 * Int64($0)), bytes: $1) }
    let writer = try #require(Self.writer)
    let bytes = try writer.inserting(given, into: Self.fragment(Self.samples()).span).bytes
    let whole = Self.read(bytes).map { $0.tag }
    for count in 0..<bytes.count {
      #expect(whole.starts(with: Self.read(Array(bytes[..<count])).map { $0.tag }))
      #expect(throws: ParseError.self) { try writer.inserting(given, into: Array(bytes[..<count]).span) }
    }
  }

  /// Event messages say the same: from the first one on samples are not looked at, and can be skipped.
  @Test func eventMessagesComeFirst() throws {
    let given = [FragmentTagWriter.Tag(time: MediaTime(ticks: 97_200), bytes: Self.tags[0])]
    let bytes = try #require(Self.writer).inserting(given, into: Self.fragment(Self.samples()).span).bytes
    let message = try SampleMovie.message(.absolute(1), id: 1).encoded()
    #expect(Self.read(message + bytes).isEmpty)
    #expect(Self.read(bytes + message + bytes).count == 1)
    #expect(Self.read(bytes + bytes).count == 2)
  }

  @Test func whatTakesNone() throws {
    let writer = try #require(Self.writer)
    let given = [FragmentTagWriter.Tag(time: .zero, bytes: Self.tags[0])]
    // Slices in the middle of a picture: the fragment stays what it was, but for its run.
    let (bytes, inserted) = try writer.inserting(given, into: Self.fragment(Self.samples(isFirst: false)).span)
    #expect(inserted == 0 && Self.read(bytes).isEmpty)
    // The first picture cannot take it, and the second does.
    let mixed = [Self.samples(isFirst: false)[0]] + Self.samples()[1...]
    #expect(Self.read(try writer.inserting(given, into: Self.fragment(mixed).span).bytes).map { $0.time } == [0])
    // Audio, and several tracks.
    #expect(FragmentTagWriter(MovieHeader(tracks: [SampleMovie.header.tracks[1]])) == nil)
    #expect(FragmentTagWriter(SampleMovie.header) == nil)
  }

  /// Samples that lie nowhere, in no order, or in too great a number.
  @Test func hostileRuns() {
    func moof(_ offset: UInt64, _ samples: UInt64, size: UInt64) -> [UInt8] {
      box(
        "moof", fullBox("mfhd", integer(1)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0010, integer(1), integer(size)), fullBox("tfdt", version: 1, integer(0, 8)),
          fullBox("trun", flags: 1, integer(samples), integer(offset))))
    }
    let data = box("mdat", [UInt8](repeating: 0, count: 300))
    for (offset, samples, size) in [(0xFFFF_FF00, 3, 10), (0x7FFF_FFFF, 3, 0xFFFF_FFFF), (100, 0xFFFF_FFFF, 0), (108, 0xFFFF_FFFF, 1)]
      as [(
        UInt64, UInt64, UInt64
      )]
    {
      #expect(Self.read(moof(offset, samples, size: size) + data, chunk: 50).isEmpty)
      let fragment = moof(offset, samples, size: size) + data
      if let writer = Self.writer { #expect(throws: ParseError.self) { try writer.inserting([], into: fragment.span) } }
    }
  }
}
