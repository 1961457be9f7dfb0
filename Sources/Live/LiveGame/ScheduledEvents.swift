import Basics
import GameEvents
import SCTE35

/// The events of a game that wait for their time or for the operator.
struct ScheduledEvents: Sendable {
  struct Event: Sendable {
    var guid: GUID
    var request: LiveRequest
    var due: LiveRequest.Due
    /// How long a question lasts that stays out of ad breaks; `nil` for an event that does not.
    var heldSpan: MediaTime?
    /// Its number in the order of acceptance.
    fileprivate var order: Int
  }

  private(set) var events: [Event] = []
  /// The ad breaks of the stream.
  var breaks = KnownBreaks()
  private var acceptedCount = 0

  /// Events get their numbers this long before their time, since writing the journal takes a moment.
  private static let lead = MediaTime(ticks: 22_500)

  mutating func add(_ guid: GUID, _ request: LiveRequest, _ due: LiveRequest.Due, heldSpan: MediaTime? = nil) {
    acceptedCount += 1
    events.append(Event(guid: guid, request: request, due: due, heldSpan: heldSpan, order: acceptedCount))
  }

  /// Puts an event back that was taken out.
  mutating func putBack(_ event: Event) { events.insert(event, at: events.firstIndex { $0.order > event.order } ?? events.endIndex) }

  @discardableResult
  mutating func remove(_ guid: GUID) -> Event? { events.firstIndex { $0.guid == guid }.map { events.remove(at: $0) } }

  /// Takes out the first event that waits for the operator.
  mutating func takeNext() -> Event? { events.firstIndex { $0.due == .go }.map { events.remove(at: $0) } }

  /// Lets an event that waits for the operator go at once, or at the end of an ad break.
  mutating func release(_ guid: GUID) {
    if let index = events.firstIndex(where: { $0.guid == guid && $0.due == .go }) { events[index].due = .at(.zero) }
  }

  /// Takes out the events whose time is near, in the order of their times.
  mutating func takeDue(_ now: LiveGame.Now) -> [(event: Event, time: MediaTime?)] {
    let due = events.filter { isDue($0, now) }.map { (event: $0, time: time($0, now.dates)) }
    guard !due.isEmpty else { return [] }
    let guids = Set(due.map(\.event.guid))
    events.removeAll { guids.contains($0.guid) }
    return due.sorted { ($0.time ?? .zero, $0.event.order) < ($1.time ?? .zero, $1.event.order) }
  }

  /// The programme time from which on ``takeDue(_:)`` finds an event; `nil` if no event waits for a time.
  func nextTime(_ dates: DateAnchor?) -> MediaTime? {
    events.lazy.compactMap { $0.due == .next ? .zero : time($0, dates).map { $0 - Self.lead } }.min()
  }

  private func isDue(_ event: Event, _ now: LiveGame.Now) -> Bool {
    guard let time = now.time else { return false }
    return switch event.due {
    // Only after a restart: the journal ended between the event's acceptance and its number.
    case .next: true
    case .at, .wallClock: self.time(event, now.dates).map { $0 <= time + Self.lead } ?? false
    case .after, .go: false
    }
  }

  /// When an event goes into the stream; `nil` if that is not known, or if it waits for the end of an ad break that nobody knows yet.
  private func time(_ event: Event, _ dates: DateAnchor?) -> MediaTime? {
    guard let time = Self.time(event.due, dates) else { return nil }
    return event.heldSpan.map { breaks.free(from: time, for: $0) } ?? time
  }

  /// The break that an event waits for; `nil` if it waits for none.
  func holder(of event: Event, _ dates: DateAnchor?) -> AdBreak? {
    guard let span = event.heldSpan, let time = Self.time(event.due, dates) else { return nil }
    return breaks.met(from: time, for: span)
  }

  /// When something is due; `nil` if that is not a time, or without dates.
  static func time(_ due: LiveRequest.Due, _ dates: DateAnchor?) -> MediaTime? {
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
