package import Basics
package import EventSchedule
package import GameEvents

/// The events for an injector of another maker: which copy is sent next, and what the answer means for the event.
///
/// The stream itself does not pass through here, so that programme time is a clock. Copies are scheduled every ``interval`` instead of at each access unit.
package struct OutboundStream: Sendable {
  /// The meaning of an answer for an event.
  package enum Outcome: Equatable, Sendable {
    /// The injector has this copy.
    case placed(EventCopy, at: MediaTime)
    /// The injector will never have the event, for this reason.
    case lost(GUID, String)
    /// The injector is busy or away. A first copy is sent again, and any other is dropped.
    case waiting(String)
  }

  private var schedule: EventSchedule
  /// The copies that wait for the injector.
  package private(set) var queue: CopyQueue
  private var refused: Set<GUID> = []
  /// The times of events that arrived after them.
  private var times: [GUID: MediaTime] = [:]
  private var timed = Queue<GUID>()
  private var nextDecision = MediaTime(ticks: .min)

  /// The time between two decisions about copies.
  package static let interval = MediaTime(ticks: 18_000)
  /// How long nothing is sent to a busy injector, and to one that does not know the stream, in milliseconds.
  private static let shortPause: Int64 = 1_000
  private static let longPause: Int64 = 3_000
  /// The maximum number of remembered times.
  private static let mostTimes = 10_000

  /// - Parameters:
  ///   - policy: How often each event is repeated. Repeats beyond the injector's limit are dropped.
  ///   - requestsPerSecond: The injector's limit.
  package init(_ policy: CopyPolicy, requestsPerSecond: Int) {
    schedule = EventSchedule([], policy: policy)
    queue = CopyQueue(requestsPerSecond: requestsPerSecond)
  }

  /// Resumes events that an earlier process has sent, in the order of their times.
  ///
  /// - Parameter now: The moment in milliseconds. If there are refreshes, nothing is sent for a second: the earlier process may have just ended, and the
  ///   injector counts its requests, too.
  package mutating func resume(_ events: [PlannedEvent], at now: Int64 = 0) {
    for event in events { schedule.resume(event) }
    if schedule.nextTime != nil { queue.pauseForASecond(at: now) }
  }

  /// Adds an event.
  ///
  /// - Parameter time: When the event happens, unless it says so itself. All its copies have this time, even if the first one is sent later.
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws. Then the event is not added.
  package mutating func add(_ event: PlannedEvent, at time: MediaTime) throws(EventError) {
    _ = try EventCopy(of: event.event, age: EventCopy.largestAge, signature: event.signature).encodedTag()
    var event = event
    let happens = event.event.at ?? time
    event.event.at = max(happens, schedule.earliestTime)
    if event.event.at != happens {
      times[event.event.guid] = happens
      timed.append(event.event.guid)
      if timed.count > Self.mostTimes, let oldest = timed.popFirst() { times[oldest] = nil }
    }
    // It cannot fail, since the event's time is after all copies so far.
    try? schedule.insert(event)
  }

  /// Whether all copies were sent, and no more will be due.
  package var isIdle: Bool { queue.isEmpty && schedule.nextTime == nil }

  /// Schedules the copies that are due at a time.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  package mutating func advance(to time: MediaTime) throws(EventError) {
    guard time >= nextDecision else { return }
    nextDecision = time + Self.interval
    let copies = try schedule.copies(before: EventSchedule.AccessUnit(time: time, duration: Self.interval)).map(\.copy)
    queue.add(refused.isEmpty ? copies : copies.filter { !refused.contains($0.event.guid) })
  }

  /// The copy to send at a moment, with its age by then.
  ///
  /// - Parameters:
  ///   - now: The moment in milliseconds.
  ///   - time: The programme time then.
  package mutating func next(at now: Int64, _ time: MediaTime) -> EventCopy? {
    guard var copy = queue.next(at: now) else { return nil }
    if let happened = times[copy.event.guid] { copy.event.at = happened }
    if let at = copy.event.at { copy.age = min(max(copy.age, time - at), EventCopy.largestAge) }
    return copy
  }

  /// The programme time of the next decision; `nil` if no more copies will be due.
  package var nextTime: MediaTime? { schedule.nextTime.map { max($0, nextDecision) } }

  /// Records the injector's answer to a copy, and returns its meaning for the event.
  ///
  /// - Parameter now: The moment in milliseconds.
  package mutating func receive(_ answer: InjectorAnswer, to copy: EventCopy, at now: Int64) -> Outcome {
    let guid = copy.event.guid
    queue.noteAnswer(at: now)
    switch answer {
    case .taken: return .placed(copy, at: copy.event.at ?? .zero)
    case .later(let reason):
      queue.putBack(copy, until: now + Self.shortPause)
      return .waiting(reason)
    case .unreachable(_, let reason):
      queue.putBack(copy, until: now + Self.longPause)
      return .waiting(reason)
    case .refused(_, let reason):
      // An event with an accepted copy is not lost.
      guard copy.copy == 1 else { return .waiting(reason) }
      refused.insert(guid)
      return .lost(guid, reason)
    }
  }
}
