import Basics
package import GameEvents

/// What the pages of viewers report of the events of a stream: counts alone, of fixed size. It knows no viewer, and forgets a page that is silent.
///
/// Beyond ``mostSessions`` pages it keeps half of them, chosen by their hashed names, and tells the others to be silent, as often as there are too many
/// again. So it hears a fair sample of any audience.
///
/// All times are in milliseconds since 1970.
package struct ReachBook: Sendable {
  /// What becomes of a report.
  package enum Outcome: Equatable, Sendable {
    case taken
    /// The page is none of the sample, and should not report any more.
    case silenced
  }

  private struct Session {
    var first: Int64
    var last: Int64
    /// The hash of where it comes from.
    var place: UInt64
    /// The step of its latest delay.
    var delay: Int?
    /// The events that it was there for, and those that it has shown, by the places in ``events``.
    var met = EventSet()
    var shown = EventSet()
  }

  private let seed: UInt64
  private var sessions: [UInt64: Session] = [:]
  /// The number of sessions from each place.
  private var places: [UInt64: Int] = [:]
  /// Sessions with a hash up to this one are in the sample.
  private var threshold = UInt64.max
  /// The number of times that the sample was halved.
  private var halvings = 0
  private var delays = DelayHistogram()
  private var events: [EventReach] = []
  private var slots: [GUID: Int] = [:]
  /// The place in ``events`` of the next event, once there are as many as there may be.
  private var nextSlot = 0
  /// The places in ``events`` of those that are in the stream.
  private var placed = PlacedEvents()
  private var nextCleaning = Int64.min
  /// The numbers of reports that were counted, and of those that were not.
  package private(set) var reports = 0
  package private(set) var wrongReports = 0

  /// The maximum number of pages that are heard.
  package static let mostSessions = 10_000
  /// The maximum number of pages from one place, however few there are; beyond it one place has at most one of 100.
  package static let mostPerPlace = 64
  /// The maximum number of events that are remembered: the latest ones.
  package static let mostEvents = EventSet.count
  /// How long a page is remembered that reports nothing.
  package static let patience: Int64 = 600_000
  /// How long the delay of a page counts after its latest report.
  private static let cleaningInterval: Int64 = 5_000

  /// - Parameter seed: A secret number: without it nobody can choose a name that is in the sample.
  package init(seed: UInt64) { self.seed = seed }

  // MARK: Events

  /// Records that an event was accepted.
  package mutating func accept(_ guid: GUID, at now: Int64) {
    guard slots[guid] == nil else { return }
    let event = EventReach(guid: guid, acceptedAt: now)
    guard events.count == Self.mostEvents else {
      slots[guid] = events.count
      return events.append(event)
    }
    slots[events[nextSlot].guid] = nil
    placed.remove(nextSlot)
    for key in sessions.keys {
      sessions[key]?.met.remove(nextSlot)
      sessions[key]?.shown.remove(nextSlot)
    }
    (events[nextSlot], slots[guid]) = (event, nextSlot)
    nextSlot = (nextSlot + 1) % Self.mostEvents
  }

  /// Records that the first copy of an event is in the stream.
  package mutating func place(_ guid: GUID, at now: Int64) {
    accept(guid, at: now)
    guard let slot = slots[guid], events[slot].placedAt == nil else { return }
    events[slot].placedAt = now
    placed.insert(slot, at: now)
  }

  /// Records that clients can load a part or a segment with an event.
  package mutating func publish(_ guid: GUID, at now: Int64) {
    guard let slot = slots[guid], events[slot].placedAt != nil, events[slot].publishedAt == nil else { return }
    events[slot].publishedAt = now
  }

  /// What is known of an event; `nil` if it is none of the latest.
  package func reach(of guid: GUID) -> EventReach? { slots[guid].map { events[$0] } }

  /// What is known of all events, the earliest first.
  package var all: [EventReach] { Array(events[nextSlot...] + events[..<nextSlot]) }

  // MARK: Reports

  /// Records lines that are no reports.
  package mutating func noteWrong(_ count: Int) { wrongReports = wrongReports.addingSaturated(count) }

  /// Takes a report.
  ///
  /// - Parameters:
  ///   - place: Where it comes from, such as an address: one place must not be the whole audience.
  ///   - now: When it arrived.
  package mutating func take(_ report: ViewerReport, from place: String, at now: Int64) -> Outcome {
    if now >= nextCleaning { clean(at: now) }
    let (key, place) = (hash(report.session, purpose: 1), hash(place, purpose: 2))
    guard key <= threshold else { return .silenced }
    if sessions[key] == nil {
      guard places[place, default: 0] < max(Self.mostPerPlace, sessions.count / 100) else { return .silenced }
      sessions[key] = Session(first: now, last: now, place: place)
      places[place, default: 0] += 1
      while sessions.count > Self.mostSessions { halve() }
    } else {
      meetEvents(key, at: now)
    }
    guard var session = sessions[key] else { return .silenced }
    session.last = max(session.last, now)
    reports = reports.addingSaturated(1)
    if case .shown(let shown) = report.event {
      take(shown, of: report, &session, at: now)
    } else if let latency = report.latency {
      set(latency, &session)
    }
    sessions[key] = session
    return .taken
  }

  /// Counts a page with the events that were placed since its report before: it is there to see them.
  private mutating func meetEvents(_ key: UInt64, at now: Int64) {
    guard var session = sessions[key] else { return }
    for slot in placed.places(from: session.last, to: now) { meet(slot, &session) }
    sessions[key] = session
  }

  private mutating func meet(_ slot: Int, _ session: inout Session) {
    guard !session.met.contains(slot) else { return }
    session.met.insert(slot)
    events[slot].sessions += 1
  }

  private mutating func take(_ shown: ViewerReport.Shown, of report: ViewerReport, _ session: inout Session, at now: Int64) {
    guard let slot = slots[shown.guid], let placed = events[slot].placedAt else { return wrongReports = wrongReports.addingSaturated(1) }
    // The page's own clock tells when only if nothing better does.
    let seen = shown.age.map { now - $0 } ?? min(report.time, now)
    // Nobody sees an event before it is in the stream.
    guard seen >= placed - Self.tolerance, !session.shown.contains(slot) else { return }
    session.shown.insert(slot)
    meet(slot, &session)
    let joinedLater = session.first > placed
    let accepted = events[slot].acceptedAt
    events[slot].count(
      player: report.player, page: seen - shown.ahead - accepted, eye: seen - accepted, isLate: joinedLater && shown.late > 0)
    // How far the picture is behind does not depend on when the page learned of the event.
    set(max(seen - shown.late - placed, 0), &session)
  }

  private static let tolerance: Int64 = 1_000

  private mutating func set(_ delay: Int64, _ session: inout Session) {
    if let known = session.delay { delays.remove(known) }
    let step = DelayHistogram.step(of: delay)
    session.delay = step
    delays.add(step)
  }

  // MARK: The audience

  /// How far the pages of the sample are behind, each by its latest report.
  package var audience: AudienceDelay { AudienceDelay(delays, share: share) }

  /// The number of pages of the sample.
  package var sessionCount: Int { sessions.count }

  /// The share of all pages that is in the sample.
  package var share: Double { 1 / Double(UInt64(1) << UInt64(min(halvings, 62))) }

  /// Forgets pages that are silent.
  private mutating func clean(at now: Int64) {
    nextCleaning = now.addingSaturated(Self.cleaningInterval)
    for (key, session) in sessions where now - session.last > Self.patience { forget(key, session) }
  }

  private mutating func halve() {
    threshold /= 2
    halvings += 1
    for (key, session) in sessions where key > threshold { forget(key, session) }
  }

  private mutating func forget(_ key: UInt64, _ session: Session) {
    if let delay = session.delay { delays.remove(delay) }
    sessions[key] = nil
    let others = places[session.place, default: 1] - 1
    places[session.place] = others > 0 ? others : nil
  }

  private func hash(_ text: String, purpose: UInt64) -> UInt64 {
    // FNV-1a with a secret beginning, and mixed well at its end.
    var hash = SeededNumbers(seed: seed, purpose: purpose)[0]
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return SeededNumbers(seed: hash, purpose: seed)[0]
  }
}

/// A set of places of events.
struct EventSet: Equatable, Sendable {
  /// The number of places.
  static let count = 256
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  static func == (left: EventSet, right: EventSet) -> Bool { left.words == right.words }

  func contains(_ place: Int) -> Bool { word(place) & (1 << UInt64(place % 64)) != 0 }
  mutating func insert(_ place: Int) { set(place, word(place) | (1 << UInt64(place % 64))) }
  mutating func remove(_ place: Int) { set(place, word(place) & ~(1 << UInt64(place % 64))) }

  private func word(_ place: Int) -> UInt64 {
    switch place / 64 {
    case 0: words.0
    case 1: words.1
    case 2: words.2
    default: words.3
    }
  }

  private mutating func set(_ place: Int, _ word: UInt64) {
    switch place / 64 {
    case 0: words.0 = word
    case 1: words.1 = word
    case 2: words.2 = word
    default: words.3 = word
    }
  }
}
