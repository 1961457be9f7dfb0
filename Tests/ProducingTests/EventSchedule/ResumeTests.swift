import Basics
import EventSchedule
import GameEvents
import Testing

/// Events that another schedule has placed.
@Suite struct ResumeTests {
  /// The copies behind a restart at a frame, until another frame.
  private func copies(
    _ events: [PlannedEvent], from start: Int, to end: Int, policy: CopyPolicy = CopyPolicy(copies: 3, refreshInterval: .frames(5)),
    inserting new: [PlannedEvent] = []
  ) throws -> [ScheduledCopy] {
    var schedule = EventSchedule([], policy: policy)
    for event in events { schedule.resume(event) }
    for event in new { try schedule.insert(event) }
    return try (start..<end).flatMap { frame in
      try schedule.copies(before: .init(time: .frames(Double(frame)), duration: .frame)).map { ScheduledCopy(frame, $0) }
    }
  }

  /// At once, with the number behind the burst and the age since the event, and then as ever.
  @Test func theActiveSpanGoesOn() throws {
    #expect(
      try copies([.start("s", at: .frames(2))], from: 103, to: 116) == [
        ScheduledCopy(103, 103, "s", 4, age: 101), ScheduledCopy(105, 105, "s", 5, age: 103), ScheduledCopy(110, 110, "s", 6, age: 108),
        ScheduledCopy(115, 115, "s", 7, age: 113),
      ])
  }

  /// A question that closed long ago is over, and so is what another event has ended.
  @Test func whatIsOverStaysOver() throws {
    let events: [PlannedEvent] = [
      .start("s", at: .zero), .ask("q", at: .frames(10)), .show("r", of: "q", at: .frames(300)), .end("e", at: .frames(2_000)),
    ]
    #expect(Set(try copies(Array(events[..<1]), from: 1_000, to: 1_001).map(\.guid)) == ["s"])
    #expect(!Set(try copies(Array(events[..<3]), from: 9_000, to: 9_020).map(\.guid)).contains("q"))
    #expect(!Set(try copies(events, from: 9_000, to: 9_020).map(\.guid)).contains("s"))
  }

  /// What comes next is inserted behind them.
  @Test func furtherEvents() throws {
    let placed = try copies([.start("s", at: .frames(2))], from: 20, to: 24, inserting: [.info("i", at: .frames(21))])
    #expect(placed.filter { $0.guid == "i" }.map(\.copy) == [1, 2, 3] && placed.filter { $0.guid == "s" }.map(\.copy) == [4])
    var schedule = EventSchedule([], policy: CopyPolicy())
    schedule.resume(.start("s", at: .frames(2)))
    #expect(schedule.earliestTime == .frames(2) + MediaTime(ticks: 1))
    #expect(throws: ScheduleError.tooLate(.frames(2))) { try schedule.insert(.info("i", at: .frames(2))) }
  }

  /// Without refreshes there is nothing to resume.
  @Test func withoutRefreshes() throws {
    #expect(try copies([.start("s", at: .zero)], from: 10, to: 30, policy: CopyPolicy(copies: 3, refreshInterval: nil)) == [])
  }
}
