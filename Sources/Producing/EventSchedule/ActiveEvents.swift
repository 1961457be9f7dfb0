import Basics
import GameEvents

/// The events that are refreshed for viewers who join late, until another event ends them or their time is over.
struct ActiveEvents: Sendable {
  struct Entry: Sendable {
    let event: StartedEvent
    /// The number of the next refresh.
    var nextCopy: Int
  }

  /// In the order of their ids, because events start in that order.
  private var entries: [Entry] = []

  var count: Int { entries.count }

  /// Starts an event. It ends others, and becomes active if its type or its cue sheet says so.
  mutating func start(_ event: StartedEvent, firstRefresh: Int) {
    // Events of other types end nothing. A sheet may have a hundred thousand of them.
    let isOfTheGame = EventType.known.contains(event.planned.event.type)
    if isOfTheGame { entries.removeAll { event.planned.event.endsActiveSpan(of: $0.event.planned.event) } }
    if isOfTheGame || event.planned.currentFor != nil { entries.append(Entry(event: event, nextCopy: firstRefresh)) }
  }

  /// The events that are active at `time`, in the order of their sequence numbers. The others are dropped.
  mutating func entries(at time: MediaTime) -> [Entry] {
    entries.removeAll { !$0.event.isActive(at: time) }
    return entries.sorted { ($0.event.sequence, $0.event.id) < ($1.event.sequence, $1.event.id) }
  }

  /// The events that are active at `time`, those first that end soonest: a refresh that is put off may come too late for them.
  ///
  /// - Parameter pending: The events that follow, some of which end active ones.
  /// - Returns: Their ids, and whether each ends within half a second.
  mutating func soonestFirst(at time: MediaTime, pending: ArraySlice<PlannedEvent>) -> [(id: Int, isUrgent: Bool)] {
    let upcoming = pending.prefix(Self.lookahead)
    func end(_ event: StartedEvent) -> MediaTime {
      let ended = upcoming.first { $0.event.endsActiveSpan(of: event.planned.event) }?.time ?? MediaTime(ticks: .max)
      return event.planned.currentFor.map { min(ended, event.time + $0) } ?? ended
    }
    return entries(at: time).map { (end($0.event), $0.event.id) }.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .map { ($0.element.1, $0.element.0 - time <= MediaTime(ticks: 45_000)) }
  }

  /// The number of pending events that are searched for the end of an active one.
  private static let lookahead = 16

  /// The event with an id, if it is active at `time`.
  func entry(_ id: Int, at time: MediaTime) -> Entry? {
    index(of: id).map { entries[$0] }.flatMap { $0.event.isActive(at: time) ? $0 : nil }
  }

  /// Counts a refresh.
  mutating func countRefresh(of id: Int) {
    if let index = index(of: id) { entries[index].nextCopy += 1 }
  }

  private func index(of id: Int) -> Int? {
    let index = entries.partitionIndex { $0.event.id >= id }
    return index < entries.count && entries[index].event.id == id ? index : nil
  }
}
