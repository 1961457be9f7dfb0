public import Basics
public import GameEvents

/// Decides which copies go before which movie fragment.
///
/// A fragment is lost as a whole, so repeats within one are useless: each event has one copy, at its exact tick, in the fragment that presents it.
/// Events that are active, or were in the two segments before, are refreshed at the start of every segment, unless the policy has no refreshes.
public struct FragmentSchedule: Sendable {
  private var upcoming: PendingEvents
  private var active = ActiveEvents()
  private var segmentStarts = SegmentStarts()
  private var writer = CopyWriter(copies: 1, encode: nil)
  private let hasRefreshes: Bool

  /// A schedule of the same events, which must not have been asked for copies yet.
  public init(_ schedule: EventSchedule) {
    upcoming = schedule.upcoming
    hasRefreshes = schedule.policy.refreshInterval != nil
  }

  /// The events for which no fragment has come yet, in the order of their times.
  public var pending: ArraySlice<PlannedEvent> { upcoming.events }

  /// Inserts an event into a live stream.
  ///
  /// - Throws: `tooLate` if a fragment that presents the event's time has come already.
  package mutating func insert(_ event: PlannedEvent) throws(ScheduleError) { try upcoming.insert(event) }

  /// The copies before a fragment, in the order of their presentation times, all of which are within the fragment.
  ///
  /// Fragments come in order. An event that happened before the fragment, in a gap that no fragment presents, takes its start.
  ///
  /// - Parameters:
  ///   - start: When the fragment's first video frame is presented, on the programme's timeline.
  ///   - end: When the next fragment's is.
  ///   - startsSegment: Whether the fragment is the first of its segment.
  /// - Throws: What ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func copies(
    from start: MediaTime, to end: MediaTime, startsSegment: Bool
  ) throws(EventError) -> [EventSchedule.TimedCopy] {
    upcoming.advance(to: end - MediaTime(ticks: 1))
    // Events at the very start come first: they may end an event that would be refreshed there.
    var starting: [StartedEvent] = []
    while let event = startNext(where: { $0 <= start }) { starting.append(event) }
    var copies: [EventSchedule.TimedCopy] = []
    if startsSegment {
      let horizon = segmentStarts.start(at: start)
      let refreshed = active.entries(at: start).map { $0.event.id } + active.ids(overSince: horizon, at: start)
      for id in refreshed where id < starting.first?.id ?? .max {
        guard let entry = active.entry(id, at: start) else { continue }
        copies.append(try writer.copy(entry.nextCopy, of: entry.event, at: start))
        active.countRefresh(of: id)
      }
    }
    for event in starting { copies.append(try writer.copy(1, of: event, at: start)) }
    while let event = startNext(where: { $0 < end }) { copies.append(try writer.copy(1, of: event, at: event.time)) }
    return copies
  }

  private mutating func startNext(where isDue: (MediaTime) -> Bool) -> StartedEvent? {
    guard let event = upcoming.startNext(where: isDue) else { return nil }
    if hasRefreshes { active.start(event, firstRefresh: 2) }
    return event
  }
}
