package import Basics
import EventReading
import EventSchedule
import GameEvents

/// How often events should be repeated in a stream without losses, if that is known.
package struct ExpectedCopies: Equatable, Sendable {
  /// How often active events are repeated.
  package enum Refreshes: Equatable, Sendable {
    /// Never.
    case off
    /// At least once in this interval.
    case every(MediaTime)
  }

  /// The number of copies of a burst; `nil` for the number that its copies state. Event messages have one.
  package var copies: Int?
  /// How often active events are repeated; `nil` if that is not known. Only transport streams are checked for an interval: fragmented MP4
  /// repeats active events at the start of each segment, however long it is.
  package var refreshes: Refreshes?

  /// Expectations.
  package init(copies: Int? = nil, refreshes: Refreshes? = nil) { (self.copies, self.refreshes) = (copies, refreshes) }
}

/// Counts the copies of one event.
struct CopyTally: Equatable, Sendable {
  /// The number of copies in the burst and after it.
  private(set) var burst = 0
  private(set) var refreshes = 0
  /// The number of copies without checksum.
  private(set) var unverified = 0
  /// The time from the event to its first copy.
  private(set) var delay: MediaTime?
  /// How often each copy of the burst occurs, by its number.
  private var numbers: [Int: Int] = [:]
  /// The length of the burst that the copies state.
  private var stated: Int?
  private var isEventMessage = false
  private var isTransportStream = false
  private var lastTime: MediaTime?
  /// Times between two successive copies that were longer than all earlier ones; the longest ones if there are many.
  private var gaps: [Gap] = []
  /// The longest time between two copies of the burst.
  private var longestStep = MediaTime.zero

  /// A time without copies of the event.
  private struct Gap: Equatable, Sendable {
    var start: MediaTime
    var duration: MediaTime
  }

  /// No policy has more copies. Higher numbers of other systems are not counted.
  private static let mostNumbers = 1_000
  private static let mostGaps = 64

  /// Counts a copy.
  mutating func add(_ copy: EventCopy, at place: Place) {
    if copy.isRefresh { refreshes += 1 } else { burst += 1 }
    if !copy.isVerified { unverified += 1 }
    delay = delay ?? copy.age
    // A date range repeats the event for clients that read only playlists.
    if case .dateRange = place.carriage { return }
    if case .eventMessage = place.carriage { isEventMessage = true }
    if place.carriage.pid != nil { isTransportStream = true }
    let time = place.time
    if let lastTime {
      let step = time - lastTime
      if !copy.isRefresh { longestStep = max(longestStep, step) }
      if step > gaps.last?.duration ?? .zero {
        if gaps.count == Self.mostGaps { gaps.removeFirst() }
        gaps.append(Gap(start: lastTime, duration: step))
      }
    }
    lastTime = max(lastTime ?? time, time)
    guard copy.isVerified else { return }
    stated = stated ?? copy.copies
    if !copy.isRefresh, numbers.count < Self.mostNumbers || numbers[copy.copy] != nil { numbers[copy.copy, default: 0] += 1 }
  }

  /// The differences from the expectations. Copies of other systems have no checksum; they are checked only if their number is expected.
  ///
  /// - Parameter end: When the event's active span or the stream ends.
  func differences(_ event: GameEvent, _ expected: ExpectedCopies, activeUntil end: MediaTime?) -> [Difference] {
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
      // Refreshes wait for access units and for other refreshes.
      let tolerance = MediaTime(ticks: interval.ticks / 2 + 4 * longestStep.ticks)
      if gap.duration > interval + tolerance { differences.append(.notRefreshed(event, since: gap.start, for: gap.duration)) }
    }
    return differences
  }

  /// The longest time without a copy, up to an end. Copies may follow the end of the active span.
  private func longestGap(until end: MediaTime) -> Gap? {
    guard let lastTime else { return nil }
    return (gaps + [Gap(start: lastTime, duration: end - lastTime)])
      .map { Gap(start: $0.start, duration: min($0.duration, end - $0.start)) }
      .max { $0.duration < $1.duration }
  }
}
