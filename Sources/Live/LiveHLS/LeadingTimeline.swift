package import Basics
package import EventSchedule
package import GameEvents
package import PacketStamping

/// What the first input of a live stream has decided, for the inputs that bring other renditions: which time its clock tells, where segments start,
/// and which copies of events go where.
///
/// Only the latest minute is kept. Who falls further behind misses it.
package struct LeadingTimeline: Sendable {
  /// How far a follower has come. Each has its own.
  package struct Position: Equatable, Sendable {
    /// The number of the segment that the follower's next access unit lies in; `nil` before the first one.
    fileprivate var segment: Int?
    /// The number of the next copy.
    fileprivate var copy = 0

    /// Before the first access unit.
    package init() {}
  }

  /// What is told of a follower's access unit.
  package struct Told: Equatable, Sendable {
    package var unit: ToldUnit
    /// How long those events are refreshed whose type has no schema, where a follower has to know.
    package var currentFor: [GUID: MediaTime] = [:]
  }

  /// A part of the stream in which its clock goes on.
  private struct Stretch: Equatable, Sendable {
    var start: MediaTime
    /// Unwraps the timestamps of its clock, and what that has at the timeline origin.
    var unwrapper = TimestampUnwrapper()
    var origin = MediaTime.zero

    init(_ unit: LiveAccessUnit) {
      start = unit.time
      push(unit)
    }

    mutating func push(_ unit: LiveAccessUnit) {
      origin = unwrapper.unwrap(TimestampUnwrapper.timestamp(of: unit.presentationTime)) - unit.time
    }
  }

  private struct Start: Equatable, Sendable {
    var time: MediaTime
    var boundary: SegmentClock.Boundary
  }

  private struct Copy: Equatable, Sendable {
    var copy: EventSchedule.TimedCopy
    var currentFor: MediaTime?
    /// The number of its segment.
    var segment: Int
  }

  private var stretches: [Stretch] = []
  /// The starts of segments, and the number of the first one that is kept.
  private var starts = Queue<Start>()
  private var firstStart = 0
  private var copies = Queue<Copy>()
  private var firstCopy = 0
  /// How long events are refreshed that no access unit has come for.
  private var currentFor: [GUID: MediaTime] = [:]
  /// Where the latest access unit ends, on the programme's timeline.
  private var end = MediaTime.zero
  /// Every access unit that is presented by this time has come; `nil` before the first one.
  private var known: MediaTime?

  /// Access units whose times differ by no more than this (20 ms) are presented together: muxers round.
  package static let tolerance = MediaTime(ticks: 1_800)
  /// How long anything is kept.
  private static let memory = MediaTime(seconds: 60)
  /// How far the clocks of two inputs may be apart.
  private static let reach = MediaTime(seconds: 30)
  /// Clocks of an input and of those that follow it may change this far apart.
  package static let overlap = MediaTime(seconds: 1)
  private static let mostStretches = 16

  /// Whether nothing comes for the moment.
  package private(set) var isInterrupted = false

  /// A timeline before the first access unit.
  package init() {}

  // MARK: The first input

  /// Receives an event that is to come, for how long it is refreshed.
  package mutating func add(_ event: PlannedEvent) {
    if let duration = event.currentFor { currentFor[event.event.guid] = duration }
  }

  /// Receives an access unit, and the copies in front of it.
  package mutating func push(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) {
    isInterrupted = false
    if stretches.isEmpty || unit.boundary == .discontinuity {
      if stretches.count == Self.mostStretches { stretches.removeFirst() }
      stretches.append(Stretch(unit))
    } else {
      stretches[stretches.count - 1].push(unit)
    }
    if let boundary = unit.boundary { starts.append(Start(time: unit.time, boundary: boundary)) }
    for copy in copies {
      let duration = copy.copy.copy == 1 ? currentFor.removeValue(forKey: copy.copy.event.guid) : nil
      self.copies.append(Copy(copy: copy, currentFor: duration, segment: firstStart + starts.count - 1))
    }
    end = max(end, unit.time + unit.frameDuration)
    known = max(known ?? MediaTime(ticks: .min), unit.time - (unit.presentationTime - unit.decodingTime))
    while let first = starts.first, first.time < end - Self.memory {
      _ = starts.popFirst()
      firstStart += 1
    }
    while let first = self.copies.first, first.copy.time < end - Self.memory {
      _ = self.copies.popFirst()
      firstCopy += 1
    }
  }

  /// Records that nothing comes for the moment: what has come is all there is.
  package mutating func interrupt() {
    guard known != nil else { return }
    known = end
    isInterrupted = true
  }

  // MARK: Those that follow

  /// Whether everything has come that an access unit at a time may need.
  package func knows(_ time: MediaTime) -> Bool { known.map { time <= $0 } ?? false }

  /// How far an access unit of another input is behind the first input.
  package func delay(of time: MediaTime) -> MediaTime { end - time }

  /// Whether an access unit has come.
  package var hasBegun: Bool { known != nil }

  /// The programme time of an access unit of another input that is presented at `timestamp`, 33 bits; `nil` where its clock is another one.
  ///
  /// - Parameter last: The time of the access unit before. Where a clock tells the same again, as that of a file that begins anew, the time goes on.
  package func time(of timestamp: UInt64, after last: MediaTime? = nil) -> MediaTime? {
    let times = times(of: timestamp)
    return times.first { time in last.map { (time - $0).magnitude < Self.overlap } ?? false } ?? times.first
  }

  /// What the clocks tell that were there, the latest one first.
  private func times(of timestamp: UInt64) -> [MediaTime] {
    var times: [MediaTime] = []
    for (index, stretch) in stretches.enumerated().reversed() {
      let time = stretch.unwrapper.peek(timestamp) - stretch.origin
      let earliest = stretch.start - (index == 0 ? Self.reach : Self.overlap)
      let latest = index + 1 < stretches.count ? stretches[index + 1].start + Self.overlap : end + Self.reach
      if earliest <= time, time <= latest { times.append(time) }
    }
    return times
  }

  /// What is told of the next access unit of another input, in the order of decoding.
  ///
  /// - Parameter time: When it is presented. What it needs is known: see ``knows(_:)``.
  package func tell(_ time: MediaTime, _ position: inout Position) -> Told {
    var told = Told(unit: ToldUnit(time: time))
    var isStarting = false
    // Who joins waits for the start of a segment.
    var segment = position.segment ?? firstStart + starts.elements.prefix { $0.time < time - Self.tolerance }.count - 1
    segment = max(segment, firstStart - 1)
    while let next = start(segment + 1), next.time <= time + Self.tolerance {
      segment += 1
      isStarting = true
      told.unit.boundary = next.boundary
    }
    position.segment = segment
    position.copy = max(position.copy, firstCopy)
    while position.copy < firstCopy + copies.count {
      let next = copies.elements[copies.elements.startIndex + position.copy - firstCopy]
      guard next.segment < segment || (next.segment == segment && next.copy.time <= time) else { break }
      position.copy += 1
      if next.segment == segment {
        told.unit.copies.append(next.copy)
      } else if isStarting, next.segment == segment - 1 {
        told.unit.earlierCopies.append(next.copy)
      } else {
        continue
      }
      if let duration = next.currentFor { told.currentFor[next.copy.copy.event.guid] = duration }
    }
    return told
  }

  private func start(_ number: Int) -> Start? {
    let index = number - firstStart
    return starts.elements.indices.contains(starts.elements.startIndex + index) ? starts.elements[starts.elements.startIndex + index] : nil
  }
}
