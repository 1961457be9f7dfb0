import Basics
import EventSchedule
import GameEvents
import Testing

/// Segments: each copy lies in the one that presents its time, and each starts with the active events.
@Suite struct SegmentTests {
  /// Copies of events in segments that start at these access units.
  private func copies(_ events: [PlannedEvent], segments: [[Double]], policy: CopyPolicy) throws -> [[ScheduledCopy]] {
    var schedule = EventSchedule(events, policy: policy)
    var unit = 0
    return try segments.map { times in
      schedule.startSegment(at: .frames(times[0]))
      return try times.flatMap { time in
        defer { unit += 1 }
        return try schedule.copies(before: .init(time: .frames(time), duration: .frame)).map { ScheduledCopy(unit, $0) }
      }
    }
  }

  private static let policy = CopyPolicy(copies: 3, refreshInterval: .seconds(2))

  @Test func everySegmentStartsWithTheActiveEvents() throws {
    let placed = try copies([.start("s", at: .zero)], segments: [[0, 3, 1, 2], [4, 7, 5, 6], [8]], policy: Self.policy)
    #expect(
      placed == [
        [ScheduledCopy(0, 0, "s", 1, age: 0), ScheduledCopy(1, 1, "s", 2, age: 1), ScheduledCopy(2, 2, "s", 3, age: 2)],
        [ScheduledCopy(4, 4, "s", 4, age: 4)],
        [ScheduledCopy(8, 8, "s", 5, age: 8)],
      ])
  }

  /// An event after the last frame of a segment waits for the next one, and says for how long.
  @Test func anEventBetweenSegmentsTakesTheStartOfTheNext() throws {
    let placed = try copies([.start("s", at: .frames(3.5))], segments: [[0, 3, 1, 2], [4, 5, 6]], policy: Self.policy)
    #expect(
      placed == [
        [], [ScheduledCopy(4, 4, "s", 1, age: 0.5), ScheduledCopy(5, 5, "s", 2, age: 1.5), ScheduledCopy(6, 6, "s", 3, age: 2.5)],
      ])
  }

  /// A burst near a segment's end does not reach beyond what the segment presents.
  @Test func noCopyIsPresentedOutsideOfItsSegment() throws {
    let placed = try copies([.start("s", at: .frames(3))], segments: [[0, 3, 1, 2], [4, 5]], policy: Self.policy)
    #expect(
      placed == [
        [ScheduledCopy(1, 3, "s", 1, age: 0), ScheduledCopy(2, 3, "s", 2, age: 0), ScheduledCopy(3, 3, "s", 3, age: 0)],
        [ScheduledCopy(4, 4, "s", 4, age: 1)],
      ])
  }

  /// A segment with few access units refreshes the active events before it continues bursts.
  @Test func activeEventsComeBeforeTheRestOfABurst() throws {
    let placed = try copies(
      [.start("s", at: .zero), .ask("q", at: .frames(5), padding: 250)], segments: [[0, 1, 2, 3, 4, 5], [6, 7]], policy: Self.policy)
    #expect(placed[1] == [ScheduledCopy(6, 6, "s", 4, age: 6), ScheduledCopy(7, 7, "q", 4, age: 2)])
  }

  /// What ends soonest is refreshed first: for a question that ends at once, the access unit after would be too late.
  @Test func whatEndsSoonestIsRefreshedFirst() throws {
    let placed = try copies(
      [.start("s", at: .zero), .ask("q", at: .zero, padding: 250), .show("r", of: "q", at: .frames(9))],
      segments: [[0, 1, 2, 3], [8, 11, 9, 10]],
      policy: Self.policy)
    #expect(placed[1].prefix(2) == [ScheduledCopy(4, 8, "q", 4, age: 8), ScheduledCopy(5, 9, "r", 1, age: 0)])
    #expect(placed[1].contains { $0.guid == "s" })
  }

  /// Several that end at once all come with the first access unit, whatever their size.
  @Test func allThatEndsAtOnceComesAtOnce() throws {
    let placed = try copies(
      [
        .start("s", at: .zero), .ask("q", at: .zero, padding: 250), .poll("p", at: .zero, currentFor: .frames(9), padding: 300),
        .show("r", of: "q", at: .frames(9)),
      ], segments: [[0, 1, 2, 3, 4, 5, 6], [8, 11, 9, 10]], policy: Self.policy)
    #expect(Set(placed[1].filter { $0.unit == 7 }.map { $0.guid }) == ["q", "p"])
  }

  @Test func withoutRefreshesSegmentsStartWithout() throws {
    let policy = CopyPolicy(copies: 1, refreshInterval: nil)
    #expect(
      try copies([.start("s", at: .zero)], segments: [[0, 1], [2, 3]], policy: policy) == [[ScheduledCopy(0, 0, "s", 1, age: 0)], []])
  }
}
