import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

/// Events that arrive while the stream is made.
@Suite struct InsertionTests {
  /// The time of a schedule before each access unit and after the last one, and its copies.
  private func run(
    _ stream: RandomStream, _ schedule: inout EventSchedule, before: (Int, inout EventSchedule) throws -> Void = { _, _ in }
  ) throws -> (times: [MediaTime], copies: [EventSchedule.TimedCopy]) {
    var time = MediaTime(ticks: .min)
    var times: [MediaTime] = []
    var copies: [EventSchedule.TimedCopy] = []
    for (index, unit) in stream.units.enumerated() {
      times.append(time)
      try before(index, &schedule)
      let placed = try schedule.copies(before: unit)
      time = max(time, unit.time, placed.last?.time ?? time)
      copies += placed
    }
    times.append(time)
    try before(stream.units.count, &schedule)
    copies += try schedule.finish(at: stream.end, frameDuration: .frame)
    return (times, copies)
  }

  /// Copies do not depend on when an event was inserted, as long as its time had not gone by.
  @Test(arguments: Seeds.some(of: 100)) func insertingEqualsHavingBeenThere(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let stream = RandomStream(using: &generator)
    var complete = EventSchedule(stream.events, policy: stream.policy)
    let expected = try run(stream, &complete)

    // Each event is inserted before some access unit; those of one time in their order.
    var places: [Int] = []
    for event in stream.events {
      let latest = expected.times.lastIndex { $0 < event.time } ?? 0
      let earlier = zip(stream.events, places).filter { $0.0.time == event.time }.map(\.1).max() ?? 0
      places.append(Int.random(in: earlier...latest, using: &generator))
    }
    var growing = EventSchedule([], policy: stream.policy)
    let found = try run(stream, &growing) { index, schedule in
      for (event, place) in zip(stream.events, places) where place == index { try schedule.insert(event) }
    }
    #expect(found.copies == expected.copies)
    #expect(growing.pending == complete.pending)

    // One that comes later is refused, and nothing changes.
    var refusing = EventSchedule(stream.events, policy: stream.policy)
    let same = try run(stream, &refusing) { index, schedule in
      let time = expected.times[index]
      guard let late = stream.events.filter({ $0.time <= time }).randomElement(using: &generator) else { return }
      #expect(throws: ScheduleError.tooLate(time)) { try schedule.insert(late) }
    }
    #expect(same.copies == expected.copies)
  }

  @Test func eventsOfOneTimeKeepTheOrderOfInsertion() throws {
    var schedule = EventSchedule([.info("b", at: .frames(2)), .info("d", at: .frames(4))], policy: CopyPolicy())
    try schedule.insert(.info("e", at: .frames(4)))
    try schedule.insert(.info("c", at: .frames(2)))
    try schedule.insert(.info("a", at: .frames(1)))
    #expect(schedule.pending.map(\.event.guid.text) == ["a", "b", "c", "d", "e"])
  }

  @Test func anEventWhoseTimeHasGoneByIsRefused() throws {
    var schedule = EventSchedule([], policy: CopyPolicy())
    try schedule.insert(.info("first", at: .zero))
    _ = try schedule.copies(before: .init(time: .frames(3), duration: .frame))
    // The second access unit is presented before the first one: nothing goes back behind that.
    _ = try schedule.copies(before: .init(time: .frames(1), duration: .frame))
    #expect(throws: ScheduleError.tooLate(.frames(3))) { try schedule.insert(.info("late", at: .frames(3))) }
    try schedule.insert(.info("next", at: .frames(3.1)))
    #expect(schedule.pending.map(\.event.guid.text) == ["next"])
  }

  @Test func nothingGoesIntoASegmentThatHasEnded() throws {
    var schedule = EventSchedule([], policy: CopyPolicy())
    schedule.startSegment(at: .zero)
    _ = try schedule.copies(before: .init(time: .zero, duration: .frame))
    _ = try schedule.endSegment(at: .frames(50))
    #expect(throws: ScheduleError.tooLate(.frames(50) - MediaTime(ticks: 1))) { try schedule.insert(.info("late", at: .frames(49))) }
    try schedule.insert(.info("next", at: .frames(50)))

    var fragments = FragmentSchedule(EventSchedule([], policy: CopyPolicy()))
    try fragments.insert(.info("first", at: .frames(10)))
    #expect(try fragments.copies(from: .zero, to: .frames(50), startsSegment: true).map(\.time) == [.frames(10)])
    #expect(throws: ScheduleError.tooLate(.frames(50) - MediaTime(ticks: 1))) { try fragments.insert(.info("late", at: .frames(49))) }
    try fragments.insert(.info("next", at: .frames(50)))
    #expect(try fragments.copies(from: .frames(50), to: .frames(60), startsSegment: false).map(\.copy.event.guid.text) == ["next"])
  }

  /// A week of a stream without an end: 1,000,000 events, each known minutes beforehand, are forgotten as they come.
  @Test func aWeekNeedsNoMoreMemoryThanAnHour() throws {
    let (steps, eventsPerStep) = (100_000, 10)
    let step = MediaTime(ticks: 7 * 86_400 * 90_000 / Int64(steps))
    let info = EventContent.periodicInfo(PeriodicInfo(viewers: 1))
    let ask = EventContent.askQuestion(AskQuestion(question: "Q", answers: ["A", "B"], questionNumber: 1, allottedTime: .seconds(9)))
    let (poll, guid) = (EventContent.custom(EventType("poll"), JSONObject()), GUID.of("e"))
    // The bytes of the tags do not matter here, and writing a million tags takes long.
    var schedule = EventSchedule([], policy: CopyPolicy(copies: 1, refreshInterval: .seconds(60))) { _ in [0] }
    var (inserted, placed, largest) = (0, 0, 0)
    for now in -eventsPerStep..<steps {
      // One event of each of the next ten steps: they arrive neither in the order of their times nor behind all that are pending.
      for number in 0..<eventsPerStep {
        let place = now + 1 + number
        let content = number == 0 && place % 50 == 0 ? info : place % 50 == 1 ? ask : poll
        guard (0..<steps).contains(place) else { continue }
        let time = MediaTime(ticks: step.ticks * Int64(place) - Int64(number))
        let event = GameEvent(guid: guid, game: "g", sequence: nil, at: time, content: content)
        try schedule.insert(PlannedEvent(event, currentFor: number == 2 && place % 10 == 0 ? .seconds(60) : nil))
        inserted += 1
      }
      guard now >= 0 else { continue }
      for copy in try schedule.copies(before: .init(time: MediaTime(ticks: step.ticks * Int64(now)), duration: .frame)) {
        placed += copy.copy.copy == 1 ? 1 : 0
      }
      largest = max(largest, schedule.heldCount)
    }
    #expect(inserted == 1_000_000 && placed == 1_000_000)
    // 45 are pending after each step, and some polls are active.
    #expect(largest < 80)
  }
}
