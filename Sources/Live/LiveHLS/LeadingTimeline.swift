package import Basics
package import EventSchedule
import GameEvents
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
    /// The numbers of the next copy and of the next event.
    fileprivate var copy = 0
    fileprivate var event = 0

    /// Before the first access unit.
    package init() {}
  }

  /// What is told of a follower's access unit.
  package struct Told: Equatable, Sendable {
    package var unit: ToldUnit
    /// The events that have begun since the follower's access unit before, whether it has their copies or not.
    package var events: [PlannedEvent] = []
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

  private struct Copy: Sendable {
    var copy: EventSchedule.TimedCopy
    /// The number of its segment.
    var segment: Int
  }

  private struct Event: Sendable {
    var event: PlannedEvent
    /// When its first copy is presented, and in which segment.
    var time: MediaTime
    var segment: Int
  }

  private var stretches: [Stretch] = []
  /// The starts of segments, and the number of the first one that is kept.
  private var starts = Queue<Start>()
  private var firstStart = 0
  private var copies = Queue<Copy>()
  private var firstCopy = 0
  /// The events that have begun. Some are kept for longer than their copies: they may go on.
  private var events = Queue<Event>()
  private var firstEvent = 0
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
  /// The number of events that are kept however long ago they began.
  private static let mostOldEvents = 64

  /// Whether nothing comes for the moment.
  package private(set) var isInterrupted = false
  /// Whether nothing is to come.
  package private(set) var isOver = false

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
    let segment = firstStart + starts.count - 1
    for copy in copies {
      self.copies.append(Copy(copy: copy, segment: segment))
      guard copy.copy.copy == 1 else { continue }
      let duration = currentFor.removeValue(forKey: copy.copy.event.guid)
      events.append(
        Event(event: PlannedEvent(copy.copy.event, currentFor: duration, signature: copy.copy.signature), time: copy.time, segment: segment)
      )
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
    while events.count > Self.mostOldEvents, let first = events.first, first.time < end - Self.memory {
      _ = events.popFirst()
      firstEvent += 1
    }
  }

  /// Records that nothing comes for the moment: what has come is all there is.
  package mutating func interrupt() {
    guard known != nil else { return }
    known = end
    isInterrupted = true
  }

  /// Records that nothing is to come any more.
  package mutating func finish() {
    if known != nil { known = end }
    isOver = true
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

  /// Whether the latest clock tells a time shortly before it began: the first input was not there.
  package func precedesStretch(_ timestamp: UInt64) -> Bool {
    guard let stretch = stretches.last else { return false }
    let time = stretch.unwrapper.peek(timestamp) - stretch.origin
    return time < stretch.start && time >= stretch.start - Self.reach
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
      // Behind a discontinuity that the follower has missed, nothing continues what it had before.
      told.unit.boundary = told.unit.boundary == .discontinuity ? .discontinuity : next.boundary
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
      }
    }
    position.event = max(position.event, firstEvent)
    while position.event < firstEvent + events.count {
      let next = events.elements[events.elements.startIndex + position.event - firstEvent]
      guard next.segment < segment || (next.segment == segment && next.time <= time) else { break }
      position.event += 1
      told.events.append(next.event)
    }
    return told
  }

  private func start(_ number: Int) -> Start? {
    let index = number - firstStart
    return starts.elements.indices.contains(starts.elements.startIndex + index) ? starts.elements[starts.elements.startIndex + index] : nil
  }
}
