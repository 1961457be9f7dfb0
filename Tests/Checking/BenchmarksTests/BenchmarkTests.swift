import EventSchedule
import GameEvents
import Testing

@testable import Benchmarks

/// What is measured is really done.
@Suite struct BenchmarkTests {
  @Test(arguments: Benchmark.all.filter { !$0.name.hasPrefix("schedule-") })
  func doesItsWork(benchmark: Benchmark) {
    let work = benchmark.prepare()
    let count = work()
    #expect(count > 0)
    // Again, from the start.
    #expect(work() == count)
  }

  @Test func countsAllCopiesOfTheGame() {
    let game = BenchmarkGame(eventCount: 30, seconds: 60)
    #expect(game.events.count == 30)
    let copies = game.copies()
    #expect(Set(copies.map { $0.copy.event.guid }).count == 30)
    #expect(copies.count > 90)
    #expect(zip(copies, copies.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func isMeasured() throws {
    let figure = try #require(Benchmark.all.first { $0.name == "tags" }).measure(seconds: 0)
    #expect(figure.runs >= 3)
    #expect(figure.median > 0 && figure.median <= figure.best)
  }

  @Test func namesAreDifferent() {
    #expect(Set(Benchmark.all.map(\.name)).count == Benchmark.all.count)
  }
}
