import EventReading
import EventSchedule
import GameEvents
import Scoring
import Testing

@testable import Benchmarks

/// What is measured is really done.
@Suite struct BenchmarkTests {
  /// Those of gigabytes, hours and a million players take too long for a test; what they are made of is tested below.
  @Test(arguments: Benchmark.all.filter { ["tags", "first-copies", "copies", "event-log", "state-machine"].contains($0.name) })
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

  @Test func streamsAreWhole() {
    let stream = BenchmarkStream.bytes(seconds: 3, packetsPerPicture: 5)
    let game = BenchmarkGame(eventCount: 5, seconds: 3)
    let stamped = BenchmarkStream.stamped(stream, EventSchedule(game.events, policy: CopyPolicy()))
    var reader = EventReader()
    let items = ((try? reader.push(stamped.span)) ?? []) + ((try? reader.finish()) ?? [])
    let guids = items.compactMap { if case .copy(let copy, _) = $0 { copy.event.guid } else { nil } }
    #expect(Set(guids) == Set(game.events.map(\.event.guid)))
    #expect(!items.contains { if case .damage = $0 { true } else { false } })
    #expect(stream.count == 3 * (2 + 125) * 188)
  }

  @Test func audiencesAreScored() throws {
    var audience = BenchmarkAudience(players: 40, questions: 2)
    #expect(audience.top() == 40)
    let before = audience.game.standings()
    #expect(audience.update() == 40)
    #expect(audience.game.standings() != before)
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
