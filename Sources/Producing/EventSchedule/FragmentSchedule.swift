public import Basics
public import GameEvents

/// Decides which copies go in front of which movie fragment.
///
/// A fragment is lost as a whole, so repeats within one protect nothing: each event has one copy, at its exact tick, in the fragment that
/// presents it. What is current is refreshed at the start of every segment, unless the policy has no refreshes.
public struct FragmentSchedule: Sendable {
  private let events: [PlannedEvent]
  private let hasRefreshes: Bool
  private var next = 0
  private var current = ActiveEvents()

  /// A schedule of the same events, which must not have been asked for copies yet.
  public init(_ schedule: EventSchedule) {
    events = schedule.events
    hasRefreshes = schedule.policy.refreshInterval != nil
  }

  /// The events that no fragment has come for yet.
  public var unplaced: ArraySlice<PlannedEvent> { events[next...] }

  /// The copies in front of a fragment, in the order of their presentation times, all of which lie in what it presents.
  ///
  /// Fragments come in order. An event that happened before the fragment, in a gap that no fragment presents, takes its start.
  ///
  /// - Parameters:
  ///   - start: When the fragment's first picture is presented, on the programme's timeline.
  ///   - end: When the next fragment's is.
  ///   - startsSegment: Whether the fragment is the first of its segment.
  /// - Throws: what ``GameEvents/EventCopy/encodedTag()`` throws.
  public mutating func copies(
    from start: MediaTime, to end: MediaTime, startsSegment: Bool
  ) throws(EventError) -> [EventSchedule.TimedCopy] {
    var copies: [EventSchedule.TimedCopy] = []
    // What happens at the very start may end what would be refreshed there.
    let before = next
    while next < events.count, events[next].time <= start { happen() }
    if startsSegment, hasRefreshes {
      for index in current.indices(at: start, of: events) where index < before {
        copies.append(try timedCopy(index, copy: current.nextCopy(of: index) ?? 2, at: start))
        current.didRefresh(index)
      }
    }
    for index in before..<next { copies.append(try timedCopy(index, copy: 1, at: start)) }
    while next < events.count, events[next].time < end {
      copies.append(try timedCopy(next, copy: 1, at: events[next].time))
      happen()
    }
    return copies
  }

  private mutating func happen() {
    current.start(next, of: events, firstRefresh: 2)
    next += 1
  }

  private func timedCopy(_ index: Int, copy: Int, at time: MediaTime) throws(EventError) -> EventSchedule.TimedCopy {
    try EventSchedule.TimedCopy(CopyTemplate(events[index].event), happening: events[index].time, copy: copy, copies: 1, at: time)
  }
}
