import EventReading
import EventSchedule
import GameEvents
import Scoring
import Testing

@testable import Benchmarks

/// What is measured is really done.
@Suite struct BenchmarkTests {
  /// The benchmarks that count what was read read all of it. Those of gigabytes, hours and a million players take too long for a test; what they
  /// are made of is tested below.
  @Test(arguments: [
    ("tags", 1_000, 10_000, CopyPolicy(copies: 1, refreshInterval: nil)),
    ("first-copies", 1_000, 10_000, CopyPolicy(copies: 1, refreshInterval: nil)),
    ("copies", 100, 600, CopyPolicy()), ("event-log", 100, 600, CopyPolicy()), ("state-machine", 100, 600, CopyPolicy()),
  ])
  func everyCopyIsRead(name: String, eventCount: Int, seconds: Int, policy: CopyPolicy) throws {
    let benchmark = try #require(Benchmark.all.first { $0.name == name })
    let expected = BenchmarkGame(eventCount: eventCount, seconds: seconds).copies(policy).count
    let work = benchmark.prepare()
    #expect(work() == expected)
    #expect(work() == expected, "again, from the start")
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
}
