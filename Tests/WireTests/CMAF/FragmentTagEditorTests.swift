import Basics
@testable import CMAF
import NALUnits
import TestSupport
import Testing

/// Fragments that describe their samples in every way there is.
enum SampleFragment {
  static let h264 = NALUnitLayout(.h264, lengthSize: 4)

  /// Where the data offsets of a track count from.
  enum Base: CaseIterable {
    /// From the start of the `moof`.
    case fragment
    /// From a place in the file; here where the data starts.
    case file
    /// From the end of the data of the track before.
    case track
  }

  struct Run {
    var samples: [[UInt8]]
    var statesSizes = true
    var statesOffset = true
    /// Whether it states durations, composition offsets and the flags of its first sample.
    var statesTimes = true
  }

  struct Part {
    var track: UInt64
    var runs: [Run]
    var base = Base.fragment
    /// The size that holds for samples whose run does not state it.
    var defaultSize: Int?
    /// More boxes of the `traf`.
    var more: [UInt8] = []
  }

  /// A movie whose video has this layout, and this default size of samples.
  static func movie(_ layout: NALUnitLayout = h264, size: UInt32 = 0) -> MovieHeader {
    var movie = SampleMovie.header
    movie.tracks[0].sampleEntries[0].nalUnits = layout
    movie.tracks[0].defaults.size = size
    return movie
  }

  /// A video sample: a delimiter, SEI messages and a slice.
  static func sample(_ number: Int, _ messages: [[UInt8]] = [], _ layout: NALUnitLayout = h264, size: Int? = nil) -> [UInt8] {
    let (delimiter, slice): ([UInt8], [UInt8]) = layout.codec == .h264 ? ([9, 0xF0], [0x65, 0x88]) : ([70, 1, 0x50], [38, 1, 0xAF])
    let front = ([delimiter] + messages).flatMap { integer(UInt64($0.count), layout.lengthSize) + $0 }
    let length = size.map { $0 - front.count - layout.lengthSize } ?? 30 * number
    let rest = [UInt8](repeating: UInt8(number), count: length - slice.count)
    return front + integer(UInt64(length), layout.lengthSize) + slice + rest
  }

  /// `moof` and `mdat`.
  ///
  /// - Parameters:
  ///   - isInterleaved: Whether the first runs of all tracks lie in front of the second ones. Otherwise the tracks lie one after the other.
  ///   - start: Where the fragment is in its file.
  ///   - isLarge: Whether the size of the `mdat` has 64 bits.
  ///   - between: Boxes between the two.
  ///   - padding: How many zero bytes follow the samples.
  static func bytes(
    _ parts: [Part], isInterleaved: Bool = false, at start: Int = 0, isLarge: Bool = false, between: [UInt8] = [], padding: Int = 0
  ) -> [UInt8] {
    let runCount = parts.map { $0.runs.count }.max() ?? 0
    let order: [(part: Int, run: Int)] =
      isInterleaved
      ? (0..<runCount).flatMap { run in parts.indices.filter { run < parts[$0].runs.count }.map { ($0, run) } }
      : parts.indices.flatMap { part in parts[part].runs.indices.map { (part, $0) } }
    func moof(_ dataStart: Int) -> [UInt8] {
      var places = parts.map { [Range<Int>](repeating: 0..<0, count: $0.runs.count) }
      var position = dataStart
      for (part, run) in order {
        let end = position + parts[part].runs[run].samples.joined().count
        places[part][run] = position..<end
        position = end
      }
      var dataEnd = start
      let tracks = parts.indices.map { index in
        let base =
          switch parts[index].base {
          case .fragment: start
          case .file: dataStart
          case .track: dataEnd
          }
        dataEnd = places[index].last?.upperBound ?? base
        return traf(parts[index], base: base, places[index])
      }
      return box("moof", fullBox("mfhd", integer(7)), tracks.flatMap { $0 })
    }
    let data = order.flatMap { parts[$0.part].runs[$0.run].samples.flatMap { $0 } } + zeros(padding)
    let mdat = isLarge ? integer(1) + Array("mdat".utf8) + integer(UInt64(data.count + 16), 8) + data : box("mdat", data)
    return moof(start + moof(0).count + between.count + mdat.count - data.count) + between + mdat
  }

