public import Basics
import EventReading
import EventSchedule
import GameEvents

/// How often events should be repeated in a stream that nothing was lost of, as far as that is known.
public struct ExpectedCopies: Equatable, Sendable {
  /// When what is current is repeated.
  public enum Refreshes: Equatable, Sendable {
    /// Never.
    case off
    /// At least so often.
    case every(MediaTime)
  }

  /// How many copies a burst has; `nil` for as many as its copies say. Event messages have one.
  public var copies: Int?
  /// When what is current is repeated; `nil` where that is not known. Only transport streams are held to an interval: in fragmented MP4 what is
  /// current is repeated at the start of each segment, however long that is.
  public var refreshes: Refreshes?

  /// Expectations.
  public init(copies: Int? = nil, refreshes: Refreshes? = nil) {
    self.copies = copies
    self.refreshes = refreshes
  }
}

/// Counts the copies of one event as they come.
struct CopyTally: Equatable, Sendable {
  /// How many copies came, of the burst and after it.
  private(set) var burst = 0
  private(set) var refreshes = 0
  /// How many of them carry no checksum.
  private(set) var unverified = 0
  /// How long after the event the first copy came.
  private(set) var delay: MediaTime?
  /// How often each copy of the burst came, by its number.
  private var numbers: [Int: Int] = [:]
  /// How many copies a burst has, as they say.
  private var stated: Int?
  private var isEventMessage = false
  private var isTransportStream = false
  private var lastTime: MediaTime?
  /// The longest time between two copies one after the other, and when it began.
  private var longestGap = Gap(start: .zero, duration: .zero)
  /// The longest time between two copies of the burst.
  private var longestStep = MediaTime.zero

  private struct Gap: Equatable, Sendable {
    var start: MediaTime
    var duration: MediaTime
  }

  /// No policy has more copies; others' numbers are counted up to here.
  private static let mostNumbers = 1_000

  /// Takes a copy at its place.
  mutating func take(_ copy: EventCopy, at place: Place) {
    if copy.isRefresh { refreshes += 1 } else { burst += 1 }
    if !copy.isVerified { unverified += 1 }
    delay = delay ?? copy.age
    // A playlist's date range repeats the event for those who read nothing else.
    if case .dateRange = place.carriage { return }
    if case .eventMessage = place.carriage { isEventMessage = true }
    if case .transportStream = place.carriage { isTransportStream = true }
    let time = place.time
    if let lastTime {
      let step = time - lastTime
      if !copy.isRefresh { longestStep = max(longestStep, step) }
      if step > longestGap.duration { longestGap = Gap(start: lastTime, duration: step) }
    }
    lastTime = max(lastTime ?? time, time)
    guard copy.isVerified else { return }
    stated = stated ?? copy.copies
    if !copy.isRefresh, numbers.count < Self.mostNumbers || numbers[copy.copy] != nil { numbers[copy.copy, default: 0] += 1 }
  }

  /// What is not as it should be. Events of other systems, whose copies carry no checksum, are left alone unless it is said how many copies there are.
  ///
  /// - Parameter end: When the event is no longer current, or the stream ends.
  func differences(_ event: GameEvent, _ expected: ExpectedCopies, currentUntil end: MediaTime?) -> [Difference] {
    guard let length = (isEventMessage ? 1 : expected.copies) ?? stated, lastTime != nil else { return [] }
    var differences: [Difference] = []
    if let stated, stated != length { differences.append(.burstLength(event, found: stated, expected: length)) }
    for number in 1...max(length, 1) where numbers[number] == nil {
      differences.append(.copyMissing(event, number: number, of: length))
    }
    if expected != ExpectedCopies() {
      for (number, count) in numbers.sorted(by: { $0.key < $1.key }) where count > 1 {
        differences.append(.copyRepeated(event, number: number, times: count))
      }
    }
    switch expected.refreshes {
    case nil: break
    case .off: if refreshes > 0 { differences.append(.refreshed(event, times: refreshes)) }
    case .every(let interval):
      guard isTransportStream, let end, let gap = longestGap(until: end) else { break }
      // Refreshes wait for access units and for one another.
      let tolerance = MediaTime(ticks: interval.ticks / 2 + 4 * longestStep.ticks)
      if gap.duration > interval + tolerance { differences.append(.notRefreshed(event, since: gap.start, for: gap.duration)) }
    }
    return differences
  }

  /// The longest time without a copy, up to an end.
  private func longestGap(until end: MediaTime) -> Gap? {
    guard let lastTime else { return nil }
    let last = Gap(start: lastTime, duration: end - lastTime)
    return last.duration > longestGap.duration ? last : longestGap
  }
}

extension [PlannedEvent] {
  /// When an event ends to be current in a programme of such a length; `nil` for events that never are.
  func endOfActiveSpan(of index: Int, programmeEnd: MediaTime) -> MediaTime? {
    let event = self[index]
    guard event.currentFor != nil || EventType.known.contains(event.event.type) else { return nil }
    let limit = Swift.min(event.time + Swift.min(event.currentFor ?? EventCopy.largestAge, EventCopy.largestAge), programmeEnd)
    // What comes later ends nothing: not all of a long programme is looked through for each of its events.
    let successor = self[(index + 1)...].prefix { $0.time < limit }.first { $0.event.endsActiveSpan(of: event.event) }
    return successor?.time ?? limit
  }
}
