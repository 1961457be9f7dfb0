import Basics
import EventSchedule
import GameEvents
import Testing

/// The repetition of active events.
@Suite struct RefreshTests {
  /// A refresh every five frames, and single copies, so that lists stay short.
  private static let policy = CopyPolicy(copies: 1, refreshInterval: .frames(5))

  private static func units(_ count: Int) -> [Double] { (0..<count).map { Double($0) } }

  @Test func refreshesLieOnAGrid() throws {
    #expect(
      try copies(of: [.start("s", at: .frames(2))], units: Self.units(18), policy: Self.policy) == [
        ScheduledCopy(2, 2, "s", 1, age: 0), ScheduledCopy(5, 5, "s", 2, age: 3), ScheduledCopy(10, 10, "s", 3, age: 8),
        ScheduledCopy(15, 15, "s", 4, age: 13),
      ])
  }

  @Test func theyAreCountedFromTheBurstOn() throws {
    let policy = CopyPolicy(copies: 3, refreshInterval: .frames(5))
    let placed = try copies(of: [.start("s", at: .frames(1))], units: Self.units(12), policy: policy)
    #expect(placed.map { $0.copy } == [1, 2, 3, 4, 5])
    #expect(placed.map { $0.time } == [1, 2, 3, 5, 10])
  }

  @Test func theGridIsTakenUpAfterLongFrames() throws {
    #expect(
      try copies(of: [.start("s", at: .zero)], units: [0, 4, 13, 14, 15, 16], policy: Self.policy).map { $0.time } == [0, 13, 15])
  }

  @Test func inDecodingOrderTheUnitPresentedFirstAtOrAfterTheGridCounts() throws {
    let units: [Double] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 12, 10, 11]
    #expect(
      try copies(of: [.start("s", at: .zero)], units: units, policy: Self.policy) == [
        ScheduledCopy(0, 0, "s", 1, age: 0), ScheduledCopy(4, 6, "s", 2, age: 6), ScheduledCopy(10, 12, "s", 3, age: 12),
      ])
  }

  @Test(arguments: [3.0, 3.5, 4, 4.5, 5]) func aRefreshThatFallsOnABurstIsLeftOut(time: Double) throws {
    let policy = CopyPolicy(copies: 3, refreshInterval: .frames(5))
    let placed = try copies(of: [.start("s", at: .frames(time))], units: Self.units(13), policy: policy)
    #expect(placed.map { $0.copy } == [1, 2, 3, 4])
    #expect(placed.last == ScheduledCopy(10, 10, "s", 4, age: 10 - time))
    // A single copy that goes before the same access unit is one, too.
    let single = try copies(of: [.start("s", at: .frames(4.5))], units: Self.units(8), policy: Self.policy)
    #expect(single == [ScheduledCopy(5, 4.5, "s", 1, age: 0)])
  }

  @Test func othersAreRefreshedDuringABurst() throws {
    let policy = CopyPolicy(copies: 3, refreshInterval: .frames(5))
    let placed = try copies(of: [.start("s", at: .zero), .ask("q", at: .frames(4))], units: Self.units(8), policy: policy)
    #expect(
      placed == [
        ScheduledCopy(0, 0, "s", 1, age: 0), ScheduledCopy(1, 1, "s", 2, age: 1), ScheduledCopy(2, 2, "s", 3, age: 2),
        ScheduledCopy(4, 4, "q", 1, age: 0),
        ScheduledCopy(5, 5, "q", 2, age: 1), ScheduledCopy(5, 5, "s", 4, age: 5), ScheduledCopy(6, 6, "q", 3, age: 2),
      ])
  }

  @Test func whatIsCurrentIsRepeatedInTheOrderOfItsNumbers() throws {
    let events: [PlannedEvent] = [
      .info("i", sequence: 3, at: .zero), .start("s", sequence: 1, at: .frames(1)), .ask("q", sequence: 2, at: .frames(2)),
      .poll("p", at: .frames(2), currentFor: .seconds(1)),
    ]
    let placed = try copies(of: events, units: Self.units(9), policy: Self.policy)
    #expect(placed.filter { $0.copy > 1 }.map { $0.guid } == ["s", "q", "i", "p"])
  }

  @Test func theyAreSpreadOverAccessUnits() throws {
    let events = (0..<5).map { PlannedEvent.poll("p\($0)", at: .zero, currentFor: .seconds(9), padding: 60) }
    let placed = try copies(of: events, units: Self.units(12), policy: Self.policy).filter { $0.copy > 1 }
    // Two tags of about 200 bytes fit into 512 bytes.
    #expect(placed.map { $0.unit } == [5, 5, 6, 6, 7, 10, 10, 11, 11, nil].dropLast())
    #expect(placed.map { $0.time } == [5, 5, 6, 6, 7, 10, 10, 11, 11])
    #expect(placed.map { $0.guid } == ["p0", "p1", "p2", "p3", "p4", "p0", "p1", "p2", "p3"])
  }

  @Test func aTagAboveTheBudgetStandsAlone() throws {
    let events: [PlannedEvent] = [.start("s", at: .zero), .ask("q", at: .zero, padding: 600)]
    let placed = try copies(of: events, units: Self.units(8), policy: Self.policy).filter { $0.copy > 1 }
    #expect(placed == [ScheduledCopy(5, 5, "s", 2, age: 5), ScheduledCopy(6, 6, "q", 2, age: 6)])
  }

  /// What is over is repeated behind what is active, in the order in which it ended.
  @Test func whatHasEndedComesLast() throws {
    let events: [PlannedEvent] = [
      .start("s", at: .zero), .ask("q1", at: .frames(1)), .info("i1", at: .frames(2)), .show("r1", of: "q1", at: .frames(6)),
      .info("i2", at: .frames(7)), .ask("q2", at: .frames(11)), .ask("q3", at: .frames(17)), .end("e", at: .frames(22)),
    ]
    let placed = try copies(of: events, units: Self.units(35), policy: Self.policy).filter { $0.copy > 1 }
    let over = ["q1", "i1", "r1", "q2"]
    let expected = [
      5: ["s", "q1", "i1"], 10: ["s", "r1", "i2"] + over.prefix(2), 15: ["s", "i2", "q2"] + over.prefix(3), 20: ["s", "i2", "q3"] + over,
      25: ["e"] + over + ["s", "i2", "q3"], 30: ["e"] + over + ["s", "i2", "q3"],
    ]
    for (time, guids) in expected {
      #expect(placed.filter { Int($0.time) / 5 * 5 == time }.map { $0.guid } == guids)
    }
    #expect(placed.count == expected.values.reduce(0) { $0 + $1.count })
  }

  @Test func anotherGameEndsEverything() throws {
    let events: [PlannedEvent] = [
      .start("s", at: .zero), .end("e", at: .frames(1)), .poll("p", at: .frames(1), currentFor: .seconds(9)),
      .start("t", game: "h", at: .frames(7)),
    ]
    let placed = try copies(of: events, units: Self.units(12), policy: Self.policy).filter { $0.copy > 1 }
    #expect(placed.map { $0.guid } == ["e", "p", "s", "t", "s", "e", "p"])
  }

  /// They count as active for that time.
  @Test func otherTypesAreRepeatedOnlyAsLongAsIsSaid() throws {
    let events: [PlannedEvent] = [
      .poll("never", at: .zero), .poll("two", at: .zero, currentFor: .frames(10.1)), .poll("one", at: .zero, currentFor: .frames(10)),
    ]
    let placed = try copies(of: events, units: Self.units(300), policy: Self.policy).filter { $0.copy > 1 }
    #expect(placed.prefix(2) == [ScheduledCopy(5, 5, "two", 2, age: 5), ScheduledCopy(5, 5, "one", 2, age: 5)])
    #expect(placed[2...].prefix(2) == [ScheduledCopy(10, 10, "two", 3, age: 10), ScheduledCopy(10, 10, "one", 3, age: 10)])
    // Both are over for eight seconds: 200 frames.
    let times = (1...42).map { Double(5 * $0) }
    #expect(placed.filter { $0.guid == "two" }.map(\.time) == times && placed.filter { $0.guid == "one" }.map(\.time) == times.dropLast())
  }

  @Test func theyCanBeSwitchedOff() throws {
    for policy in [CopyPolicy(copies: 1, refreshInterval: nil), CopyPolicy(copies: 1, refreshInterval: .zero)] {
      #expect(try copies(of: [.start("s", at: .zero)], units: Self.units(200), policy: policy) == [ScheduledCopy(0, 0, "s", 1, age: 0)])
    }
  }

  @Test func nothingIsRepeatedForMoreThanADay() throws {
    var schedule = EventSchedule([.start("s", at: .zero)], policy: CopyPolicy(copies: 1, refreshInterval: .seconds(3_600)))
    var ages: [MediaTime] = []
    for hour in 0...30 {
      let timed = try schedule.copies(before: .init(time: .seconds(3_600 * hour), duration: .frame))
      ages += timed.map { $0.copy.age }
    }
    #expect(ages == (0...24).map { .seconds(3_600 * $0) })
  }

  @Test func anEventThatIsFinishedLeavesNothingBehind() throws {
    /// The most events that are held besides the pending ones.
    func largest(after questions: Int) throws -> Int {
      var schedule = EventSchedule((0..<questions).map { .ask("q", at: .seconds(4 * $0)) }, policy: CopyPolicy(copies: 2)) { _ in [0] }
      return try (0..<4 * questions).map { second in
        _ = try schedule.copies(before: .init(time: .seconds(second), duration: .frame))
        return schedule.heldCount - schedule.pending.count
      }.max() ?? 0
    }
    #expect(try largest(after: 500) == largest(after: 5))
  }
}