  private static func traf(_ part: Part, base: Int, _ places: [Range<Int>]) -> [UInt8] {
    let flags: UInt32 =
      switch part.base {
      case .fragment: 0x2_0000
      case .file: 0x1
      case .track: 0
      }
    let stated = part.base == .file ? integer(UInt64(base), 8) : []
    let size = part.defaultSize.map { integer(UInt64($0)) } ?? []
    let runs = zip(part.runs, places).flatMap { run, place -> [UInt8] in
      let fields: UInt32 = (run.statesOffset ? 0x1 : 0) | (run.statesTimes ? 0x904 : 0) | (run.statesSizes ? 0x200 : 0)
      let offset = run.statesOffset ? integer(UInt64(UInt32(bitPattern: Int32(place.lowerBound - base)))) : []
      let samples = run.samples.flatMap { sample -> [UInt8] in
        (run.statesTimes ? integer(512) : []) + (run.statesSizes ? integer(UInt64(sample.count)) : [])
          + (run.statesTimes ? integer(1_024) : [])
      }
      let firstFlags = run.statesTimes ? integer(0x0200_0000) : []
      return fullBox("trun", version: 1, flags: fields, integer(UInt64(run.samples.count)), offset, firstFlags, samples)
    }
    return box(
      "traf", fullBox("tfhd", flags: flags | (part.defaultSize == nil ? 0 : 0x10), integer(part.track), stated, size),
      fullBox("tfdt", version: 1, integer(12_800, 8)), part.more, runs)
  }
}

/// Without their tags, fragments are what they would be if none had been put in.
@Suite struct FragmentTagEditorTests {
  private typealias Part = SampleFragment.Part
  private typealias Run = SampleFragment.Run

  static let layouts = [SampleFragment.h264, NALUnitLayout(.h264, lengthSize: 1), NALUnitLayout(.hevc, lengthSize: 2)]
  private static let messages = [TagMessage(delay: 0, tag: [1, 2, 3, 4]), TagMessage(delay: -3, tag: [0, 0, 0, 0])]
  private static let start = 1_000

  private static func edit(
    _ bytes: [UInt8], at start: Int = start, of movie: MovieHeader = SampleFragment.movie(), keepsSize: Bool = false,
    _ edit: ([UInt8]) -> [UInt8]? = { _ in [] }
  ) throws(ParseError) -> [UInt8]? {
    let span = bytes.span
    return try FragmentTagEditor.editing(span, baseOffset: start, of: movie, keepsSize: keepsSize, edit)?.bytes
  }

  private static func free(_ count: Int) -> [UInt8] { box("free", zeros(count - 8)) }

  @Test(arguments: SampleFragment.Base.allCases, layouts) func samplesAreWhatTheyWere(base: SampleFragment.Base, layout: NALUnitLayout)
    throws
  {
    let movie = SampleFragment.movie(layout)
    func parts(_ units: [[UInt8]]) -> [Part] {
      let video = (1...5).map { SampleFragment.sample($0, $0 % 2 == 1 ? units : [], layout) }
      return [
        Part(track: 1, runs: [Run(samples: Array(video[..<3])), Run(samples: Array(video[3...]), statesTimes: false)], base: base),
        Part(track: 2, runs: [Run(samples: [[7, 7, 7], [8]]), Run(samples: [[9, 9]])], base: base),
      ]
    }
    let unit = TagMessage.unit(Self.messages, layout.codec)
    for (isInterleaved, isLarge, between) in [(false, false, []), (true, false, box("free", [1])), (true, true, [])] {
      func fragment(_ units: [[UInt8]]) -> [UInt8] {
        SampleFragment.bytes(parts(units), isInterleaved: isInterleaved, at: Self.start, isLarge: isLarge, between: between)
      }
      let (stamped, plain) = (fragment([unit]), fragment([]))
      #expect(try Self.edit(stamped, of: movie) == plain)
      #expect(try Self.edit(stamped, of: movie, keepsSize: true) == plain + Self.free(stamped.count - plain.count))
      #expect(try Self.edit(plain, of: movie) == nil)
      #expect(try Self.edit(stamped, of: movie) { _ in nil } == nil)
      // Two units are as good as one.
      let units = Self.messages.map { TagMessage.unit([$0], layout.codec) }
      #expect(try Self.edit(fragment(units), of: movie) == plain)
    }
  }

