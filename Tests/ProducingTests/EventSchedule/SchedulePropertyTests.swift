import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

/// What holds for all events and all streams.
@Suite struct SchedulePropertyTests {
  private struct Stream {
    var events: [PlannedEvent]
    var units: [EventSchedule.AccessUnit]
    var end: MediaTime
    var policy: CopyPolicy

    init(using generator: inout SeededNumbers) {
      let pictures = Int.random(in: 1...400, using: &generator)
      let reordered = Int.random(in: 0...3, using: &generator)
      var times: [MediaTime] = []
      var durations: [MediaTime] = []
      var time = MediaTime.zero
      for _ in 0..<pictures {
        let duration = MediaTime(ticks: Int64.random(in: 1...3, using: &generator) * 1_800)
        times.append(time)
        durations.append(duration)
        time += duration
      }
      // The first picture, then groups of which the last is decoded first.
      units = [EventSchedule.AccessUnit(time: times[0], duration: durations[0])]
      var index = 1
      while index < pictures {
        let last = min(index + reordered, pictures - 1)
        for place in [last] + Array(index..<last) {
          units.append(EventSchedule.AccessUnit(time: times[place], duration: durations[place]))
        }
        index = last + 1
      }
      end = time
      policy = CopyPolicy(
        copies: Int.random(in: 1...4, using: &generator),
        refreshInterval: Bool.random(using: &generator) ? MediaTime(ticks: Int64.random(in: 1...20, using: &generator) * 5_000) : nil)
      events = Self.events(upTo: end, using: &generator)
    }

    private static func events(upTo end: MediaTime, using generator: inout SeededNumbers) -> [PlannedEvent] {
      (0..<Int.random(in: 0...30, using: &generator)).map { number in
        // Some lie after the end.
        var time = MediaTime(ticks: Int64.random(in: 0...(end.ticks + 5_000), using: &generator))
        if Bool.random(using: &generator) { time.ticks -= time.ticks % 1_800 }
        let guid = "e\(number)"
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return .start(guid, game: Bool.random(using: &generator) ? "g" : "h", at: time)
        case 1, 2: return .ask(guid, at: time, padding: Int.random(in: 0...400, using: &generator))
        case 3: return .show(guid, of: "e\(max(number - 1, 0))", at: time)
        case 4: return .info(guid, at: time)
        case 5: return .poll(guid, at: time, currentFor: Bool.random(using: &generator) ? .frames(40) : nil, padding: 100)
        default: return .end(guid, at: time)
        }
      }
    }
  }

  @Test(arguments: 0..<UInt64(150)) func holdsForRandomStreams(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let stream = Stream(using: &generator)
    var schedule = EventSchedule(stream.events, policy: stream.policy)
    var placed: [(unit: Int, copy: EventSchedule.TimedCopy)] = []
    for (index, unit) in stream.units.enumerated() {
      let nextTime = schedule.nextTime
      let timed = try schedule.copies(before: unit)
      // What is foreseen is never too late.
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
      checkRefreshes(own.map { $0.copy }, of: event, followedBy: order[(index + 1)...])
      // One copy of an event goes before an access unit.
      #expect(Set(own.map { $0.unit }).count == own.count || own.last?.unit == stream.units.count)
    }
  }

  /// No copy after the burst lies outside of the event's currency.
  private func checkRefreshes(
    _ own: [EventSchedule.TimedCopy], of event: PlannedEvent, followedBy later: ArraySlice<PlannedEvent>
  ) {
    let isOfTheGame = EventType.known.contains(event.event.type)
    var end = event.currentFor.map { event.time + $0 } ?? (isOfTheGame ? MediaTime(ticks: .max) : event.time)
    if let next = later.first(where: { $0.event.endsActiveSpan(of: event.event) }) { end = min(end, next.time) }
    #expect(own.filter { $0.copy.isRefresh }.allSatisfy { $0.time < end })
  }
}
