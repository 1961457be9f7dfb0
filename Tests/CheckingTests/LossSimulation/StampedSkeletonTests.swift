import Basics
import EventReading
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LossSimulation

/// The skeleton of a stream predicts the same events through a loss as a reader of the whole stream finds.
@Suite struct StampedSkeletonTests {
  static let policies = [
    CopyPolicy(copies: 1, refreshInterval: nil), CopyPolicy(), CopyPolicy(copies: 5, refreshInterval: MediaTime(ticks: 30_000)),
  ]
  static let losses: [PacketLoss] = [.random(0.02), .random(0.3), .bursts(length: 20, 0.2), .bursts(length: 200, 0.4)]

  /// A stream in whose tags and tables packets are lost often enough.
  static func stream() -> SampleStream {
    var stream = SampleStream()
    stream.tablesEvery = 4
    return stream
  }

  @Test(arguments: policies, losses) func itLosesWhatTheReaderLoses(policy: CopyPolicy, loss: PacketLoss) throws {
    let events = SampleGame.plan()
    let stamped = try stamp(Self.stream().bytes, with: events, policy).bytes
    var skeleton = StampedSkeleton(events)
    // In pieces of several packets.
    for start in stride(from: 0, to: stamped.count, by: 188 * 5) {
      skeleton.write(stamped.span.extracting(start..<min(start + 188 * 5, stamped.count)))
    }
    #expect(skeleton.packetCount == stamped.count / 188)
    var outcomes: Set<[MediaTime?]> = []
    for seed in 0..<60 as Range<UInt64> {
      let simulated = PacketSimulatorTests.loss { $0.packetLosses = [loss] }
      let arrived = PacketSimulatorTests.pass(stamped, simulated, seed: seed)
      var delays = [MediaTime?](repeating: nil, count: events.count)
      // Without a program association nothing is read at all.
      for (copy, place) in (try? read(arrived).copies) ?? [] {
        let index = try #require(events.firstIndex { $0.event.guid == copy.event.guid })
        delays[index] = delays[index] ?? (place.time - events[index].time)
      }
      #expect(skeleton.delays(loss, seed: seed) == delays)
      outcomes.insert(delays)
    }
    #expect(outcomes.count > 2)
  }

  @Test func aWholeStreamLosesNothing() throws {
    let events = SampleGame.plan()
    let stamped = try stamp(Self.stream().bytes, with: events).bytes
    var skeleton = StampedSkeleton(events)
    skeleton.write(stamped.span)
    #expect(skeleton.delays(.random(0), seed: 1) == events.map { _ in MediaTime.zero })
    #expect(skeleton.delays(.random(1), seed: 1) == events.map { _ in nil })
  }
}