  /// The places of the samples that change are those in the whole input.
  @Test func changedSamples() throws {
    let unit = TagMessage.unit(Self.messages, .h264)
    let samples = [SampleFragment.sample(1), SampleFragment.sample(2, [unit]), SampleFragment.sample(3, [unit])]
    let bytes = SampleFragment.bytes([Part(track: 1, runs: [Run(samples: samples)])], at: Self.start)
    let span = bytes.span
    let edited = try FragmentTagEditor.editing(span, baseOffset: Self.start, of: SampleFragment.movie(), keepsSize: false) { _ in [] }
    let end = Self.start + bytes.count
    #expect(edited?.samples == [end - samples[2].count - samples[1].count, end - samples[2].count])
  }

  /// Runs that follow one another, and a track whose data follows that of another one, state no places.
  @Test func runsWithoutPlaces() throws {
    func fragment(_ units: [[UInt8]]) -> [UInt8] {
      let video = (1...4).map { SampleFragment.sample($0, units) }
      return SampleFragment.bytes(
        [
          Part(track: 1, runs: [Run(samples: Array(video[..<2])), Run(samples: Array(video[2...]), statesOffset: false)]),
          Part(track: 2, runs: [Run(samples: [[7], [8]], statesOffset: false, statesTimes: false)], base: .track),
        ], at: Self.start)
    }
    #expect(try Self.edit(fragment([TagMessage.unit(Self.messages, .h264)])) == fragment([]))
  }

  /// Samples that have had one size state their sizes then, but not those of runs in which nothing has changed.
  @Test(arguments: [false, true], [false, true]) func defaultSizes(isOfMovie: Bool, statesTimes: Bool) throws {
    let unit = TagMessage.unit(Self.messages, .h264)
    let size = 200
    func fragment(_ units: [[UInt8]], statesSizes: Bool) -> [UInt8] {
      let removed = units.isEmpty ? unit.count + 4 : 0
      let first = (1...3).map { SampleFragment.sample($0, units, size: size - removed) }
      let second = (4...5).map { SampleFragment.sample($0, size: size) }
      let runs = [
        Run(samples: first, statesSizes: statesSizes, statesTimes: statesTimes),
        Run(samples: second, statesSizes: false, statesTimes: statesTimes),
      ]
      return SampleFragment.bytes([Part(track: 1, runs: runs, defaultSize: isOfMovie ? nil : size)], at: Self.start)
    }
    let movie = SampleFragment.movie(size: isOfMovie ? UInt32(size) : 0)
    let (stamped, plain) = (fragment([unit], statesSizes: false), fragment([], statesSizes: true))
    #expect(try Self.edit(stamped, of: movie) == plain)
    #expect(try Self.edit(stamped, of: movie, keepsSize: true) == plain + Self.free(stamped.count - plain.count))
    // A reader finds the samples where they are.
    let span = plain.span
    let moof = span.extracting(first: Int(plain[2]) << 8 | Int(plain[3]))
    let samples = try #require(try FragmentSamples(moof, baseOffset: 0, of: movie.tracks[0]))
    #expect(samples.samples.map { $0.place.count } == [Int](repeating: size - unit.count - 4, count: 3) + [size, size])
  }

