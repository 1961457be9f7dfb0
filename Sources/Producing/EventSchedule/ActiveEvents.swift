import Basics
import GameEvents

/// The events that are refreshed: those that are active, for viewers who join late, and those that were active until a moment ago, because all their
/// copies may have been lost.
struct ActiveEvents: Sendable {
  /// An event that is refreshed.
  struct Entry: Sendable {
    let event: StartedEvent
    /// The number of the next refresh.
    var nextCopy: Int
    /// When the event was over; `nil` while it is active.
    var end: MediaTime?
  }

  /// The active events, in the order of their ids, because events start in that order.
  private var entries: [Entry] = []
  /// Those that are over, at most ``mostOver``.
  private var over: [Entry] = []

  /// The maximum number of events that are refreshed although they are over. A sheet may have thousands of events in a moment.
  static let mostOver = 16

  var count: Int { entries.count + over.count }

  /// Starts an event. It ends others, and becomes active if its type or its cue sheet says so.
  mutating func start(_ event: StartedEvent, firstRefresh: Int) {
    // Only events of the game end others. A sheet may have a hundred thousand others.
    let isOfTheGame = EventType.known.contains(event.planned.event.type)
    if isOfTheGame { retire { event.planned.event.endsActiveSpan(of: $0.planned.event) ? event.time : nil } }
    if isOfTheGame || event.planned.currentFor != nil { entries.append(Entry(event: event, nextCopy: firstRefresh)) }
  }

  /// The events that are active at `time`, in the order of their sequence numbers.
  mutating func entries(at time: MediaTime) -> [Entry] {
    retire { $0.end.flatMap { $0 <= time ? $0 : nil } }
    entries.removeAll { !$0.event.isRepeatable(at: time) }
    return entries.sorted { ($0.event.sequence, $0.event.id) < ($1.event.sequence, $1.event.id) }
  }

  /// The events that are over at `time` and were not at `start`, in the order in which they ended. The others are dropped.
  mutating func ids(overSince start: MediaTime, at time: MediaTime) -> [Int] {
    over.removeAll { $0.end.map { $0 <= start } ?? true || !$0.event.isRepeatable(at: time) }
    return over.map { $0.event.id }
  }

  /// The events that are active at `time`, those that end soonest first: a postponed refresh may be too late for them.
  ///
  /// - Parameter pending: The events that follow, some of which end active ones.
  /// - Returns: Their ids, and whether each ends within half a second.
  mutating func soonestFirst(at time: MediaTime, pending: ArraySlice<PlannedEvent>) -> [(id: Int, isUrgent: Bool)] {
    let upcoming = pending.prefix(Self.lookahead)
    func end(_ event: StartedEvent) -> MediaTime {
      let ended = upcoming.first { $0.event.endsActiveSpan(of: event.planned.event) }?.time ?? MediaTime(ticks: .max)
      return event.end.map { min(ended, $0) } ?? ended
    }
    return entries(at: time).map { (end($0.event), $0.event.id) }.enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
      .map { ($0.element.1, $0.element.0 - time <= MediaTime(ticks: 45_000)) }
  }

  /// The number of pending events that are searched for the end of an active one.
  private static let lookahead = 16

  /// The event with an id, if it may be refreshed at `time`.
  func entry(_ id: Int, at time: MediaTime) -> Entry? {
    let entry = index(of: id).map { entries[$0] } ?? over.first { $0.event.id == id }
    return entry.flatMap { $0.event.isRepeatable(at: time) ? $0 : nil }
  }

  /// Counts a refresh.
  mutating func countRefresh(of id: Int) {
    if let index = index(of: id) {
      entries[index].nextCopy += 1
    } else if let index = over.firstIndex(where: { $0.event.id == id }) {
      over[index].nextCopy += 1
    }
  }

  private func index(of id: Int) -> Int? {
    let index = entries.partitionIndex { $0.event.id >= id }
    return index < entries.count && entries[index].event.id == id ? index : nil
  }

  /// Moves ended events to `over`.
  private mutating func retire(_ end: (StartedEvent) -> MediaTime?) {
    var ended: [Entry] = []
    entries.removeAll { entry in
      guard let time = end(entry.event) else { return false }
      ended.append(Entry(event: entry.event, nextCopy: entry.nextCopy, end: time))
      return true
    }
    for entry in ended {
      over.append(entry)
      if over.count > Self.mostOver { dropOldestOver() }
    }
  }

  /// Drops the oldest event of the most frequent kind among those that are over. Each type of the game is a kind, and all other types together are
  /// one.
  private mutating func dropOldestOver() {
    func kind(_ entry: Entry) -> EventType? {
      let type = entry.event.planned.event.type
      return EventType.known.contains(type) ? type : nil
    }
    let counts = over.reduce(into: [:]) { $0[kind($1), default: 0] += 1 }
    let most = counts.values.max() ?? 0
    if let index = over.firstIndex(where: { counts[kind($0)] == most }) { over.remove(at: index) }
  }
}
