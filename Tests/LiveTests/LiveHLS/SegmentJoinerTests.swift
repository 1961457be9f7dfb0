import Basics
import Testing

@testable import LiveHLS
@testable import PacketStamping

/// The segments of several renditions become one.
@Suite struct SegmentJoinerTests {
  private static let start = ContinuousClock.now
  private static let limit = Duration.seconds(2)

  private static func segment(
    _ seconds: Double, lasting duration: Double = 2, _ name: UInt8 = 0, isIndependent: Bool = true
  ) -> LiveSegment {
    LiveSegment(
      bytes: [name], start: MediaTime(seconds: seconds), duration: MediaTime(seconds: duration), boundary: .randomAccess,
      isIndependent: isIndependent, guids: [], targetDuration: 2)
  }

  /// A joiner of two renditions that has got the first input's segments at 0 s and 2 s.
  private static func joiner() -> SegmentJoiner {
    var joiner = SegmentJoiner(count: 2)
    joiner.add(segment(0), wallClock: 7, at: start)
    joiner.add(segment(2), wallClock: 2_007, at: start + .seconds(2))
    return joiner
  }

  private static func names(_ joined: [SegmentJoiner.Joined]) -> [[UInt8?]] { joined.map { $0.segment.variants.map { $0?.bytes.first } } }

  /// A segment comes once all parts are there, in any order of the renditions.
  @Test func allParts() {
    var joiner = Self.joiner()
    #expect(joiner.segments(at: Self.start, limit: Self.limit) == [] && !joiner.isEmpty)
    joiner.add(Self.segment(0, 1), of: 1)
    joiner.add(Self.segment(2, 2), of: 1)
    #expect(joiner.segments(at: Self.start, limit: Self.limit) == [])
    joiner.add(Self.segment(0.01, 3), of: 0)
    let first = joiner.segments(at: Self.start, limit: Self.limit)
    #expect(Self.names(first) == [[3, 1]] && first[0].wallClock == 7 && first[0].mismatches.isEmpty)
    #expect(first[0].segment.start == .zero && first[0].segment.bytes == [0])
    joiner.add(Self.segment(2, 4), of: 0)
    #expect(Self.names(joiner.segments(at: Self.start, limit: Self.limit)) == [[4, 2]] && joiner.isEmpty)
  }

  /// Who is late has a gap, and its part is dropped when it comes.
  @Test func late() {
    var joiner = Self.joiner()
    joiner.add(Self.segment(0, 1), of: 0)
    #expect(joiner.deadline(limit: Self.limit) == Self.start + .seconds(2))
    #expect(Self.names(joiner.segments(at: Self.start + .seconds(2), limit: Self.limit)) == [[1, nil]])
    #expect(joiner.deadline(limit: Self.limit) == Self.start + .seconds(4))
    joiner.add(Self.segment(0, 2), of: 1)
    joiner.add(Self.segment(2, 3), of: 1)
    joiner.add(Self.segment(2, 4), of: 0)
    let joined = joiner.segments(at: Self.start + .seconds(2), limit: Self.limit)
    #expect(Self.names(joined) == [[4, 3]] && joined[0].mismatches.isEmpty)
  }

  /// A rendition that is far ahead of another one loses nothing.
  @Test func farAhead() {
    var joiner = SegmentJoiner(count: 2)
    for number in 0..<100 {
      joiner.add(Self.segment(Double(2 * number), UInt8(number)), of: 0)
      if number.isMultiple(of: 2) { joiner.add(Self.segment(Double(number)), wallClock: 0, at: Self.start) }
    }
    #expect(joiner.segments(at: Self.start, limit: Self.limit) == [])
    for number in 0..<50 { joiner.add(Self.segment(Double(2 * number), UInt8(number)), of: 1) }
    #expect(Self.names(joiner.segments(at: Self.start, limit: Self.limit)) == (0..<50).map { [UInt8($0), UInt8($0)] })
  }

  /// What waits for the first input is bounded: the oldest goes first.
  @Test func tooFarAhead() {
    var joiner = SegmentJoiner(count: 1)
    for number in 0..<300 { joiner.add(Self.segment(Double(2 * number)), of: 0) }
    for number in [43, 44] { joiner.add(Self.segment(Double(2 * number)), wallClock: 0, at: Self.start) }
    #expect(Self.names(joiner.segments(at: Self.start, limit: Self.limit)) == [[nil], [0]])
    var large = Self.segment(700)
    large.bytes = [UInt8](repeating: 7, count: 40 << 20)
    joiner.add(large, of: 0)
    large = Self.segment(702)
    large.bytes = [UInt8](repeating: 8, count: 40 << 20)
    joiner.add(large, of: 0)
    for seconds in [598.0, 700, 702] { joiner.add(Self.segment(seconds), wallClock: 0, at: Self.start) }
    #expect(Self.names(joiner.segments(at: Self.start, limit: Self.limit)) == [[nil], [nil], [8]])
  }

