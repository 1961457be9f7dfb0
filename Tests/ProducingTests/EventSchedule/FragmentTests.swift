import Basics
import EventSchedule
import GameEvents
import Testing

/// Fragments: one copy of each event where it is presented, and the active events at the start of every segment.
@Suite struct FragmentTests {
  /// Copies of events in fragments of two segments each, given as (start, end, whether a segment starts) in frames.
  private func copies(
    _ events: [PlannedEvent], fragments: [(Double, Double, Bool)], policy: CopyPolicy = CopyPolicy(copies: 3)
  ) throws -> [[ScheduledCopy]] {
    var schedule = FragmentSchedule(EventSchedule(events, policy: policy))
    return try fragments.enumerated().map { number, fragment in
      try schedule.copies(from: .frames(fragment.0), to: .frames(fragment.1), startsSegment: fragment.2).map { ScheduledCopy(number, $0) }
    }
  }

  @Test func eventsHaveOneCopyAndARefreshASegment() throws {
    let placed = try copies(
      [.start("s", sequence: 1, at: .zero), .ask("q", sequence: 2, at: .frames(5.5)), .show("r", of: "q", sequence: 3, at: .frames(9))],
      fragments: [(0, 4, true), (4, 8, true), (8, 12, true), (12, 16, true)])
    #expect(
      placed == [
        [ScheduledCopy(0, 0, "s", 1, age: 0)],
        [ScheduledCopy(1, 4, "s", 2, age: 4), ScheduledCopy(1, 5.5, "q", 1, age: 0)],
        [ScheduledCopy(2, 8, "s", 3, age: 8), ScheduledCopy(2, 8, "q", 2, age: 2.5), ScheduledCopy(2, 9, "r", 1, age: 0)],
        [ScheduledCopy(3, 12, "s", 4, age: 12), ScheduledCopy(3, 12, "r", 2, age: 3), ScheduledCopy(3, 12, "q", 3, age: 6.5)],
      ])
  }

  /// An event at a segment's very start ends events that would be refreshed there.
  @Test func anEventAtTheStartComesAfterTheRefreshesThatItLeaves() throws {
    let placed = try copies(
      [.start("s", at: .zero), .ask("q", at: .frames(1)), .show("r", of: "q", at: .frames(4))], fragments: [(0, 4, true), (4, 8, true)])
    #expect(placed[1] == [ScheduledCopy(1, 4, "s", 2, age: 4), ScheduledCopy(1, 4, "q", 2, age: 3), ScheduledCopy(1, 4, "r", 1, age: 0)])
  }

  @Test func onlyTheFirstFragmentOfASegmentRefreshes() throws {
    let placed = try copies([.start("s", at: .zero), .info("i", at: .frames(3))], fragments: [(0, 2, true), (2, 4, false), (4, 6, true)])
    #expect(
      placed == [
        [ScheduledCopy(0, 0, "s", 1, age: 0)], [ScheduledCopy(1, 3, "i", 1, age: 0)],
        [ScheduledCopy(2, 4, "s", 2, age: 4), ScheduledCopy(2, 4, "i", 2, age: 1)],
      ])
  }

  /// A gap that no fragment presents: the next one takes its events, and says how old they are.
  @Test func anEventInAGapTakesTheNextFragmentsStart() throws {
    let placed = try copies([.start("s", at: .frames(5))], fragments: [(0, 4, true), (8, 12, true)])
    #expect(placed == [[], [ScheduledCopy(1, 8, "s", 1, age: 3)]])
  }

  @Test func withoutRefreshesThereIsOneCopyAltogether() throws {
    let policy = CopyPolicy(refreshInterval: nil)
    #expect(
      try copies([.start("s", at: .zero)], fragments: [(0, 2, true), (2, 4, true)], policy: policy) == [
        [ScheduledCopy(0, 0, "s", 1, age: 0)], [],
      ])
  }

  /// What is over is repeated in the two segments after the last one in which it was active.
  @Test func aPollIsCurrentOnlyForItsTime() throws {
    let fragments = [(0.0, 2.0, true), (2, 3, true), (3, 4, true), (4, 5, true), (5, 6, true)]
    let placed = try copies([.poll("p", at: .zero, currentFor: .frames(2.5))], fragments: fragments)
    #expect(
      placed == [
        [ScheduledCopy(0, 0, "p", 1, age: 0)], [ScheduledCopy(1, 2, "p", 2, age: 2)], [ScheduledCopy(2, 3, "p", 3, age: 3)],
        [ScheduledCopy(3, 4, "p", 4, age: 4)], [],
      ])
  }

  @Test func eventsAfterTheLastFragmentAreUnplaced() throws {
    let late = PlannedEvent.info("i", at: .frames(4))
    var schedule = FragmentSchedule(EventSchedule([.start("s", at: .zero), late], policy: CopyPolicy()))
    _ = try schedule.copies(from: .zero, to: .frames(4), startsSegment: true)
    #expect(Array(schedule.pending) == [late])
  }
}
