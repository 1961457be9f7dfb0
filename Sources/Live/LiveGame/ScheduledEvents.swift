import Basics
import CueSheet
import GameEvents
import SCTE35

/// The events of a game that wait for their time or for the operator.
struct ScheduledEvents: Sendable {
  struct Event: Sendable {
    var guid: GUID
    var request: LiveRequest
    var due: LiveRequest.Due
    /// The game in which a question or a result keeps its place if ad breaks hold questions; `nil` for other events.
    var game: GameID?
    /// How long a question lasts that stays out of ad breaks; `nil` for an event that does not.
    var heldSpan: MediaTime?
    /// Whether it waits for the end of a break, or for a question that does.
    var isHeld = false
    /// Its number in the order of acceptance.
    fileprivate var order: Int
  }

  private(set) var events: [Event] = []
  /// The ad breaks of the stream.
  var breaks = KnownBreaks()
  private var acceptedCount = 0

  /// Events get their numbers this long before their time, since writing the journal takes a moment.
  private static let lead = MediaTime(ticks: 22_500)

  mutating func add(_ guid: GUID, _ request: LiveRequest, _ due: LiveRequest.Due, in game: GameID? = nil, heldSpan: MediaTime? = nil) {
    acceptedCount += 1
    events.append(Event(guid: guid, request: request, due: due, game: game, heldSpan: heldSpan, order: acceptedCount))
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

  /// Sets the time of an event that waits for another one.
  mutating func move(_ guid: GUID, to time: MediaTime) {
    if let index = events.firstIndex(where: { $0.guid == guid }) { events[index].due = .at(time) }
  }

  /// Takes out the events whose time is near, in the order of their times.
  ///
  /// - Returns: The events, and those that get another time, because a question before them was held.
  mutating func takeDue(_ now: LiveGame.Now) -> (due: [(event: Event, time: MediaTime?)], moved: [(guid: GUID, time: MediaTime)]) {
    guard let limit = now.time.map({ $0 + Self.lead }) else { return ([], []) }
    let times = times(now)
    // Without a time only after a restart: the journal ended between the event's acceptance and its number.
    let isDue = zip(events, times).map { event, time in event.due == .next || time.map { $0 <= limit } ?? false }
    let due = events.indices.filter { isDue[$0] }.map { (event: events[$0], time: times[$0]) }
    guard !due.isEmpty else { return ([], []) }
    let delayed = Set(due.compactMap { $0.time == Self.time($0.event.due, now) ? nil : $0.event.game })
    var moved: [(guid: GUID, time: MediaTime)] = []
    for (index, time) in times.enumerated() where !isDue[index] {
      guard let game = events[index].game, delayed.contains(game), let time, time != Self.time(events[index].due, now) else {
        continue
      }
      events[index].due = .at(time)
      moved.append((events[index].guid, time))
    }
    let guids = Set(due.map(\.event.guid))
    events.removeAll { guids.contains($0.guid) }
    return (due.sorted { ($0.time ?? .zero, $0.event.order) < ($1.time ?? .zero, $1.event.order) }, moved)
  }

  /// The programme time from which on ``takeDue(_:)`` finds an event; `nil` if no event waits for a time.
  func nextTime(_ now: LiveGame.Now) -> MediaTime? {
    zip(events, times(now)).lazy.compactMap { event, time in event.due == .next ? .zero : time.map { $0 - Self.lead } }.min()
  }

  /// Whether a question of a game is held.
  func isHolding(_ game: GameID) -> Bool { events.contains { $0.isHeld && $0.heldSpan != nil && $0.game == game } }

  /// Finds out which events are held.
  ///
  /// - Returns: Each question and result of games that ad breaks hold, with what it waits for in words; `nil` if it goes at its own time.
  mutating func noteHeld(_ now: LiveGame.Now) -> [(guid: GUID, reason: String?)] {
    let times = times(now)
    var held: [(guid: GUID, reason: String?)] = []
    for (index, time) in times.enumerated() where events[index].game != nil {
      let due = Self.time(events[index].due, now)
      events[index].isHeld = due != time
      let met = due.flatMap { due in events[index].heldSpan.flatMap { breaks.met(from: due, for: $0) } }
      let reason = met.map { "waits for the end of \($0.words)" } ?? "waits for a question that is held"
      held.append((events[index].guid, due == time ? nil : reason))
    }
    return held
  }

  /// When each event goes into the stream; `nil` if that is not known, or if it waits for the end of an ad break that nobody knows yet.
  ///
  /// A result keeps its distance from a question that is held. A question never goes before what comes before it in its game.
  private func times(_ now: LiveGame.Now) -> [MediaTime?] {
    var times = events.map { Self.time($0.due, now) }
    guard !breaks.list.isEmpty || events.contains(where: \.isHeld) else { return times }
    let ordered = events.indices.compactMap { index in times[index].map { (index: index, due: $0) } }
      .filter { events[$0.index].game != nil }.sorted { ($0.due, events[$0.index].order) < ($1.due, events[$1.index].order) }
    var latest: [GameID: (due: MediaTime, time: MediaTime?, delay: MediaTime)] = [:]
    for (index, due) in ordered {
      guard let game = events[index].game else { continue }
      let before = latest[game] ?? (due, due, .zero)
      var delay = before.delay
      times[index] = before.time.flatMap { previous in
        guard let span = events[index].heldSpan else { return max(due + delay, previous) }
        // What was held until now goes from now on.
        let earliest = max(previous > due ? previous + (due - before.due) : due, events[index].isHeld ? now.time ?? due : due)
        let time = breaks.free(from: earliest, for: span)
        delay = time.map { $0 - due } ?? .zero
        return time
      }
      latest[game] = (due, times[index], delay)
    }
    return times
  }

  /// When something is due; `nil` if that is not a time, or without dates.
  static func time(_ due: LiveRequest.Due, _ now: LiveGame.Now) -> MediaTime? {
    switch due {
    case .at(let time): time
    case .wallClock(let date): now.dates?.time(of: date)
    case .timecode(let label): now.timecodes.flatMap { try? $0.time(of: label, near: now.time ?? $0.time) }
    case .next, .after, .go: nil
    }
  }
}

extension LiveRequest {
  /// When the event has to wait for its time or for the operator; `nil` if it goes before the next access unit.
  ///
  /// - Throws: `LiveProblem`: `tooLate`, or what is wrong with a timecode.
  func due(_ acceptance: JournalRecord.Acceptance, _ timecode: StreamTimecode) throws(LiveProblem) -> Due? {
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
    case .timecode(let label):
      wanted = .timecode(label)
      if let problem = timecode.problem { throw .noTimecode(problem) }
      isLate = try acceptance.time.map { (now) throws(LiveProblem) in try isPast(label, timecode, now) } ?? false
    }
    return isLate ? nil : wanted
  }

  /// Whether the stream has passed a timecode.
  private func isPast(_ label: TimecodeLabel, _ timecode: StreamTimecode, _ now: MediaTime) throws(LiveProblem) -> Bool {
    guard case .running(let anchor) = timecode else { return false }
    do throws(Timecode.Failure) {
      guard try anchor.time(of: label, near: now) <= now else { return false }
    } catch {
      throw .invalid([.init(pointer: "/timecode", message: error.words(label, rate: anchor.rate))])
    }
    guard isLateAllowed else { throw .tooLate(at: .timecode(label.text, now: anchor.text(at: now)), now: now) }
    return true
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
