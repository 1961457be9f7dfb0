package import Basics
import Synchronization

/// Where segments start.
package enum SegmentBoundaries: Equatable, Sendable {
  /// At the first key frame that is presented at least this duration after the segment's start; without video, at the first such packet.
  case every(MediaTime)
  /// At these times, counted from the timeline origin. The video must have a key frame at each that it reaches, to within
  /// `SegmentBoundaries.tolerance`; without video, segments start at the first packet at or after them.
  case at([MediaTime])
  /// With the first packets at or after the presentation times that are told while the input is read, whether decoding can start there or not.
  case told(ToldBoundaries)

  /// Two times within 2 ms of each other are the same: some containers round times to milliseconds.
  package static let tolerance = MediaTime(ticks: 180)

  /// Cuts that several inputs have in common.
  ///
  /// - Parameters:
  ///   - keyFrames: Where each input can be cut, in growing order, counted from its timeline origin. Without inputs there is no cut.
  ///   - ends: When each input ends; later boundaries need no key frame of it. Empty where none does.
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

/// Where the segments of a stream start that is still being made: whoever makes it tells each boundary before the bytes that follow it.
package final class ToldBoundaries: Sendable, Equatable {
  private let times = Mutex<[MediaTime]>([])

  package init() {}

  /// Tells the next boundary, by its presentation time in the copy.
  package func append(_ time: MediaTime) { times.withLock { $0.append(time) } }

  /// How many boundaries a packet has reached that is presented at a time. Each counts only once.
  func takeReached(_ time: MediaTime) -> Int {
    times.withLock { times in
      let count = times.prefix { $0 <= time + SegmentBoundaries.tolerance }.count
      times.removeFirst(count)
      return count
    }
  }

  package static func == (left: ToldBoundaries, right: ToldBoundaries) -> Bool { left === right }
}

/// Where the parts of the segments of a stream start that is still being made, but for the first one: told as ``ToldBoundaries`` are. A segment starts
/// with a part.
package final class ToldParts: Sendable {
  struct Start: Equatable, Sendable {
    /// When its first packet of the leading stream is decoded, in the copy.
    var decoding: MediaTime
    /// From when on packets of other streams belong to it.
    var presentation: MediaTime
  }

  private let starts = Mutex<[Start]>([])

  package init() {}

  /// Tells the start of the next part, by its first packet of the leading stream.
  package func append(decoding: MediaTime, presentation: MediaTime) {
    starts.withLock { $0.append(Start(decoding: decoding, presentation: presentation)) }
  }

  /// Those that were told since the last time.
  func take() -> [Start] {
    starts.withLock { starts in
      defer { starts = [] }
      return starts
    }
  }
}

/// Decides at which packets of the program's stream segments start.
struct BoundaryPlan: Equatable {
  private let boundaries: SegmentBoundaries
  private let origin: MediaTime
  private let needsKey: Bool
  /// With boundaries that are given: the times that have not been reached, last first.
  private var ahead: [MediaTime] = []
  private var segmentStart: MediaTime?

  /// - Parameters:
  ///   - boundaries: Where segments start.
  ///   - origin: When the timeline origin is presented.
  ///   - needsKey: Whether segments start at key frames only.
  init(_ boundaries: SegmentBoundaries, origin: MediaTime, needsKey: Bool) {
    self.boundaries = boundaries
    self.origin = origin
    self.needsKey = needsKey
    if case .at(let times) = boundaries { ahead = times.filter { $0 > SegmentBoundaries.tolerance }.sorted(by: >) }
  }

  /// How many segments start with the next packet of the program's stream: all of them but the last are empty.
  ///
  /// - Throws: `RemuxError.noKeyFrame` where a key frame lies after a given time at which there was none.
  mutating func segmentsStarted(by packet: PlacedPacket) throws(RemuxError) -> Int {
    let isFirst = segmentStart == nil
    if case .told(let boundaries) = boundaries {
      segmentStart = packet.presentation
      return boundaries.takeReached(packet.presentation) + (isFirst ? 1 : 0)
    }
    guard let start = segmentStart else {
      segmentStart = packet.presentation
      return 1
    }
    guard packet.isKey || !needsKey else { return 0 }
    switch boundaries {
    case .told: break
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

  /// A given time that lies before the end of the stream, and at which there was no key frame; `nil` where there is none.
  func missed(end: MediaTime) -> MediaTime? {
    ahead.last.flatMap { needsKey && $0 + SegmentBoundaries.tolerance < end - origin ? $0 : nil }
  }
}