  @Test func messagesOfOthersStay() throws {
    let foreign: [UInt8] = [5, 17] + [UInt8](repeating: 9, count: 17)
    let (first, second) = (Self.messages[0], TagMessage(delay: 5, tag: [7]))
    func unit(_ messages: [TagMessage]) -> [UInt8] { [6] + foreign + TagMessage.unit(messages, .h264).dropFirst() }
    func fragment(_ messages: [TagMessage]) -> [UInt8] {
      let video = (1...2).map { SampleFragment.sample($0, [unit(messages)]) }
      return SampleFragment.bytes([Part(track: 1, runs: [Run(samples: video)])], at: Self.start)
    }
    let stamped = fragment([first, second])
    #expect(try Self.edit(stamped) == fragment([]))
    #expect(try Self.edit(stamped) { $0 == first.tag ? [] : nil } == fragment([second]))
    #expect(try Self.edit(stamped) { $0 == first.tag ? [9] : nil } == fragment([TagMessage(delay: 0, tag: [9]), second]))
    let longer = [UInt8](repeating: 9, count: 600)
    #expect(try Self.edit(stamped) { $0 == first.tag ? longer : nil } == fragment([TagMessage(delay: 0, tag: longer), second]))
    #expect(throws: ParseError.self) { try Self.edit(stamped, keepsSize: true) { $0 == first.tag ? longer : nil } }
    // A length of one byte holds no such unit.
    let short = NALUnitLayout(.h264, lengthSize: 1)
    let small = SampleFragment.bytes([Part(track: 1, runs: [Run(samples: [SampleFragment.sample(1, [unit([first])], short)])])])
    #expect(throws: ParseError.self) { try Self.edit(small, at: 0, of: SampleFragment.movie(short)) { _ in longer } }
  }

