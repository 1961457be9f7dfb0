package import Basics
package import EventSchedule
package import PacketStamping

/// The decisions of a live stream's first input, for the inputs of other renditions: the programme time of its clock, the starts of segments, and the
/// places of copies of events.
///
/// Only the latest minute is kept. A follower that is further behind misses the rest.
package struct LeadingTimeline: Sendable {
  /// The progress of a follower. Each follower has its own.
  package struct Position: Equatable, Sendable {
    /// The number of the segment with the follower's next access unit; `nil` before the first one.
    fileprivate var segment: Int?
    /// The number of the next copy.
    fileprivate var copy = 0

    /// A position before the first access unit.
    package init() {}
  }

  /// A part of the stream in which its clock is continuous.
  private struct Stretch: Equatable, Sendable {
    var start: MediaTime
    /// Unwraps the timestamps of its clock; `origin` is the timestamp of the timeline origin.
    var unwrapper = TimestampUnwrapper()
    var origin = MediaTime.zero

    init(_ unit: LiveAccessUnit) {
      start = unit.time
      push(unit)
    }

    mutating func push(_ unit: LiveAccessUnit) {
      origin = unwrapper.unwrap(TimestampUnwrapper.timestamp(of: unit.presentationTime)) - unit.time
    }

    /// The programme time of a timestamp of its clock, 33 bits.
    func time(of timestamp: UInt64) -> MediaTime { unwrapper.peek(timestamp) - origin }
  }

  /// The latest elements of a sequence, which keep their numbers when earlier ones are removed.
  private struct Latest<Element: Sendable>: Sendable {
    private var elements = Queue<Element>()
    /// The number of the first element that is kept.
    private(set) var start = 0

    /// The number of the next element.
    var end: Int { start + elements.count }
    var count: Int { elements.count }
    var kept: ArraySlice<Element> { elements.elements }

    /// The element with a number; `nil` if it is no longer kept, or has not arrived.
    subscript(number: Int) -> Element? { number >= start && number < end ? kept[kept.startIndex + number - start] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst(where isOld: (Element) -> Bool) -> Bool {
      guard let first = elements.first, isOld(first) else { return false }
      _ = elements.popFirst()
      start += 1
      return true
    }
  }

  private struct Start: Equatable, Sendable {
    var time: MediaTime
    var boundary: SegmentClock.Boundary
  }

  /// A copy, with the number of its segment.
  private struct Placed: Sendable {
    var copy: EventSchedule.TimedCopy
    var segment: Int

    var time: MediaTime { copy.time }

    /// Whether the copy belongs in front of an access unit, or earlier.
    func isDue(_ time: MediaTime, in segment: Int) -> Bool { self.segment < segment || (self.segment == segment && self.time <= time) }
  }

  private var stretches: [Stretch] = []
  /// The starts of segments.
  private var starts = Latest<Start>()
  private var copies = Latest<Placed>()
  /// The end of the latest access unit, on the programme's timeline.
  private var end = MediaTime.zero
  /// All access units with presentation times up to this one have arrived; `nil` before the first one.
  private var known: MediaTime?

  /// Access units whose times differ by no more than this (20 ms) count as simultaneous: muxers round.
  package static let tolerance = MediaTime(ticks: 1_800)
  /// How long the elements are kept.
  private static let memory = MediaTime(seconds: 60)
  /// The maximum distance between the clocks of two inputs.
  private static let reach = MediaTime(seconds: 30)
  /// The maximum distance between the changes of clock of an input and of its followers.
  package static let overlap = MediaTime(seconds: 1)
  private static let mostStretches = 16

  /// Whether the input is interrupted at present.
  package private(set) var isInterrupted = false
  /// Whether the input has ended.
  package private(set) var isOver = false

  /// A timeline before the first access unit.
  package init() {}

  // MARK: The first input

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
    let segment = starts.end - 1
    for copy in copies { self.copies.append(Placed(copy: copy, segment: segment)) }
    end = max(end, unit.time + unit.frameDuration)
    known = max(known ?? MediaTime(ticks: .min), unit.time - (unit.presentationTime - unit.decodingTime))
    let oldest = end - Self.memory
    while starts.removeFirst(where: { $0.time < oldest }) {}
    while self.copies.removeFirst(where: { $0.time < oldest }) {}
  }

  /// Records an interruption of the input: the timeline is complete up to now.
  package mutating func interrupt() {
    guard known != nil else { return }
    known = end
    isInterrupted = true
  }

  /// Records the end of the input.
  package mutating func finish() {
    if known != nil { known = end }
    isOver = true
  }

  // MARK: Followers

  /// Whether everything that an access unit at this time may need has arrived.
  package func knows(_ time: MediaTime) -> Bool { known.map { time <= $0 } ?? false }

  /// How far an access unit of another input is behind the first input.
  package func delay(of time: MediaTime) -> MediaTime { end - time }

  /// Whether an access unit has come.
  package var hasBegun: Bool { known != nil }

  /// The programme time of an access unit of another input that is presented at `timestamp`, 33 bits; `nil` if that input has another clock.
  ///
  /// - Parameter last: The time of the access unit before. If a clock repeats, such as that of a file that starts again, the time continues from
  ///   there.
  package func time(of timestamp: UInt64, after last: MediaTime? = nil) -> MediaTime? {
    let times = times(of: timestamp)
    return times.first { time in last.map { (time - $0).magnitude < Self.overlap } ?? false } ?? times.first
  }

  /// Whether the latest clock would have had this timestamp shortly before the stretch began: the first input was away then.
  package func precedesStretch(_ timestamp: UInt64) -> Bool {
    guard let stretch = stretches.last else { return false }
    let time = stretch.time(of: timestamp)
    return time < stretch.start && time >= stretch.start - Self.reach
  }

  /// The programme times of a timestamp by the clocks of all kept stretches, the latest one first.
  private func times(of timestamp: UInt64) -> [MediaTime] {
    var times: [MediaTime] = []
    for (index, stretch) in stretches.enumerated().reversed() {
      let time = stretch.time(of: timestamp)
      let earliest = stretch.start - (index == 0 ? Self.reach : Self.overlap)
      let latest = index + 1 < stretches.count ? stretches[index + 1].start + Self.overlap : end + Self.reach
      if earliest <= time, time <= latest { times.append(time) }
    }
    return times
  }

  /// Returns what the first input has decided for the next access unit of another input, in the order of decoding.
  ///
  /// - Parameter time: The presentation time of the access unit. ``knows(_:)`` must be true for it.
  package func tell(_ time: MediaTime, _ position: inout Position) -> ToldUnit {
    var told = ToldUnit(time: time)
    var isStarting = false
    // A new follower waits for the start of a segment.
    var segment = position.segment ?? starts.start + starts.kept.prefix { $0.time < time - Self.tolerance }.count - 1
    segment = max(segment, starts.start - 1)
    while let next = starts[segment + 1], next.time <= time + Self.tolerance {
      segment += 1
      isStarting = true
      // After a discontinuity that the follower has missed, nothing continues its earlier segments.
      told.boundary = told.boundary == .discontinuity ? .discontinuity : next.boundary
    }
    position.segment = segment
    position.copy = max(position.copy, copies.start)
    while let next = copies[position.copy], next.isDue(time, in: segment) {
      position.copy += 1
      if next.segment == segment {
        told.copies.append(next.copy)
      } else if isStarting, next.segment == segment - 1 {
        told.earlierCopies.append(next.copy)
      }
    }
    return told
  }
}
