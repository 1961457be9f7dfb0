import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

/// What holds for all events and all streams.
@Suite struct SchedulePropertyTests {
  @Test(arguments: Seeds.some(of: 150)) func holdsForRandomStreams(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let stream = RandomStream(using: &generator)
    var schedule = EventSchedule(stream.events, policy: stream.policy)
    var placed: [(unit: Int, copy: EventSchedule.TimedCopy)] = []
    for (index, unit) in stream.units.enumerated() {
      let nextTime = schedule.nextTime
      let timed = try schedule.copies(before: unit)
      // Nothing is placed before the time that the schedule foretold.
      #expect(timed.isEmpty || nextTime.map { $0 <= unit.time } == true)
      placed += timed.map { (index, $0) }
      let repeats = timed.filter { $0.copy.copy > 1 }.reduce(0) { $0 + $1.tag.count }
      #expect(repeats <= CopyPolicy.bytesPerAccessUnit || timed.count == 1 || timed.first.map { $0.tag.count == repeats } == true)
    }
    placed += try schedule.finish(at: stream.end, frameDuration: .frame).map { (stream.units.count, $0) }

    #expect(zip(placed, placed.dropFirst()).allSatisfy { $0.copy.time <= $1.copy.time })
    for (unit, timed) in placed {
      #expect(timed.copy.age == timed.time - (timed.copy.event.at ?? .zero))
      #expect(timed.copy.copies == stream.policy.copies)
      if unit == stream.units.count { #expect(timed.time < stream.end || timed.copy.copy > 1) }
    }
    let order = stream.events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map { $0.element }
    for (index, event) in order.enumerated() {
      let own = placed.filter { $0.copy.copy.event.guid == event.event.guid }
      guard event.time < stream.end else {
        #expect(own.isEmpty)
        continue
      }
      #expect(own.map { $0.copy.copy.copy } == Array(1...max(own.count, stream.policy.copies)))
      #expect(own.first?.copy.time == event.time)
      #expect(own.first?.unit == stream.units.firstIndex { $0.time >= event.time } ?? stream.units.count)
      checkRefreshes(own.map { $0.copy }, of: event, followedBy: order[(index + 1)...], stream.policy)
      // At most one copy of an event goes before each access unit; several may stand at the end.
      #expect(Set(own.map { $0.unit }).count == own.count || own.last?.unit == stream.units.count)
    }
  }

  /// No copy after the burst lies more than eight seconds, or an interval and the wait for other refreshes, behind the event's active span.
  private func checkRefreshes(
    _ own: [EventSchedule.TimedCopy], of event: PlannedEvent, followedBy later: ArraySlice<PlannedEvent>, _ policy: CopyPolicy
  ) {
    let isOfTheGame = EventType.known.contains(event.event.type)
    var end = event.currentFor.map { event.time + $0 } ?? (isOfTheGame ? MediaTime.seconds(100_000) : event.time)
    if let next = later.first(where: { $0.event.endsActiveSpan(of: event.event) }) { end = min(end, next.time) }
    let isEverActive = isOfTheGame || event.currentFor != nil
    let limit = isEverActive ? end + max(.seconds(8), policy.refreshInterval ?? .zero) + .seconds(1) : end
    #expect(own.filter { $0.copy.isRefresh }.allSatisfy { $0.time < limit })
  }
}
