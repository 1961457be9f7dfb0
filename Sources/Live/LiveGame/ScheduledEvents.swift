import Basics
import GameEvents

/// The events of a game that wait for their time or for the operator.
struct ScheduledEvents: Sendable {
  struct Event: Sendable {
    var guid: GUID
    var request: LiveRequest
    var due: LiveRequest.Due
    /// Its number in the order of acceptance.
    fileprivate var order: Int
  }

  private(set) var events: [Event] = []
  private var acceptedCount = 0

  /// Events get their numbers this long before their time, since writing the journal takes a moment.
  private static let lead = MediaTime(ticks: 22_500)

  mutating func add(_ guid: GUID, _ request: LiveRequest, _ due: LiveRequest.Due) {
    acceptedCount += 1
    events.append(Event(guid: guid, request: request, due: due, order: acceptedCount))
  }

  /// Puts an event back that was taken out.
  mutating func putBack(_ event: Event) { events.insert(event, at: events.firstIndex { $0.order > event.order } ?? events.endIndex) }

  @discardableResult
  mutating func remove(_ guid: GUID) -> Event? { events.firstIndex { $0.guid == guid }.map { events.remove(at: $0) } }

  /// Takes out the first event that waits for the operator.
  mutating func takeNext() -> Event? { events.firstIndex { $0.due == .go }.map { events.remove(at: $0) } }

  /// Takes out the events whose time is near, in the order of their times.
  mutating func takeDue(_ now: LiveGame.Now) -> [(event: Event, time: MediaTime?)] {
    let due = events.filter { Self.isDue($0.due, now) }.map { (event: $0, time: Self.time($0.due, now.dates)) }
    guard !due.isEmpty else { return [] }
    let guids = Set(due.map(\.event.guid))
    events.removeAll { guids.contains($0.guid) }
    return due.sorted { ($0.time ?? .zero, $0.event.order) < ($1.time ?? .zero, $1.event.order) }
  }

  /// The programme time from which on ``takeDue(_:)`` finds an event; `nil` if no event waits for a time.
  func nextTime(_ dates: DateAnchor?) -> MediaTime? {
    events.lazy.compactMap { $0.due == .next ? .zero : Self.time($0.due, dates).map { $0 - Self.lead } }.min()
  }

  private static func isDue(_ due: LiveRequest.Due, _ now: LiveGame.Now) -> Bool {
    guard let time = now.time else { return false }
    return switch due {
    // Only after a restart: the journal ended between the event's acceptance and its number.
    case .next: true
    case .at, .wallClock: Self.time(due, now.dates).map { $0 <= time + lead } ?? false
    case .after, .go: false
    }
  }

  private static func time(_ due: LiveRequest.Due, _ dates: DateAnchor?) -> MediaTime? {
    switch due {
    case .at(let time): time
    case .wallClock(let date): dates?.time(of: date)
    case .next, .after, .go: nil
    }
  }
}

extension LiveRequest {
  /// When the event has to wait for its time or for the operator; `nil` if it goes before the next access unit.
  ///
  /// - Throws: `LiveProblem.tooLate`.
  func due(_ acceptance: JournalRecord.Acceptance) throws(LiveProblem) -> Due? {
    let isLate: Bool
    let wanted: Due
    switch due {
    case .next: return nil
    case .go: return .go
    case .at(let time):
      wanted = .at(time)
      isLate = acceptance.time.map { time <= $0 } ?? false
      if isLate, !isLateAllowed { throw .tooLate(at: .time(time), now: acceptance.time ?? .zero) }
    case .after(let wait):
      // Without an input there is no programme time to count from.
      wanted = acceptance.time.map { .at($0 + wait) } ?? .wallClock(acceptance.wallClock + wait.milliseconds)
      isLate = wait == .zero
    case .wallClock(let date):
      wanted = .wallClock(date)
      isLate = date <= acceptance.wallClock
      if isLate, !isLateAllowed, let now = acceptance.time { throw .tooLate(at: .date(date, now: acceptance.wallClock), now: now) }
    }
    return isLate ? nil : wanted
  }
}

extension LiveRequest.Due {
  /// Whether it is known that this time is before another one.
  func isBefore(_ other: LiveRequest.Due) -> Bool {
    switch (self, other) {
    case (.at(let left), .at(let right)): left < right
    case (.wallClock(let left), .wallClock(let right)): left < right
    default: false
    }
  }
}
