import Basics
import EventSchedule
import GameEvents
import Testing

/// The copies around an event's time.
@Suite struct BurstTests {
  private static let noRefresh = CopyPolicy(refreshInterval: nil)

  @Test func aBurstStandsBeforeSuccessiveAccessUnits() throws {
    #expect(
      try copies(of: [.start("s", at: .frames(2))], units: [0, 1, 2, 3, 4, 5, 6], policy: Self.noRefresh) == [
        ScheduledCopy(2, 2, "s", 1, age: 0), ScheduledCopy(3, 3, "s", 2, age: 1), ScheduledCopy(4, 4, "s", 3, age: 2),
      ])
  }

  @Test func anEventAtTheStartStandsBeforeTheFirstAccessUnit() throws {
    #expect(
      try copies(of: [.start("s", at: .zero)], units: [0, 1, 2, 3], policy: Self.noRefresh) == [
        ScheduledCopy(0, 0, "s", 1, age: 0), ScheduledCopy(1, 1, "s", 2, age: 1), ScheduledCopy(2, 2, "s", 3, age: 2),
      ])
  }

  @Test func anEventBetweenFramesKeepsItsTick() throws {
    #expect(
      try copies(of: [.start("s", at: .frames(1.3))], units: [0, 1, 2, 3, 4], policy: Self.noRefresh) == [
        ScheduledCopy(2, 1.3, "s", 1, age: 0), ScheduledCopy(3, 2.3, "s", 2, age: 1), ScheduledCopy(4, 3.3, "s", 3, age: 2),
      ])
  }

  @Test func inDecodingOrderTheFirstUnitPresentedLaterCounts() throws {
    // I P B B P B B P B B
    let units: [Double] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]
    for (time, unit) in [(0, 0), (0.5, 1), (1, 1), (2, 1), (3, 1), (3.1, 4), (6, 4), (6.5, 7)] as [(Double, Int)] {
      #expect(
        try copies(of: [.start("s", at: .frames(time))], units: units, policy: Self.noRefresh) == [
          ScheduledCopy(unit, time, "s", 1, age: 0), ScheduledCopy(unit + 1, time + 1, "s", 2, age: 1),
          ScheduledCopy(unit + 2, time + 2, "s", 3, age: 2),
        ])
    }
  }

  @Test func eventsAtOneTickKeepTheirOrder() throws {
    let events: [PlannedEvent] = [.start("a", sequence: 2, at: .frames(1)), .info("b", sequence: 1, at: .frames(1))]
    let placed = try copies(of: events, units: [0, 1, 2, 3, 4], policy: Self.noRefresh)
    #expect(
      placed == [
        ScheduledCopy(1, 1, "a", 1, age: 0), ScheduledCopy(1, 1, "b", 1, age: 0), ScheduledCopy(2, 2, "a", 2, age: 1),
        ScheduledCopy(2, 2, "b", 2, age: 1),
        ScheduledCopy(3, 3, "a", 3, age: 2), ScheduledCopy(3, 3, "b", 3, age: 2),
      ])
  }

  @Test func eventsAreSortedByTime() throws {
    let events: [PlannedEvent] = [.info("b", at: .frames(2)), .start("a", at: .frames(1))]
    #expect(try copies(of: events, units: [0, 1, 2, 3], policy: CopyPolicy(copies: 1)).map { $0.guid } == ["a", "b"])
  }

  @Test func theNextEventCutsIntoABurst() throws {
    let events: [PlannedEvent] = [.ask("a", at: .frames(1)), .info("b", at: .frames(1.5))]
    // The second copy of `a` would lie at 2, after the first of `b`, whose time is fixed.
    #expect(
      try copies(of: events, units: [0, 1, 2, 3, 4], policy: Self.noRefresh) == [
        ScheduledCopy(1, 1, "a", 1, age: 0), ScheduledCopy(2, 1.5, "a", 2, age: 0.5), ScheduledCopy(2, 1.5, "b", 1, age: 0),
        ScheduledCopy(3, 2.5, "a", 3, age: 1.5), ScheduledCopy(3, 2.5, "b", 2, age: 1), ScheduledCopy(4, 3.5, "b", 3, age: 2),
      ])
  }

  @Test func framesMayLastDifferentlyLong() throws {
    #expect(
      try copies(
        of: [.start("s", at: .frames(1))], units: [0, 1, 4, 5, 5.5], durations: [1, 3, 1, 0.5, 0.5], policy: Self.noRefresh) == [
          ScheduledCopy(1, 1, "s", 1, age: 0), ScheduledCopy(2, 2, "s", 2, age: 1), ScheduledCopy(3, 2.5, "s", 3, age: 1.5),
        ])
  }

  @Test func oneCopyIsNoBurst() throws {
    #expect(
      try copies(of: [.start("s", at: .frames(1))], units: [0, 1, 2], policy: CopyPolicy(copies: 1, refreshInterval: nil)) == [
        ScheduledCopy(1, 1, "s", 1, age: 0)
      ])
    #expect(CopyPolicy(copies: 0).copies == 1)
  }

  @Test func firstCopiesAreNeverPutOff() throws {
    let events = (0..<4).map { PlannedEvent.poll("p\($0)", at: .frames(1), padding: 300) }
    let placed = try copies(of: events, units: [0, 1, 2, 3, 4, 5], policy: CopyPolicy(copies: 2, refreshInterval: nil))
    #expect(placed.map { $0.unit } == [1, 1, 1, 1, 2, 3, 4, 5])
    #expect(placed.map { $0.guid } == ["p0", "p1", "p2", "p3", "p0", "p1", "p2", "p3"])
    #expect(placed.map { $0.time } == [1, 1, 1, 1, 2, 2, 2, 2])
  }

  /// More events than there is room for: first copies come in time, and the rest in the order of the events, however late.
  @Test(arguments: [CopyPolicy(), noRefresh]) func burstsPileUp(policy: CopyPolicy) throws {
    // Two events a frame for a minute and a half; four would fill what goes before a frame.
    let count = 4_000
    let events = (0..<count).map { PlannedEvent.poll("p\($0)", at: .frames(Double($0) / 2), padding: 100) }
    let placed = try copies(of: events, units: (0..<count / 2 + 1).map { Double($0) }, policy: policy)
    let guids = (0..<count).map { "p\($0)" }
    for copy in 1...3 { #expect(placed.filter { $0.copy == copy }.map(\.guid) == guids) }
    let times = (0..<count).map { Double($0) / 2 }
    #expect(placed.filter { $0.copy == 1 }.map(\.time) == times)
    #expect(placed.map(\.time) == placed.map(\.time).sorted())
  }

  // MARK: The end

  @Test func whatIsLeftIsPresentedBeforeTheEnd() throws {
    #expect(
      try copies(of: [.start("s", at: .frames(3.5))], units: [0, 1, 2, 3], policy: Self.noRefresh, end: 6) == [
        ScheduledCopy(nil, 3.5, "s", 1, age: 0), ScheduledCopy(nil, 4.5, "s", 2, age: 1), ScheduledCopy(nil, 5.5, "s", 3, age: 2),
      ])
  }

  @Test func copiesCloseUpBeforeTheEnd() throws {
    let lastTick = Double(4 * 3_600 - 1) / 3_600
    let placed = try copies(of: [.start("s", at: .frames(3))], units: [0, 1, 2, 3], policy: Self.noRefresh)
    #expect(placed.map { $0.unit } == [3, nil, nil])
    #expect(placed.map { $0.time } == [3, lastTick, lastTick])
    #expect(placed.map { $0.copy } == [1, 2, 3])
  }

  @Test func whatHappensAtTheEndOrLaterIsLeftOver() throws {
    let events: [PlannedEvent] = [.start("s", at: .frames(1)), .info("i", at: .frames(2)), .end("e", at: .frames(9))]
    var schedule = EventSchedule(events, policy: CopyPolicy())
    #expect(schedule.pending.map { $0.event.guid.text } == ["s", "i", "e"])
    _ = try schedule.copies(before: .init(time: .frames(1), duration: .frame))
    #expect(schedule.pending.map { $0.event.guid.text } == ["i", "e"])
    #expect(try schedule.finish(at: .frames(2), frameDuration: .frame).allSatisfy { $0.copy.event.guid.text == "s" })
    #expect(schedule.pending.map { $0.event.guid.text } == ["i", "e"])
  }

  @Test func withoutAccessUnitsTheEndTakesAll() throws {
    #expect(
      try copies(of: [.start("a", at: .zero), .end("b", at: .zero)], units: [], policy: CopyPolicy(copies: 1), end: 1) == [
        ScheduledCopy(nil, 0, "a", 1, age: 0), ScheduledCopy(nil, 0, "b", 1, age: 0),
      ])
  }

  @Test func aTagIsThatOfItsCopy() throws {
    var schedule = EventSchedule([.start("s", at: .zero)], policy: CopyPolicy())
    let timed = try #require(try schedule.copies(before: .init(time: .zero, duration: .frame)).first)
    #expect(timed.tag == (try timed.copy.encodedTag()))
    #expect(timed.copy.copies == 3)
    #expect(timed.copy.isVerified)
  }

  /// The limit holds for every copy of a day, and is not much above the largest of them.
  @Test func theLargestTagOfAnEventIsKnownBeforehand() throws {
    let (event, policy) = (PlannedEvent.start("s", at: .zero), CopyPolicy(refreshInterval: .seconds(60)))
    var schedule = EventSchedule([event], policy: policy)
    let sizes = try (0...24 * 60).flatMap { minute in
      try schedule.copies(before: .init(time: .seconds(60 * minute), duration: .frame)).map(\.tag.count)
    }
    let largest = try policy.largestTagSize(of: event.event)
    #expect(sizes.count > 1_400 && sizes.allSatisfy { (largest - 20...largest).contains($0) })
    #expect(sizes.max().map { largest - $0 <= 2 } == true)
    #expect(CopyPolicy(largestTagSize: 1_000_000).largestTagSize == 65_527)
  }
}