  /// What describes the bytes of samples in another way would no longer be right.
  @Test(arguments: ["senc", "saiz", "saio", "subs"]) func otherDescriptionsOfBytes(type: String) throws {
    let unit = TagMessage.unit(Self.messages, .h264)
    func fragment(_ units: [[UInt8]], track: UInt64) -> [UInt8] {
      SampleFragment.bytes([
        Part(track: 1, runs: [Run(samples: [SampleFragment.sample(1, units)])], more: track == 1 ? fullBox(type, integer(0)) : []),
        Part(track: 2, runs: [Run(samples: [[7]])], more: track == 2 ? fullBox(type, integer(0)) : []),
      ])
    }
    for track: UInt64 in [1, 2] {
      let bytes = fragment([unit], track: track)
      let name = Array(type.utf8)
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) }) - 4
      let error = try #require(throws: ParseError.self) { try Self.edit(bytes, at: 0) }
      #expect(error.offset == place && "\(error)".contains(type))
      #expect(try Self.edit(fragment([], track: track), at: 0) == nil)
    }
  }

  @Test func cutAtEveryLength() {
    let unit = TagMessage.unit(Self.messages, .h264)
    let video = (1...3).map { SampleFragment.sample($0, [unit]) }
    let parts = [Part(track: 1, runs: [Run(samples: video)]), Part(track: 2, runs: [Run(samples: [[7]])])]
    for isLarge in [false, true] {
      let bytes = SampleFragment.bytes(parts, at: Self.start, isLarge: isLarge)
      for count in 0..<bytes.count {
        #expect((try? Self.edit(Array(bytes[..<count]))) == nil)
        #expect((try? Self.edit(Array(bytes[..<count]), keepsSize: true)) == nil)
      }
    }
  }

  /// Samples that lie nowhere, share bytes, or come in too great a number.
  @Test func hostileRuns() throws {
    let unit = TagMessage.unit(Self.messages, .h264)
    let sample = SampleFragment.sample(1, [unit])
    let data = box("mdat", sample + sample)
    func moof(_ runs: [(offset: UInt64, count: UInt64, size: UInt64)], base: UInt64? = nil, other: [UInt8] = []) -> [UInt8] {
      let video = runs.flatMap { run in
        box(
          "traf", fullBox("tfhd", flags: base == nil ? 0x2_0010 : 0x11, integer(1), base.map { integer($0, 8) } ?? [], integer(run.size)),
          fullBox("tfdt", version: 1, integer(0, 8)), fullBox("trun", flags: 1, integer(run.count), integer(run.offset)))
      }
      return box("moof", fullBox("mfhd", integer(1)), video, other)
    }
    let size = UInt64(sample.count)
    let start = UInt64(moof([(0, 1, size)]).count + 8)
    // The first one is as it should be, and the second sample stays where it is not described.
    let whole = moof([(start, 1, size)]) + data
    let edited = try #require(try Self.edit(whole, at: 0))
    #expect(edited.suffix(sample.count) == sample[...])
    for (offset, count, size) in [
      (0xFFFF_FF00, 3, 10), (0x7FFF_FFFF, 3, 0xFFFF_FFFF), (start, 0xFFFF_FFFF, 0), (start, 0xFFFF_FFFF, 1), (0, 1, size),
      (start - 8, 1, size + 8),
      (start, 1, size + 1), (start, 3, size), (start + 4, 1, 5),
    ] as [(UInt64, UInt64, UInt64)] {
      for bytes in [moof([(offset, count, size)]) + data, moof([(offset, count, size)], base: .max) + data] {
        for keepsSize in [false, true] { _ = try? Self.edit(bytes, at: 0, keepsSize: keepsSize) }
      }
    }
    // Another track describes a sample that ends within the messages.
    func other(_ count: UInt64) -> [UInt8] {
      box("traf", fullBox("tfhd", flags: 0x2_0010, integer(2), integer(count)), fullBox("trun", flags: 1, integer(1), integer(startOfBoth)))
    }
    let startOfBoth = start + UInt64(box("traf", fullBox("tfhd", integer(2), integer(0)), fullBox("trun", integer(1), integer(0))).count)
    #expect(throws: ParseError.self) { try Self.edit(moof([(startOfBoth, 1, size)], other: other(20)) + data, at: 0) }
    // The whole sample becomes smaller for both of them.
    let shared = try #require(try Self.edit(moof([(startOfBoth, 1, size)], other: other(size)) + data, at: 0))
    let plain = SampleFragment.sample(1)
    #expect(Self.statedSizes(shared) == [plain.count, plain.count])
    // Runs that overlap, each of a quarter of the samples that a track may have.
    let many = FragmentSamples.mostSamples / 4
    let large = box("mdat", sample + zeros(sample.count * (many - 1)))
    func overlapping(_ runCount: Int) -> [UInt8] {
      func runs(_ place: UInt64) -> [UInt8] {
        let run = fullBox("trun", flags: 1, integer(UInt64(many)), integer(place))
        return box("traf", fullBox("tfhd", flags: 0x2_0010, integer(2), integer(size)), (0..<runCount).flatMap { _ in run })
      }
      let place = UInt64(moof([(0, 1, size)], other: runs(0)).count + 8)
      return moof([(place, 1, size)], other: runs(place)) + large
    }
    #expect(try Self.edit(overlapping(4), at: 0) != nil)
    let tooMany = #expect(throws: ParseError.self) { try Self.edit(overlapping(5), at: 0) }
    #expect(tooMany?.reason == .aboveLimit(what: "number of samples", limit: FragmentSamples.mostSamples))
  }

  /// The sizes that runs of one sample each state.
  private static func statedSizes(_ fragment: [UInt8]) -> [Int] {
    let name = Array("trun".utf8)
    return fragment.indices.filter { fragment[$0...].starts(with: name) }.map { place in
      // The name, the flags, the number of samples and the data offset lie in front.
      fragment[place + 16..<place + 20].reduce(0) { $0 << 8 | Int($1) }
    }
  }
}

/// Other bytes in a fragment.
@Suite struct FragmentRewriterTests {
  private static let samples: [[UInt8]] = [[1, 2, 3, 4, 5], [6]]

  private static func fragment(_ samples: [[UInt8]], base: SampleFragment.Base = .fragment, padding: Int = 0) -> [UInt8] {
    SampleFragment.bytes([.init(track: 1, runs: [.init(samples: samples)], base: base)], padding: padding)
  }

  /// The same fragment with an `mdat` that extends to the end.
  private static func endless(_ fragment: [UInt8]) -> [UInt8] {
    let size = Int(fragment[2]) << 8 | Int(fragment[3])
    return fragment[..<size] + [0, 0, 0, 0] + fragment[(size + 4)...]
  }

