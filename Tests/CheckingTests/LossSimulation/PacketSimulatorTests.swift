import Basics
import EventReading
import HLSReading
import TestSupport
import Testing
import TransportStream

@testable import LossSimulation

/// Packets that are lost, repeated, swapped and damaged on their way.
@Suite struct PacketSimulatorTests {
  static let stream: [UInt8] = (try? stamp(SampleStream().bytes, with: SampleGame.plan()).bytes) ?? []

  static func pass(_ stream: [UInt8], _ loss: SimulatedLoss, seed: UInt64 = 1, chunk: Int? = nil) -> [UInt8] {
    var filter = LossFilter(loss, seed: seed)
    var output: [HLSPortion] = []
    for start in stride(from: 0, to: stream.count, by: chunk ?? stream.count) {
      output += filter.change(.bytes(stream[start..<min(start + (chunk ?? stream.count), stream.count)]))
    }
    return bytes(output + filter.change(.end(.zero)))
  }

  static func bytes(_ portions: [HLSPortion]) -> [UInt8] {
    portions.flatMap { portion -> ArraySlice<UInt8> in if case .bytes(let bytes) = portion { bytes } else { [] } }
  }

  static func loss(_ change: (inout SimulatedLoss) -> Void) -> SimulatedLoss {
    var loss = SimulatedLoss()
    change(&loss)
    return loss
  }

  static let everything = loss {
    ($0.packetLosses, $0.ranges) = ([.random(0.05), .bursts(length: 4, 0.05)], [MediaTime(ticks: 90_000)..<MediaTime(ticks: 99_000)])
    ($0.flips, $0.reorders, $0.duplicates) = (0.00001, 0.05, 0.05)
  }

  @Test func nothingChangesNothing() {
    #expect(Self.pass(Self.stream, SimulatedLoss()) == Self.stream)
    // Losses with a chance of 0 change nothing either.
    #expect(Self.pass(Self.stream, Self.loss { $0.packetLosses = [.random(0)] }, chunk: 1_000) == Self.stream)
  }

  @Test func theSameSeedLosesTheSameHoweverTheBytesCome() {
    let whole = Self.pass(Self.stream, Self.everything, seed: 3)
    #expect(whole != Self.pass(Self.stream, Self.everything, seed: 4))
    for chunk in [1, 188, 1_000] { #expect(Self.pass(Self.stream, Self.everything, seed: 3, chunk: chunk) == whole) }
  }

  /// A packet that comes twice is one packet to every reader.
  @Test func duplicatesChangeNoEvent() throws {
    let passed = Self.pass(Self.stream, Self.loss { $0.duplicates = 0.5 })
    #expect(passed.count > Self.stream.count * 14 / 10)
    let (copies, expected) = (try read(passed).copies, try read(Self.stream).copies)
    #expect(copies.map { $0.copy } == expected.map { $0.copy } && copies.map { $0.place.time } == expected.map { $0.place.time })
  }

  @Test func swappedPacketsAreAllThere() {
    let passed = Self.pass(Self.stream, Self.loss { $0.reorders = 0.2 })
    #expect(passed.count == Self.stream.count && passed != Self.stream)
    func sorted(_ stream: [UInt8]) -> [[UInt8]] {
      SamplePacket.all(in: stream).map { $0.bytes }.sorted { $0.lexicographicallyPrecedes($1) }
    }
    #expect(sorted(passed) == sorted(Self.stream))
  }

  /// What is presented in the range is lost, and nothing else.
  @Test func rangesAreOfTheProgramme() throws {
    let range = MediaTime(ticks: 70_000)..<MediaTime(ticks: 90_000)
    let passed = Self.pass(Self.stream, Self.loss { $0.ranges = [range] })
    let (kept, all) = (try read(passed).copies, try read(Self.stream).copies)
    #expect(kept.map { $0.copy } == all.filter { !range.contains($0.place.time) }.map { $0.copy })
    #expect(kept.count < all.count)
    for pid: PID in [0x100, 0x101] {
      for packet in SamplePacket.pes(on: pid, in: passed) {
        let time = try #require(try PESHeader(packet.bytes.span).presentationTime)
        #expect(!range.contains(MediaTime(ticks: Int64(time) - 900_000)))
      }
    }
  }

  /// Packets of other framings come out plain; what lies between packets does not.
  @Test func otherFramings() {
    let lossless = Self.loss { $0.packetLosses = [.random(0)] }
    for framing in [PacketFramer.Framing.timestamped, .withParity] {
      #expect(Self.pass(SamplePacket.reframed(Self.stream, framing), lossless) == Self.stream)
    }
    #expect(Self.pass(Self.stream + [1, 2, 3], lossless) == Self.stream)
  }

  @Test func flippedBits() {
    let zeros = [UInt8](repeating: 0, count: 250_000)
    let passed = Self.pass(zeros, Self.loss { $0.flips = 0.001 }, chunk: 7_777)
    let flips = passed.reduce(0) { $0 + $1.nonzeroBitCount }
    #expect(passed.count == zeros.count && (1_800...2_200).contains(flips))
    #expect(Self.pass(zeros, Self.loss { $0.flips = 1 }) == [UInt8](repeating: 0xFF, count: 250_000))
  }

  /// Packets are lost only where there are packets.
  @Test func otherContainersAreRefused() {
    let fragment: [UInt8] = [0, 0, 0, 16] + Array("stypcmfs".utf8) + [0, 0, 0, 0] + [UInt8](repeating: 7, count: 100)
    var filter = LossFilter(Self.loss { $0.packetLosses = [.random(1)] }, seed: 1)
    #expect(Self.bytes(filter.change(.bytes(fragment[...])) + filter.change(.end(.zero))) == fragment && filter.refused == .fragmentedMP4)
    var flipper = LossFilter(Self.loss { $0.flips = 1 }, seed: 1)
    #expect(Self.bytes(flipper.change(.bytes(fragment[...]))) == fragment.map { ~$0 } && flipper.refused == nil)
  }

  /// Segments are dropped by the loader; the filter says which there are. Gaps cannot be lost.
  @Test func theNumbersOfSegmentsAreKnown() {
    var filter = LossFilter(Self.loss { $0.segments = [7] }, seed: 1)
    let portions = [6, 7, 8, 9].map { HLSPortion.next(mediaSequence: $0, isGap: $0 == 8) }
    #expect(portions.flatMap { filter.change($0) } == portions)
    #expect(filter.segments == [6, 7, 9])
  }

  /// Initialization segments pass as they are, and what is held back comes before the end of its segment.
  @Test func onlySegmentsAreChanged() {
    var filter = LossFilter(Self.loss { $0.flips = 1 }, seed: 1)
    let bytes = HLSPortion.bytes([1, 2, 3])
    func part(_ kind: HLSReader.Resource.Kind) -> HLSPortion { .begin(.init(kind: kind, source: HLSSource(uri: "", mediaSequence: 0))) }
    let portions = [part(.initializationSegment), bytes, .end(.zero), part(.segment), bytes, .end(.zero)]
    #expect(portions.flatMap { filter.change($0) } == Array(portions.prefix(4)) + [.bytes([254, 253, 252]), .end(.zero)])
    var packets = LossFilter(Self.loss { $0.packetLosses = [.random(0)] }, seed: 1)
    #expect([part(.segment), bytes, .lost(.zero)].flatMap { packets.change($0) } == [part(.segment), .lost(.zero)])
  }
}
