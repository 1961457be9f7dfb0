package import Basics
package import GameEvents

/// Compares the events of a delivered stream with the list of its injector.
///
/// It touches no clock: every call states the current time, in milliseconds since 1970. An event is missing when the segment after its own was
/// read without it, or, if segments have no dates or do not arrive, when it is too long ago.
package struct DeliveryWatch: Sendable {
  /// An event that the injector has put into the stream.
  package struct Expected: Equatable, Sendable {
    package var guid: GUID
    package var type: String
    package var sequence: Int?
    /// Its time on the programme's timeline.
    package var at: MediaTime?
    /// When viewers see it, in milliseconds since 1970.
    package var date: Int64

    package init(guid: GUID, type: String, sequence: Int?, at: MediaTime?, date: Int64) {
      (self.guid, self.type, self.sequence, self.at, self.date) = (guid, type, sequence, at, date)
    }
  }

  /// Why an event is late.
  package enum Delay: String, Equatable, Sendable {
    /// Its first copies are lost, and a later one made it known.
    case copies
    /// It arrived long after its date.
    case delivery
  }

  /// A fault of the delivery.
  package enum Finding: Equatable, Sendable {
    /// The event is missing; with the segment that was read last.
    case missing(Expected, segment: UInt64?)
    /// The event is late by this time; with its segment.
    case late(Expected, by: MediaTime, Delay, segment: UInt64?)
    /// The injector does not know the event.
    case unlisted(GUID, type: String, segment: UInt64?)
  }

  /// Totals so far.
  package struct Tally: Equatable, Sendable {
    package var inTime = 0
    package var late = 0
    package var missing = 0
    package var unlisted = 0
    /// The delays of events after their dates: the latest, and the largest.
    package var latency: MediaTime?
    package var mostLatency = MediaTime.zero

    package init() {}

    package var events: Int { inTime + late + missing }
    /// Whether every event arrived in time.
    package var isRight: Bool { late == 0 && missing == 0 }
  }

  /// An event that was seen in the stream, and when it was seen first.
  private struct Sighting: Sendable {
    var age: MediaTime
    var moment: Int64
    var segment: UInt64?
    var type: String
  }

  private let patience: MediaTime
  private let tolerance: MediaTime
  /// The date from which on events are expected; `nil` before the first segment.
  private var start: Int64?
  /// The segment that is being read, or was read last.
  private var segment: (number: UInt64, date: Int64?)?
  /// Events before this date must have been seen.
  private var horizon = Int64.min
  private var seen: [GUID: Sighting] = [:]
  private var seenOrder = Queue<GUID>()
  private var waiting: [GUID: Expected] = [:]
  private var missing: [GUID: Expected] = [:]
  private var decided: Set<GUID> = []
  private var decidedOrder = Queue<GUID>()
  /// Totals so far.
  package private(set) var tally = Tally()

  /// The maximum number of remembered events: more than an injector lists.
  private static let mostRemembered = 40_000

  /// - Parameters:
  ///   - patience: How long after its date an event may arrive.
  ///   - tolerance: The maximum age of the first copy that is seen.
  package init(patience: MediaTime, tolerance: MediaTime) { (self.patience, self.tolerance) = (patience, tolerance) }

  // MARK: The injector

  /// Receives the list of events that the injector has put into the stream.
  ///
  /// - Parameters:
  ///   - list: The events that are in the stream.
  ///   - known: The identifiers of all events that the injector knows.
  ///   - asked: When the list was requested.
  package mutating func learn(_ list: [Expected], known: Set<GUID>, asked: Int64, at now: Int64) -> [Finding] {
    guard let start else { return [] }
    var findings: [Finding] = []
    for event in list where event.date >= start && waiting[event.guid] == nil && !decided.contains(event.guid) {
      if let sighting = seen[event.guid] {
        findings += decide(event, sighting)
      } else {
        waiting[event.guid] = event
      }
    }
    for guid in seenOrder.elements where !known.contains(guid) && !decided.contains(guid) {
      // Events from before this watch began may be forgotten by now.
      guard let sighting = seen[guid], sighting.moment < asked, sighting.age <= tolerance else { continue }
      close(guid)
      tally.unlisted += 1
      findings.append(.unlisted(guid, type: sighting.type, segment: sighting.segment))
    }
    return findings + pass(to: now)
  }

  // MARK: The stream

  /// Records that a segment is next.
  ///
  /// - Parameter date: The date of its start; `nil` if the playlist does not state it.
  package mutating func begin(_ number: UInt64, date: Int64?, at now: Int64) {
    segment = (number, date)
    if start == nil { start = date ?? now }
  }

  /// Records a copy in the current segment.
  package mutating func receive(_ copy: EventCopy, at now: Int64) -> [Finding] {
    let guid = copy.event.guid
    guard seen[guid] == nil else { return [] }
    let sighting = Sighting(age: copy.age, moment: now, segment: segment?.number, type: copy.event.type.text)
    seen[guid] = sighting
    seenOrder.append(guid)
    if seenOrder.count > Self.mostRemembered, let oldest = seenOrder.popFirst() { seen[oldest] = nil }
    if let event = waiting.removeValue(forKey: guid) { return decide(event, sighting) }
    guard let event = missing.removeValue(forKey: guid) else { return [] }
    // It was reported as missing, so it is late in any case.
    tally.missing -= 1
    return [late(event, sighting)]
  }

  /// Records that the segment was read, or is lost. Earlier events must have been seen.
  package mutating func endSegment(at now: Int64) -> [Finding] {
    if let date = segment?.date { horizon = max(horizon, date) }
    return pass(to: now)
  }

  /// Records that the stream has ended with the segment that was read last.
  ///
  /// - Parameter duration: The duration of that segment.
  package mutating func finish(_ duration: MediaTime, at now: Int64) -> [Finding] {
    if let date = segment?.date { horizon = max(horizon, date + duration.milliseconds) }
    return pass(to: now)
  }

  /// Advances the time.
  package mutating func pass(to now: Int64) -> [Finding] {
    let overdue = waiting.values.filter { $0.date < horizon || now - $0.date > patience.milliseconds }
    return overdue.sorted { ($0.date, $0.sequence ?? 0) < ($1.date, $1.sequence ?? 0) }.map { event -> Finding in
      waiting[event.guid] = nil
      missing[event.guid] = event
      close(event.guid)
      tally.missing += 1
      return .missing(event, segment: segment?.number)
    }
  }

  // MARK: Decisions

  private mutating func decide(_ event: Expected, _ sighting: Sighting) -> [Finding] {
    close(event.guid)
    let latency = MediaTime(milliseconds: max(sighting.moment - event.date, 0))
    tally.latency = latency
    tally.mostLatency = max(tally.mostLatency, latency)
    guard sighting.age > tolerance || latency > patience else {
      tally.inTime += 1
      return []
    }
    return [late(event, sighting)]
  }

  private mutating func late(_ event: Expected, _ sighting: Sighting) -> Finding {
    tally.late += 1
    let isOld = sighting.age > tolerance
    let delay = isOld ? sighting.age : MediaTime(milliseconds: max(sighting.moment - event.date, 0))
    return .late(event, by: delay, isOld ? .copies : .delivery, segment: sighting.segment)
  }

  private mutating func close(_ guid: GUID) {
    guard decided.insert(guid).inserted else { return }
    decidedOrder.append(guid)
    guard decidedOrder.count > Self.mostRemembered, let oldest = decidedOrder.popFirst() else { return }
    decided.remove(oldest)
    missing[oldest] = nil
  }
}
