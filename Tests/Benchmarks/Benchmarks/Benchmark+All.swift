import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import PacketStamping
import Scoring
import StateMachine

extension Benchmark {
  /// All benchmarks, in the order in which data pass through the parts of Cuelight.
  package static let all: [Benchmark] = [
    Benchmark(name: "transport-stream", summary: "transport stream of 12 Mbit/s to events", unit: .bytes) {
      let game = BenchmarkGame(eventCount: 30, seconds: 60)
      let stream = BenchmarkStream.stamped(
        BenchmarkStream.bytes(seconds: 60, packetsPerPicture: 320), EventSchedule(game.events, policy: CopyPolicy()))
      return {
        var reader = EventReader()
        var items = 0
        for start in Swift.stride(from: 0, to: stream.count, by: 262_144) {
          items += (try? reader.push(stream.span.extracting(start..<min(start + 262_144, stream.count))).count) ?? 0
        }
        return items > 0 ? stream.count : 0
      }
    },
    Benchmark(name: "tags", summary: "ID3 tags, to their frames", unit: .tags) {
      let tags = BenchmarkGame(eventCount: 1_000, seconds: 10_000).copies(CopyPolicy(copies: 1, refreshInterval: nil)).map(\.tag)
      return { tags.count { (try? ID3Tag.decode($0.span)) != nil } }
    },
    Benchmark(name: "first-copies", summary: "JSON of events that are new, to the events", unit: .copies) {
      let texts = BenchmarkGame(eventCount: 1_000, seconds: 10_000).copies(CopyPolicy(copies: 1, refreshInterval: nil)).map(\.copy.text)
      return { texts.count { (try? EventCopy(parsing: $0, description: "")) != nil } }
    },
    Benchmark(name: "copies", summary: "JSON of copies as they repeat, to the events", unit: .copies) {
      let texts = BenchmarkGame.repeated.map(\.copy.text)
      return {
        var parser = CopyParser()
        return texts.count { (try? parser.parse($0, description: "")) != nil }
      }
    },
    Benchmark(name: "event-log", summary: "the same, and the event log", unit: .copies) {
      let copies = BenchmarkGame.repeated.map { (text: $0.copy.text, time: $0.time) }
      return {
        var parser = CopyParser()
        var log = EventLog()
        return copies.count { text, time in
          guard let copy = try? parser.parse(text, description: "") else { return false }
          return log.accept(copy, at: time) != .conflict
        }
      }
    },
    Benchmark(name: "state-machine", summary: "the same, and the state machine", unit: .copies) {
      let copies = BenchmarkGame.repeated.map { (text: $0.copy.text, time: $0.time) }
      return {
        var parser = CopyParser()
        var machine = GameStateMachine(verifySeal: nil)
        for (text, time) in copies {
          guard let copy = try? parser.parse(text, description: "") else { continue }
          _ = machine.receive(copy, at: time)
        }
        return machine.counters.copies
      }
    },
    arrival("arrival-descending", summary: "5,000 events, the latest first, and the state machine") { copies, _ in copies.reverse() },
    arrival("arrival-shuffled", summary: "5,000 events in any order, and the state machine") { $0.shuffle(using: &$1) },
    arrival("arrival-scattered", summary: "5,000 events with scattered sequence numbers, and the state machine") { copies, generator in
      let numbers = copies.indices.shuffled(using: &generator)
      for (index, number) in zip(copies.indices, numbers) { copies[index].event.sequence = 3 * number + 1 }
    },
    stamping("stamping-1", summary: "1 event stamped into an hour of 8 Mbit/s", eventCount: 1),
    stamping("stamping-10000", summary: "10,000 events stamped into an hour of 8 Mbit/s", eventCount: 10_000),
    schedule("schedule-10", summary: "10 events put before pictures of 10 hours", eventCount: 10),
    schedule("schedule-100000", summary: "100,000 events put before pictures of 10 hours", eventCount: 100_000),
    Benchmark(name: "scoring-update", summary: "a result counts for 1,000,000 players", unit: .players) {
      let audience = AudienceBox(BenchmarkAudience(players: 1_000_000, questions: 3))
      return { audience.value.update() }
    },
    Benchmark(name: "scoring-top-100", summary: "the top 100 of 1,000,000 players", unit: .players) {
      let audience = AudienceBox(BenchmarkAudience(players: 1_000_000, questions: 3))
      return { audience.value.top() >= 100 ? 1_000_000 : 0 }
    },
  ]

  /// An audience that is changed in place.
  private final class AudienceBox {
    var value: BenchmarkAudience
    init(_ value: BenchmarkAudience) { self.value = value }
  }

  /// A game whose events all come after its end, each once, in the order that `arrange` makes.
  private static func arrival(
    _ name: String, summary: String, arrange: @escaping @Sendable (inout [EventCopy], inout SeededNumbers) -> Void
  ) -> Benchmark {
    Benchmark(name: name, summary: summary, unit: .copies) {
      let game = BenchmarkGame(eventCount: 5_000, seconds: 50_000)
      var copies = game.events.map { EventCopy(of: $0.event) }
      var generator = SeededNumbers(seed: 5_000)
      arrange(&copies, &generator)
      return { [copies] in
        var machine = GameStateMachine(verifySeal: nil)
        for copy in copies { _ = machine.receive(copy, at: game.duration) }
        return machine.counters.events
      }
    }
  }

  private static func stamping(_ name: String, summary: String, eventCount: Int) -> Benchmark {
    Benchmark(name: name, summary: summary, unit: .bytes) {
      let game = BenchmarkGame(eventCount: eventCount, seconds: 3_600)
      return {
        var stamper = PacketStamper(EventSchedule(game.events, policy: CopyPolicy()))
        var output = ByteCounter()
        var second = BenchmarkStream.Second(packetsPerPicture: 213)
        for _ in 0..<3_600 {
          try? stamper.push(second.next().span, into: &output)
        }
        _ = try? stamper.finish(into: &output)
        return output.count
      }
    }
  }

  private static func schedule(_ name: String, summary: String, eventCount: Int) -> Benchmark {
    Benchmark(name: name, summary: summary, unit: .accessUnits) {
      let game = BenchmarkGame(eventCount: eventCount, seconds: 36_000)
      return { game.copies().isEmpty ? 0 : 900_000 }
    }
  }
}

extension BenchmarkGame {
  /// The copies of a game of ten minutes with an event every six seconds, in three copies each and refreshed every two seconds.
  fileprivate static var repeated: [EventSchedule.TimedCopy] { BenchmarkGame(eventCount: 100, seconds: 600).copies() }
}

/// Counts the bytes of a stream.
private struct ByteCounter: ByteSink {
  typealias Failure = Never
  private(set) var count = 0

  mutating func write(_ bytes: Span<UInt8>) { count += bytes.count }
}
