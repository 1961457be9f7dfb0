import Basics
import GameEvents

/// The events that are repeated for those who come late, by their indices, in the order of their times.
struct ActiveEvents: Sendable {
  private struct Current: Sendable {
    var index: Int
    /// The number that its next refresh has.
    var nextCopy: Int
  }

  /// In the order of their indices, as events happen in that.
  private var current: [Current] = []

  /// An event happens: it ends others, and is current itself where its type or its cue sheet says so.
  mutating func start(_ index: Int, of events: [PlannedEvent], firstRefresh: Int) {
    let event = events[index]
    current = current.filter { !event.event.endsActiveSpan(of: events[$0.index].event) }
    guard event.currentFor != nil || EventType.known.contains(event.event.type) else { return }
    current.append(Current(index: index, nextCopy: firstRefresh))
  }

  /// The events that are current at `time`, in the order of their sequence numbers. The others leave.
  mutating func indices(at time: MediaTime, of events: [PlannedEvent]) -> [Int] {
    current = current.filter { Self.isCurrent(events[$0.index], at: time) }
    return current.map { $0.index }.sorted { (events[$0].sequence, $0) < (events[$1].sequence, $1) }
  }

  /// The events that are current at `time`, those that end soonest first, by the events from `next` on: what is put off may come too late for them.
  ///
  /// - Returns: Their indices, and whether each ends within half a second.
  mutating func soonestFirst(at time: MediaTime, of events: [PlannedEvent], next: Int) -> [(index: Int, isUrgent: Bool)] {
    let upcoming = events[next...].prefix(Self.foreseen)
    func end(_ index: Int) -> MediaTime {
      let ended = upcoming.first { $0.event.endsActiveSpan(of: events[index].event) }?.time ?? MediaTime(ticks: .max)
      return events[index].currentFor.map { min(ended, events[index].time + $0) } ?? ended
    }
    return indices(at: time, of: events).map { (end($0), $0) }.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .map { ($0.element.1, $0.element.0 - time <= MediaTime(ticks: 45_000)) }
  }

  /// So many events are looked ahead to see what ends.
  private static let foreseen = 16

  /// Whether an event is current at `time`.
  func contains(_ index: Int, at time: MediaTime, of events: [PlannedEvent]) -> Bool {
    place(of: index) != nil && Self.isCurrent(events[index], at: time)
  }

  /// The number that the next refresh of an event has; `nil` where it is not current.
  func nextCopy(of index: Int) -> Int? { place(of: index).map { current[$0].nextCopy } }

  /// Takes note of a refresh.
  mutating func didRefresh(_ index: Int) {
    if let place = place(of: index) { current[place].nextCopy += 1 }
  }

  private func place(of index: Int) -> Int? { current.place(of: index) { $0.index } }

  private static func isCurrent(_ event: PlannedEvent, at time: MediaTime) -> Bool {
    let age = time - event.time
    return age <= EventCopy.largestAge && event.currentFor.map { age < $0 } ?? true
  }
}

extension PlannedEvent {
  /// The place in the game; the last where the event does not tell.
  fileprivate var sequence: Int { event.sequence ?? .max }
}