  /// The bytes after changes whose ranges count from the first byte of the samples on.
  private static func rewrite(_ bytes: [UInt8], data: Int = 6, _ changes: [(Range<Int>, [UInt8])], keepsSize: Bool = false)
    throws(ParseError) -> [UInt8]
  {
    let start = bytes.count - data
    let changes = changes.map { ByteChange(start + $0.0.lowerBound..<start + $0.0.upperBound, to: $0.1) }
    let span = bytes.span
    return try FragmentRewriter.rewriting(span, of: SampleFragment.movie(), with: changes, keepsSize: keepsSize)
  }

  @Test func shorterAndLonger() throws {
    let bytes = Self.fragment(Self.samples)
    #expect(try Self.rewrite(bytes, []) == bytes)
    #expect(try Self.rewrite(bytes, [(0..<1, [9])]) == Self.fragment([[9, 2, 3, 4, 5], [6]]))
    #expect(try Self.rewrite(bytes, [(5..<6, [6, 7, 8]), (1..<4, [])]) == Self.fragment([[1, 5], [6, 7, 8]]))
    #expect(try Self.rewrite(bytes, [(0..<1, [9, 9, 9, 9])]) == Self.fragment([[9, 9, 9, 9, 2, 3, 4, 5], [6]]))
    #expect(throws: ParseError.self) { try Self.rewrite(bytes, [(0..<1, [9, 9])], keepsSize: true) }
  }

  /// Less room than a box needs becomes a part of the `mdat`.
  @Test func littleRoom() throws {
    let bytes = Self.fragment(Self.samples)
    #expect(try Self.rewrite(bytes, [(0..<1, [9])], keepsSize: true) == Self.fragment([[9, 2, 3, 4, 5], [6]]))
    #expect(try Self.rewrite(bytes, [(1..<4, [])], keepsSize: true) == Self.fragment([[1, 5], [6]], padding: 3))
    let larger = Self.fragment([zeros(20), [6]])
    for count in 1...20 {
      let edited = try Self.rewrite(larger, data: 21, [(0..<count, [])], keepsSize: true)
      let rest = count < 8 ? [] : box("free", zeros(count - 8))
      #expect(edited == Self.fragment([zeros(20 - count), [6]], padding: count < 8 ? count : 0) + rest)
    }
  }

  @Test func dataToTheEnd() throws {
    let bytes = Self.endless(Self.fragment(Self.samples))
    #expect(try Self.rewrite(bytes, [(1..<4, [])]) == Self.endless(Self.fragment([[1, 5], [6]])))
    #expect(try Self.rewrite(bytes, [(1..<4, [])], keepsSize: true) == Self.endless(Self.fragment([[1, 5], [6]], padding: 3)))
    let larger = Self.endless(Self.fragment([zeros(20), [6]]))
    #expect(try Self.rewrite(larger, data: 21, [(0..<20, [])], keepsSize: true) == Self.endless(Self.fragment([[], [6]], padding: 20)))
  }

  @Test(
    arguments: [
      // The same bytes twice, nothing, bytes of two samples, and bytes outside of the data.
      [(0..<2, [0]), (1..<3, [0])], [(1..<1, [0])], [(4..<6, [])], [(-9..<(-8), [0])], [(-20..<(-16), [0])], [(5..<7, [])],
    ] as [[(Range<Int>, [UInt8])]])
  func whatIsNoChange(changes: [(Range<Int>, [UInt8])]) {
    #expect(throws: ParseError.self) { try Self.rewrite(Self.fragment(Self.samples), changes) }
  }

  @Test func whatIsNoFragment() {
    let bytes = Self.fragment(Self.samples)
    for other in [[], box("mdat", [1]), bytes + box("free"), Array(bytes.dropLast(14))] {
      let span = other.span
      #expect(throws: ParseError.self) { try FragmentRewriter.rewriting(span, of: nil, with: [], keepsSize: false) }
    }
  }

  @Test func placesInTheFile() {
    for base in SampleFragment.Base.allCases {
      let bytes = Self.fragment(Self.samples, base: base)
      let moof = Array(bytes.dropLast(14))
      #expect(FragmentRewriter.statesPlaces(moof.span) == (base == .file))
      for count in 0..<moof.count { _ = FragmentRewriter.statesPlaces(moof.span.extracting(..<count)) }
    }
  }
}
