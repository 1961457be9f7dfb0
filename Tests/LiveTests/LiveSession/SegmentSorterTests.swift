import Basics
import HLSReading
import Testing

@testable import LiveSession

/// The portions of a presentation as pieces of a live input.
@Suite struct SegmentSorterTests {
  private typealias Piece = SegmentBuffer.Piece

  private static let packets: ArraySlice<UInt8> = [0x47, 1, 2]
  private static let more: ArraySlice<UInt8> = [9, 9]
  private static let box: ArraySlice<UInt8> = [0, 0, 0, 8] + Array("moof".utf8)
  private static let tag: ArraySlice<UInt8> = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]

  private static func begin(_ number: UInt64, _ kind: HLSReader.Resource.Kind = .segment) -> HLSPortion {
    .begin(.init(kind: kind, source: .init(uri: "\(number)", mediaSequence: number)))
  }

  private func sorted(_ portions: [HLSPortion]) -> (pieces: [Piece], problems: [String]) {
    var sorter = SegmentSorter()
    var (pieces, problems): ([Piece], [String]) = ([], [])
    for portion in portions {
      let (new, problem) = sorter.receive(portion)
      pieces += new
      if let problem { problems.append(problem) }
    }
    return (pieces, problems)
  }

  @Test func transportStream() {
    let (pieces, problems) = sorted([
      .next(mediaSequence: 0, isGap: false), Self.begin(0), .bytes(Self.packets), .bytes(Self.more), .end(.zero), Self.begin(1),
      .bytes(Self.packets), .lost(.zero), .discontinuity, Self.begin(2), .bytes(Self.packets), .end(.zero), .finished,
    ])
    #expect(
      pieces == [
        .initialization(nil), .bytes(Self.packets), .bytes(Self.more), .segmentEnd, .bytes(Self.packets), .discontinuity, .discontinuity,
        .initialization(nil), .bytes(Self.packets), .segmentEnd,
      ])
    #expect(problems == [])
  }

  /// The tables of a transport stream may lie in front of its segments.
  @Test func transportStreamWithItsTablesInFront() {
    let (pieces, _) = sorted([
      Self.begin(0, .initializationSegment), .bytes(Self.packets), .end(.zero), Self.begin(0), .bytes(Self.packets), .end(.zero),
    ])
    #expect(pieces == [.initialization(nil), .bytes(Self.packets), .bytes(Self.packets), .segmentEnd])
  }

  @Test func fragments() {
    let (pieces, problems) = sorted([
      Self.begin(0, .initializationSegment), .bytes(Self.more), .bytes(Self.more), .end(.zero), Self.begin(0), .bytes(Self.box),
      .bytes(Self.more), .end(.zero), Self.begin(1), .bytes(Self.box), .end(.zero), .discontinuity, Self.begin(2), .bytes(Self.packets),
      .end(.zero),
    ])
    #expect(
      pieces == [
        .initialization([9, 9, 9, 9]), .bytes(Self.box), .bytes(Self.more), .segmentEnd, .bytes(Self.box), .segmentEnd, .discontinuity,
        .initialization(nil), .bytes(Self.packets), .segmentEnd,
      ])
    #expect(problems == [])
  }

  /// What cannot be stamped is left out, and that is said once; it never ends the input.
  @Test func somethingElse() {
    let (pieces, problems) = sorted([
      Self.begin(0), .bytes(Self.tag), .bytes(Self.more), .end(.zero), Self.begin(1), .bytes(Self.box), .end(.zero), Self.begin(2),
      .bytes(Self.packets), .end(.zero),
    ])
    #expect(pieces == [.discontinuity, .discontinuity, .initialization(nil), .bytes(Self.packets), .segmentEnd])
    #expect(problems == ["0 (segment 0): neither MPEG transport stream nor fragmented MP4: such segments are left out"])
  }
}