  /// What says how a rendition is coded is not lost with a part that cannot be used.
  @Test func theCoding() {
    var joiner = SegmentJoiner(count: 1)
    let program = LiveProgram(initialization: [1], mainCodecs: "avc1.64001f")
    var part = Self.segment(0, lasting: 1)
    part.program = program
    joiner.add(Self.segment(0), wallClock: 0, at: Self.start)
    joiner.add(Self.segment(2), wallClock: 0, at: Self.start)
    joiner.add(Self.segment(4), wallClock: 0, at: Self.start)
    joiner.add(part, of: 0)
    for seconds in [2.0, 4] { joiner.add(Self.segment(seconds), of: 0) }
    let joined = joiner.segments(at: Self.start, limit: Self.limit)
    #expect(joined.map { $0.segment.variants[0]?.program } == [nil, program, nil])
  }

  /// A part that comes later says that none is to come for the segment before.
  @Test func nothingForASegment() {
    var joiner = Self.joiner()
    for rendition in 0..<2 { joiner.add(Self.segment(2, 1), of: rendition) }
    let joined = joiner.segments(at: Self.start, limit: Self.limit)
    #expect(Self.names(joined) == [[nil, nil], [1, 1]] && joined.allSatisfy(\.mismatches.isEmpty))
  }

  /// What starts elsewhere, cannot be decoded, or is incomplete is a gap.
  @Test(arguments: [
    (segment(0.5, lasting: 1.5), "it has no key frame at 0 s, where a segment of the first input starts"),
    (segment(0, isIndependent: false), "it has no key frame at 0 s, where a segment of the first input starts"),
    (segment(0, lasting: 1.4), "1.4 s of it have come of the 2 s from 0 s on"),
  ])
  func mismatches(part: LiveSegment, message: String) {
    var joiner = Self.joiner()
    joiner.add(part, of: 0)
    joiner.add(Self.segment(0, 1), of: 1)
    let joined = joiner.segments(at: Self.start, limit: Self.limit)
    #expect(Self.names(joined) == [[nil, 1]] && joined[0].mismatches.mapValues { "\($0)" } == [0: message])
  }

  /// A segment that was split cannot be decoded in any rendition.
  @Test func aSplit() {
    var joiner = SegmentJoiner(count: 1)
    joiner.add(Self.segment(0, isIndependent: false), wallClock: 0, at: Self.start)
    joiner.add(Self.segment(0, 1, isIndependent: false), of: 0)
    #expect(Self.names(joiner.segments(at: Self.start, limit: Self.limit)) == [[1]])
  }

  // MARK: Parts of segments

  private static func part(_ number: Int, of start: Double, _ name: UInt8 = 0) -> LivePart {
    LivePart(
      bytes: [name], number: number, segmentStart: MediaTime(seconds: start), boundary: .randomAccess, duration: MediaTime(seconds: 0.5),
      isIndependent: number == 0, target: MediaTime(seconds: 0.5))
  }

  /// What goes out, in words.
  private static func released(_ joiner: inout SegmentJoiner, after seconds: Double = 0) -> [String] {
    joiner.take(at: start + .seconds(seconds), limit: limit).map { released in
      switch released {
      case .segment(let joined):
        let variants = joined.segment.variants.map { $0.map { part in "with parts \(part.parts.map(\.number))" } ?? "none" }
        return "segment \(joined.segment.start.shortestDecimalSeconds): \(variants.joined(separator: ", "))"
      case .part(let part, let wallClock): return "\(part.segmentStart.shortestDecimalSeconds).\(part.number) at \(wallClock)"
      case .variantPart(let part, let rendition): return "\(part.segmentStart.shortestDecimalSeconds).\(part.number) of \(rendition)"
      }
    }
  }

  /// Parts go out as they come, those of another rendition once the first input has begun the segment.
  @Test func partsAsTheyCome() {
    var joiner = SegmentJoiner(count: 2)
    joiner.add(Self.part(0, of: 0.01), of: 1)
    #expect(Self.released(&joiner) == [])
    joiner.add(Self.part(0, of: 0), wallClock: 7)
    #expect(Self.released(&joiner) == ["0.0 at 7", "0.01.0 of 1"])
    joiner.add(Self.part(1, of: 0), of: 0)
    joiner.add(Self.part(1, of: 0), wallClock: 7)
    #expect(Self.released(&joiner) == ["0.1 at 7", "0.1 of 0"])
    #expect(Self.released(&joiner) == [] && joiner.isEmpty)
  }

  /// Those of the next segment wait until the one before is there in all renditions.
  @Test func partsBehindASegmentThatWaits() {
    var joiner = SegmentJoiner(count: 1)
    joiner.add(Self.part(0, of: 0), wallClock: 7)
    joiner.add(Self.segment(0), wallClock: 7, at: Self.start)
    joiner.add(Self.part(0, of: 2), wallClock: 2_007)
    joiner.add(Self.part(0, of: 0), of: 0)
    #expect(Self.released(&joiner) == ["0.0 at 7", "0.0 of 0"])
    var last = Self.segment(0, 1)
    last.parts = [Self.part(1, of: 0)]
    joiner.add(last, of: 0)
    joiner.add(Self.part(0, of: 2), of: 0)
    #expect(Self.released(&joiner) == ["segment 0: with parts [1]", "2.0 at 2007", "2.0 of 0"])
  }

