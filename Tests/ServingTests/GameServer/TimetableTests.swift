import LiveSession
import Testing

@testable import GameServer

/// Which games a thread looks at, and when.
@Suite struct TimetableTests {
  private let start = ContinuousClock.now

  private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// At first all games are looked at; then those that something has happened to, each once.
  @Test func told() {
    let table = Timetable()
    #expect(table.take(at: start) == nil)
    #expect(table.take(at: start) == [])
    for game in ["a", "b", "a"] { table.tell(game) }
    #expect(table.take(at: start) == ["a", "b"])
    #expect(table.take(at: start) == [])
    table.tell("a")
    table.tellAll()
    #expect(table.take(at: start) == nil)
    #expect(table.take(at: start) == [])
  }

  /// Games go on by themselves at the last moment that was noted for each.
  @Test func moments() {
    let table = Timetable()
    _ = table.take(at: start)
    table.note("a", at: after(2))
    table.note("b", at: after(1))
    table.note("c", at: after(1))
    table.note("c", at: nil)
    #expect(table.take(at: start) == [])
    #expect(table.take(at: after(1)) == ["b"])
    table.note("a", at: after(3))
    #expect(table.take(at: after(2)) == [])
    table.tell("d")
    #expect(table.take(at: after(3)) == ["a", "d"])
    #expect(table.take(at: after(9)) == [])
  }

  /// A thread waits until somebody tells of a game, until the next moment, or as long as it likes; what was told before is not waited for.
  @Test func waiting() {
    let table = Timetable()
    table.wait(until: after(3_600))
    _ = table.take(at: start)
    table.wait(until: start)
    let other = Worker("other") { table.tell("a") }
    table.wait(until: after(3_600))
    #expect(other.join(seconds: 60) && table.take(at: start) == ["a"])
    table.note("b", at: start)
    table.wait(until: after(3_600))
    #expect(table.take(at: .now) == ["b"])
  }
}
