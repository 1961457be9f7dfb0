import Basics
import Testing

@testable import LibAV

@Suite("Where segments start")
struct SegmentBoundariesTests {
  private static func times(_ ticks: [Int64]) -> [MediaTime] { ticks.map(MediaTime.init(ticks:)) }

  /// The presentation times of the packets at which segments start.
  private static func starts(_ boundaries: SegmentBoundaries, _ packets: [(Int64, Bool)], needsKey: Bool = true) throws(RemuxError)
    -> [Int64]
  {
    var plan = BoundaryPlan(boundaries, origin: MediaTime(ticks: 10_000), needsKey: needsKey)
    var starts: [Int64] = []
    for (ticks, isKey) in packets {
      let time = MediaTime(ticks: 10_000 + ticks)
      let packet = PlacedPacket(stream: 0, presentation: time, decoding: time, duration: .zero, isKey: isKey)
      if try plan.segmentsStarted(by: packet) == 1 { starts.append(ticks) }
    }
    return starts
  }

  @Test("A segment lasts at least as long as asked for")
  func every() throws {
    let packets: [(Int64, Bool)] = [(0, true), (500, true), (999, true), (1_000, false), (1_001, true), (2_000, true), (2_001, true)]
    #expect(try Self.starts(.every(MediaTime(ticks: 1_000)), packets) == [0, 1_001, 2_001])
    #expect(try Self.starts(.every(MediaTime(ticks: 1_000)), packets, needsKey: false) == [0, 1_000, 2_000])
    #expect(try Self.starts(.every(.zero), [(0, false), (1, true)]) == [0, 1])
  }

  @Test("Given times are met to within 2 ms")
  func given() throws {
    let packets: [(Int64, Bool)] = [(0, true), (500, true), (1_000, true), (1_500, false), (2_000, true)]
    #expect(try Self.starts(.at(Self.times([0, 1_180, 1_900])), packets) == [0, 1_000, 2_000])
    #expect(try Self.starts(.at(Self.times([820, 9_000])), packets) == [0, 1_000])
    #expect(throws: RemuxError.noKeyFrame(at: MediaTime(ticks: 1_500))) { try Self.starts(.at(Self.times([1_500])), packets) }
    #expect(throws: RemuxError.noKeyFrame(at: MediaTime(ticks: 819))) { try Self.starts(.at(Self.times([819])), packets) }
    #expect(try Self.starts(.at(Self.times([600, 1_200])), packets, needsKey: false) == [0, 1_000, 1_500])
  }

  @Test(
    "Cuts are where all inputs have key frames",
    arguments: [
      ([], []),
      ([[0, 1_000, 2_000]], [1_000, 2_000]),
      ([[0, 1_000, 2_000, 3_000], [0, 1_100, 3_050]], [1_000, 3_000]),
      ([[0, 1_000, 2_000], []], []),
      ([[0, 900, 1_800, 2_700], [0, 900, 1_800, 2_700], [0, 1_750]], [1_800]),
      ([[0, 400, 800, 1_200, 1_600, 2_000, 2_400]], [1_200, 2_400]),
    ] as [([[Int64]], [Int64])])
  func common(keyFrames: [[Int64]], boundaries: [Int64]) {
    #expect(SegmentBoundaries.common(keyFrames.map(Self.times), every: MediaTime(ticks: 1_000)) == .at(Self.times(boundaries)))
  }
}
