import Basics
import EventReading
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LossSimulation

/// Damaged streams give no false event: every event that is read is byte for byte one that was stamped. `scripts/prove` reads many thousands more.
@Suite struct DamagedStreamTests {
  static let stamped = (try? stamp(SampleStream().bytes, with: SampleGame.plan()).bytes) ?? []
  static let texts = Set(((try? read(stamped).copies) ?? []).map { $0.copy.text })

  /// Cuts, splices and repeats blocks of a stream.
  static func shuffled(_ stream: [UInt8], seed: UInt64) -> [UInt8] {
    var numbers = SeededNumbers(seed: seed, purpose: 9)
    func place() -> Int { Int(numbers.next() % UInt64(stream.count)) }
    var output = stream
    for _ in 0..<4 {
      let (from, to) = (place() % output.count, place() % output.count)
      let block = Array(output[min(from, to)..<max(from, to)].prefix(5_000))
      switch numbers.next() % 3 {
      case 0: output.removeSubrange(min(from, to)..<min(from, to) + block.count)
      case 1: output.insert(contentsOf: block, at: from)
      default: output.replaceSubrange(min(from, to)..<min(from, to) + block.count, with: block.reversed())
      }
    }
    return output
  }

  @Test(arguments: [0.00001, 0.0001, 0.001]) func flippedBitsMakeNoEvents(rate: Double) throws {
    var flips = SimulatedLoss()
    flips.flips = rate
    var count = 0
    for seed in 0..<60 as Range<UInt64> {
      let damaged = PacketSimulatorTests.pass(Self.stamped, flips, seed: seed)
      for (copy, _) in (try? read(damaged).copies) ?? [] {
        #expect(copy.isVerified && Self.texts.contains(copy.text))
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test func cutAndSplicedStreamsMakeNoEvents() throws {
    var count = 0
    for seed in 0..<100 as Range<UInt64> {
      for (copy, _) in (try? read(Self.shuffled(Self.stamped, seed: seed)).copies) ?? [] {
        #expect(copy.isVerified && Self.texts.contains(copy.text))
        count += 1
      }
    }
    #expect(count > 1_000)
  }

  /// The checksum's own key and the text before it are both damaged: still ours, and still refused.
  @Test func aDamagedChecksumKeyDoesNotMakeAForeignEvent() throws {
    let text = EventCopy(of: SampleGame.plan()[3].event).text
    let damaged = text.replacing("1204", with: "1205").replacing("\"crc\"", with: "\"cra\"")
    #expect(throws: EventError.checksumMismatch) { try EventCopy(parsing: damaged, description: "periodicInfo") }
  }
}
