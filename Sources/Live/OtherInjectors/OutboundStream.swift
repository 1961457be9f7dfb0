package import Basics
package import EventSchedule
package import GameEvents

/// The events that go to an injector of somebody else: which copy is handed over next, and what its answer means for the event.
///
/// The stream itself is not seen here, so the clock is the programme's time. Copies are decided on every ``unit`` of it, as elsewhere at every
/// access unit.
package struct OutboundStream: Sendable {
  /// What an answer means for an event.
  package enum Outcome: Equatable, Sendable {
    /// The injector has this copy.
    case placed(EventCopy, at: MediaTime)
    /// It will never have the event, for this reason.
    case lost(GUID, String)
    /// It has no time, or is not there: the copy is handed over again, or was given up.
    case waiting(String)
  }

  private var schedule: EventSchedule
  private var queue: CopyQueue
  private var refused: Set<GUID> = []
  /// When events happened that were known too late for that time.
  private var times: [GUID: MediaTime] = [:]
  private var timed = Queue<GUID>()
  private var nextUnit = MediaTime(ticks: .min)

  /// The time between two moments at which copies are decided on.
  package static let unit = MediaTime(ticks: 18_000)
  /// How long nothing is sent to an injector that has no time, and to one that does not know the stream, in milliseconds.
  private static let shortPause: Int64 = 1_000
  private static let longPause: Int64 = 3_000
  /// The times that are remembered.
  private static let mostTimes = 10_000

  /// - Parameters:
  ///   - policy: How often each event is repeated. Repeats that the limit leaves no room for are dropped.
  ///   - requestsPerSecond: The injector's limit.
  package init(_ policy: CopyPolicy, requestsPerSecond: Int) {
    schedule = EventSchedule([], policy: policy)
    queue = CopyQueue(requestsPerSecond: requestsPerSecond)
  }

  /// Takes up events that an earlier process has handed over, in the order of their times.
  ///
  /// - Parameter now: The moment in milliseconds. Where events are refreshed, nothing is sent for a second: the earlier process may have just ended, and the
  ///   injector counts its requests, too.
  package mutating func resume(_ events: [PlannedEvent], at now: Int64 = 0) {
    for event in events { schedule.resume(event) }
    if schedule.nextTime != nil { queue.pauseForASecond(at: now) }
  }

  /// Adds an event.
  ///
  /// - Parameter time: When it happens, unless it says that itself. All its copies say so, also where the first one comes later.
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws. The event is not added then, and holds up no other one.
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
    // Its time is after all copies so far.
    try? schedule.insert(event)
  }

  /// Whether there is room for further events.
  package var hasRoom: Bool { queue.hasRoom }

  /// Whether all copies were handed over, and none is to come.
  package var isIdle: Bool { queue.isEmpty && schedule.nextTime == nil }

  /// The numbers of copies that were dropped to keep the injector's limits.
  package var dropped: (refreshes: Int, repeats: Int) { (queue.droppedRefreshes, queue.droppedRepeats) }

  /// Decides which copies are due at a time.
  ///
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  package mutating func advance(to time: MediaTime) throws(EventError) {
    guard time >= nextUnit else { return }
    nextUnit = time + Self.unit
    let copies = try schedule.copies(before: EventSchedule.AccessUnit(time: time, duration: Self.unit)).map(\.copy)
    queue.add(refused.isEmpty ? copies : copies.filter { !refused.contains($0.event.guid) })
  }

  /// The copy that is to be handed over at a moment, which says how old it is by then.
  ///
  /// - Parameters:
  ///   - now: The moment in milliseconds.
  ///   - time: The programme's time then.
  package mutating func next(at now: Int64, _ time: MediaTime) -> EventCopy? {
    guard var copy = queue.next(at: now) else { return nil }
    if let happened = times[copy.event.guid] { copy.event.at = happened }
    if let at = copy.event.at { copy.age = min(max(copy.age, time - at), EventCopy.largestAge) }
    return copy
  }

  /// When the next copy may be handed over, in milliseconds; `nil` where none waits.
  package var nextMoment: Int64? { queue.nextMoment }

  /// When another process may begin to hand over as many copies as were handed over lately, in milliseconds; `nil` where none was.
  package var restMoment: Int64? { queue.restMoment }

  /// The programme time at which copies are to be decided on again; `nil` where none are to come.
  package var nextTime: MediaTime? { schedule.nextTime.map { max($0, nextUnit) } }

  /// Notes the injector's answer to a copy, and returns what it means for the event.
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
      // Only what was never taken is lost.
      guard copy.copy == 1 else { return .waiting(reason) }
      refused.insert(guid)
      return .lost(guid, reason)
    }
  }
}
