package import Basics

/// Where segments start.
package enum SegmentBoundaries: Equatable, Sendable {
  /// At the first key frame that is presented at least this duration after the segment's start; without video, at the first such packet.
  case every(MediaTime)
  /// At these times, counted from the timeline origin. The video must have a key frame at each that it reaches, to within
  /// `SegmentBoundaries.tolerance`; without video, segments start at the first packet at or after them.
  case at([MediaTime])

  /// Two times within 2 ms of each other are the same: some containers round times to milliseconds.
  package static let tolerance = MediaTime(ticks: 180)

  /// The boundaries that several inputs have in common.
  ///
  /// - Parameters:
  ///   - keyFrames: Where each input can be cut, in ascending order, counted from its timeline origin. Without inputs there is no boundary.
  ///   - ends: When each input ends; later boundaries need no key frame of it. Empty if none does.
  ///   - target: The shortest time between boundaries.
  /// - Returns: `at` the first input's times that all inputs have, chosen as `every(target)` chooses them.
  package static func common(_ keyFrames: [[MediaTime]], ends: [MediaTime] = [], every target: MediaTime) -> SegmentBoundaries {
    guard let first = keyFrames.first else { return .at([]) }
    var positions = [Int](repeating: 0, count: keyFrames.count)
    var boundaries: [MediaTime] = []
    for time in first where time - (boundaries.last ?? .zero) >= target && time > tolerance {
      let isCommon = keyFrames.indices.reduce(true) { isCommon, input in
        let times = keyFrames[input]
        while positions[input] < times.count, times[positions[input]] + tolerance < time { positions[input] += 1 }
        let hasEnded = input < ends.count && ends[input] <= time + tolerance
        return isCommon && (hasEnded || (positions[input] < times.count && times[positions[input]] <= time + tolerance))
      }
      if isCommon { boundaries.append(time) }
    }
    return .at(boundaries)
  }
}

/// Decides at which packets of the program's stream segments start.
struct BoundaryPlan: Equatable {
  private let boundaries: SegmentBoundaries
  private let origin: MediaTime
  private let needsKey: Bool
  /// With given boundaries: the times that have not been reached, in descending order.
  private var ahead: [MediaTime] = []
  private var segmentStart: MediaTime?

  /// - Parameters:
  ///   - boundaries: Where segments start.
  ///   - origin: When the timeline origin is presented.
  ///   - needsKey: Whether segments start at key frames only.
  init(_ boundaries: SegmentBoundaries, origin: MediaTime, needsKey: Bool) {
    (self.boundaries, self.origin, self.needsKey) = (boundaries, origin, needsKey)
    if case .at(let times) = boundaries { ahead = times.filter { $0 > SegmentBoundaries.tolerance }.sorted(by: >) }
  }

  /// How many segments start with the next packet of the program's stream. All but the last are empty.
  ///
  /// - Throws: `RemuxError.noKeyFrame` if a key frame lies after a given time at which there was none.
  mutating func segmentsStarted(by packet: PlacedPacket) throws(RemuxError) -> Int {
    guard let start = segmentStart else {
      segmentStart = packet.presentation
      return 1
    }
    guard packet.isKey || !needsKey else { return 0 }
    switch boundaries {
    case .every(let target):
      guard packet.presentation - start >= target else { return 0 }
    case .at:
      let time = packet.presentation - origin
      let reached = needsKey ? time + SegmentBoundaries.tolerance : time
      guard let boundary = ahead.last, reached >= boundary else { return 0 }
      guard !needsKey || time - SegmentBoundaries.tolerance <= boundary else { throw .noKeyFrame(at: boundary) }
      while let boundary = ahead.last, reached >= boundary { ahead.removeLast() }
    }
    segmentStart = packet.presentation
    return 1
  }

  /// A given time that lies before the end of the stream, and at which there was no key frame; `nil` if there is none.
  func missed(end: MediaTime) -> MediaTime? {
    ahead.last.flatMap { needsKey && $0 + SegmentBoundaries.tolerance < end - origin ? $0 : nil }
  }
}