  /// Where the parts of the first input come with its segment, those of other renditions do.
  @Test func partsWithTheSegment() {
    var joiner = SegmentJoiner(count: 1)
    joiner.add(Self.part(0, of: 0), of: 0)
    joiner.add(Self.segment(0), wallClock: 7, at: Self.start)
    var last = Self.segment(0, 1)
    last.parts = [Self.part(1, of: 0)]
    joiner.add(last, of: 0)
    #expect(Self.released(&joiner) == ["segment 0: with parts [0, 1]"])
  }

  /// A rendition that has failed is waited for once, and again when its parts come in time: players of the others stay near the live edge.
  @Test func nobodyWaitsTwice() {
    var joiner = SegmentJoiner(count: 1, hasParts: true)
    joiner.add(Self.segment(0), wallClock: 0, at: Self.start)
    joiner.add(Self.part(0, of: 2), wallClock: 2_000)
    #expect(Self.released(&joiner, after: 1) == [])
    let late = joiner.take(at: Self.start + .seconds(2), limit: Self.limit)
    guard case .segment(let joined) = late.first else {
      Issue.record("the segment has waited long enough")
      return
    }
    #expect(joined.segment.variants == [nil] && late.count == 2)
    // It is four parts behind, and what it has of the segment would be too late: none of it is listed.
    joiner.add(Self.part(4, of: 2), wallClock: 2_000)
    #expect(Self.released(&joiner, after: 2) == ["2.4 at 2000"])
    joiner.add(Self.part(0, of: 2), of: 0)
    joiner.add(Self.segment(2), wallClock: 0, at: Self.start + .seconds(2))
    #expect(Self.released(&joiner, after: 2) == ["segment 2: none"])
    // It is back, three parts behind.
    joiner.add(Self.segment(2), of: 0)
    joiner.add(Self.part(3, of: 4), wallClock: 4_000)
    #expect(Self.released(&joiner, after: 4) == ["4.3 at 4000"])
    joiner.add(Self.part(0, of: 4), of: 0)
    joiner.add(Self.segment(4), wallClock: 0, at: Self.start + .seconds(4))
    #expect(Self.released(&joiner, after: 4) == ["4.0 of 0"])
    joiner.add(Self.segment(4), of: 0)
    #expect(Self.released(&joiner, after: 4) == ["segment 4: with parts []"])
  }

  /// Without parts each segment waits: players are further behind.
  @Test func withoutPartsEachWaits() {
    var joiner = SegmentJoiner(count: 1)
    joiner.add(Self.segment(0), wallClock: 0, at: Self.start)
    joiner.add(Self.segment(2), wallClock: 0, at: Self.start + .seconds(2))
    #expect(Self.released(&joiner, after: 2) == ["segment 0: none"])
    #expect(Self.released(&joiner, after: 3) == [])
    joiner.add(Self.segment(2), of: 0)
    #expect(Self.released(&joiner, after: 3) == ["segment 2: with parts []"])
  }

  /// Parts that need another initialization segment than the playlist has come with the segment that brings it.
  @Test func partsOfAnotherCoding() {
    var joiner = SegmentJoiner(count: 1, hasParts: true)
    var short = Self.segment(0, lasting: 1)
    short.program = LiveProgram(initialization: [1], mainCodecs: "avc1.64001f")
    joiner.add(Self.segment(0), wallClock: 7, at: Self.start)
    joiner.add(short, of: 0)
    #expect(Self.released(&joiner) == ["segment 0: none"])
    joiner.add(Self.part(0, of: 2), wallClock: 2_007)
    joiner.add(Self.part(0, of: 2), of: 0)
    #expect(Self.released(&joiner) == ["2.0 at 2007"])
    joiner.add(Self.segment(2), wallClock: 2_007, at: Self.start)
    joiner.add(Self.segment(2), of: 0)
    #expect(Self.released(&joiner) == ["segment 2: with parts [0]"])
  }

  /// Parts of segments that have gone out are dropped.
  @Test func latePart() {
    var joiner = SegmentJoiner(count: 1)
    joiner.add(Self.part(0, of: 2), wallClock: 2_007)
    joiner.add(Self.part(3, of: 0), of: 0)
    #expect(Self.released(&joiner) == ["2.0 at 2007"])
  }
}

extension SegmentJoiner {
  /// Gives back the segments alone.
  fileprivate mutating func segments(at instant: ContinuousClock.Instant, limit: Duration) -> [Joined] {
    take(at: instant, limit: limit).compactMap { if case .segment(let joined) = $0 { joined } else { nil } }
  }
}
