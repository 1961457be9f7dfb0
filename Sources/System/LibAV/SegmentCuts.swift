public import Basics

/// Where segments start.
public enum SegmentCuts: Equatable, Sendable {
  /// At the first key frame that is presented at or after so long a time since the segment's start; without video, at the first such packet.
  case every(MediaTime)
  /// At these times, counted from the program's zero. The video must have a key frame at each that it reaches, to within
  /// `SegmentCuts.tolerance`; without video, segments start at the first packet at or after them.
  case at([MediaTime])

  /// Two times within 2 ms of each other are the same: some containers round times to milliseconds.
  public static let tolerance = MediaTime(ticks: 180)

  /// Cuts that several inputs have in common.
  ///
  /// - Parameters:
  ///   - keyFrames: Where each input can be cut, in growing order, counted from its program's zero. Without inputs there is no cut.
  ///   - ends: When each input ends; later cuts need no key frame of it. Empty where none does.
  ///   - target: The shortest time between cuts.
  /// - Returns: `at` the first input's times that all inputs have, chosen as `every(target)` chooses them.
  public static func common(_ keyFrames: [[MediaTime]], ends: [MediaTime] = [], every target: MediaTime) -> SegmentCuts {
    guard let first = keyFrames.first else { return .at([]) }
    var positions = [Int](repeating: 0, count: keyFrames.count)
    var cuts: [MediaTime] = []
    for time in first where time - (cuts.last ?? .zero) >= target && time > tolerance {
      let isCommon = keyFrames.indices.reduce(true) { isCommon, input in
        let times = keyFrames[input]
        while positions[input] < times.count, times[positions[input]] + tolerance < time { positions[input] += 1 }
        let hasEnded = input < ends.count && ends[input] <= time + tolerance
        return isCommon && (hasEnded || (positions[input] < times.count && times[positions[input]] <= time + tolerance))
      }
      if isCommon { cuts.append(time) }
    }
    return .at(cuts)
  }
}

/// Decides at which packets of the program's stream segments start.
struct CutPlan: Equatable {
  private let cuts: SegmentCuts
  private let zero: MediaTime
  private let needsKey: Bool
  /// With cuts that are given: the times that have not been reached, last first.
  private var ahead: [MediaTime] = []
  private var segmentStart: MediaTime?

  /// - Parameters:
  ///   - cuts: Where segments start.
  ///   - zero: When the program's zero is presented.
  ///   - needsKey: Whether segments start at key frames only.
  init(_ cuts: SegmentCuts, zero: MediaTime, needsKey: Bool) {
    self.cuts = cuts
    self.zero = zero
    self.needsKey = needsKey
    if case .at(let times) = cuts { ahead = times.filter { $0 > SegmentCuts.tolerance }.sorted(by: >) }
  }

  /// Whether the next packet of the program's stream starts a segment.
  ///
  /// - Throws: `RemuxError.noKeyFrame` where a key frame lies after a given time at which there was none.
  mutating func startsSegment(_ packet: PlacedPacket) throws(RemuxError) -> Bool {
    guard let start = segmentStart else {
      segmentStart = packet.presentation
      return true
    }
    guard packet.isKey || !needsKey else { return false }
    switch cuts {
    case .every(let target):
      guard packet.presentation - start >= target else { return false }
    case .at:
      let time = packet.presentation - zero
      let reached = needsKey ? time + SegmentCuts.tolerance : time
      guard let cut = ahead.last, reached >= cut else { return false }
      guard !needsKey || time - SegmentCuts.tolerance <= cut else { throw .noKeyFrame(at: cut) }
      while let cut = ahead.last, reached >= cut { ahead.removeLast() }
    }
    segmentStart = packet.presentation
    return true
  }

  /// A given time that lies before the end of the stream, and at which there was no key frame; `nil` where there is none.
  func missed(end: MediaTime) -> MediaTime? {
    ahead.last.flatMap { needsKey && $0 + SegmentCuts.tolerance < end - zero ? $0 : nil }
  }
}
