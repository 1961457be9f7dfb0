import Basics
import EventSchedule
import TestSupport
import Testing
import TransportStream

@testable import PacketStamping

/// The bytes that are held back, and how long.
@Suite struct OutputWindowTests {
  static func packet(_ number: Int) -> [UInt8] { [0x47, 0x01, 0x02, 0x10] + [UInt8](repeating: UInt8(number & 0xFF), count: 184) }

  /// Without null packets nothing is held.
  @Test func nothingToWaitFor() {
    var window = OutputWindow(PacketEncapsulation(), .free)
    var output: [UInt8] = []
    for number in 0..<10 {
      let packet = Self.packet(number)
      window.write(packet.span, &output)
      #expect(output.count == (number + 1) * 188)
    }
  }

  /// However long a stream goes on without an access unit, no more than a limit is held of it.
  @Test func noMoreThanALimitIsHeld() {
    var window = OutputWindow(PacketEncapsulation(), .free)
    let null = SamplePacketWriter.nullPacket
    let run = [UInt8](repeating: 0x47, count: 188 * 500)
    var (input, output) = (0, ByteCounter())
    for _ in 0..<300 {
      window.writeNull(null.span, &output)
      window.write(run.span, &output)
      input += null.count + run.count
      #expect(input - output.count <= OutputWindow.largestSize + (64 << 10))
    }
    #expect(output.count > input / 2)
    window.flush(&output)
    #expect(output.count == input)
  }

  /// The limit holds for null packets alone, too.
  @Test func noMoreNullPacketsThanALimitAreHeld() {
    var window = OutputWindow(PacketEncapsulation(), .free)
    let null = SamplePacketWriter.nullPacket
    var (input, most, output) = (0, 0, ByteCounter())
    for _ in 0..<OutputWindow.largestSize / 188 * 5 / 4 {
      window.writeNull(null.span, &output)
      input += null.count
      most = max(most, input - output.count)
    }
    #expect(most <= OutputWindow.largestSize + null.count)
    #expect(window.freeCount > OutputWindow.largestSize / 188 * 9 / 10)
    window.flush(&output)
    #expect(output.count == input)
  }

  /// The number of bytes that a stamper holds of a stream in which packets go on and on without a video frame.
  ///
  /// The chunk that a stamper was given last may be held besides.
  private func most(heldOf packets: [UInt8], after beginning: [UInt8]) throws -> Int {
    let policy = CopyPolicy(copies: 1, refreshInterval: MediaTime(ticks: 3_600))
    var stamper = PacketStamper(EventSchedule([SampleGame.short(at: 3_600 * 59)], policy: policy))
    var (input, most, output) = (0, 0, ByteCounter())
    // The stream's first mebibyte is looked at before anything comes out.
    for chunk in [beginning] + [[UInt8]](repeating: packets, count: 12 * (1 << 20) / packets.count) {
      try stamper.push(chunk.span, into: &output)
      input += chunk.count
      if output.count > 0 { most = max(most, input - output.count) }
    }
    _ = try stamper.finish(into: &output)
    #expect(output.count >= input)
    return most
  }

  private static let chunkSize = 188 * 500

  /// A stream breaks off, and nothing but null packets comes for long.
  @Test func nullPacketsWithoutEnd() throws {
    let nulls = [[UInt8]](repeating: SamplePacketWriter.nullPacket, count: 500).flatMap { $0 }
    let held = try most(heldOf: nulls, after: ConstantRateTests.stream())
    #expect(held > OutputWindow.largestSize / 2 && held <= OutputWindow.largestSize + Self.chunkSize)
  }

  /// A PMT begins and does not end, and for long neither a video frame nor a table comes.
  @Test func aMapWithoutEnd() throws {
    var map = SampleStream.videoAndAudio
    map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 250))]
    var writer = SamplePacketWriter()
    writer.append(section: try map.section(), pid: 0x1000)
    var sample = SampleStream()
    sample.extras[60] = [.packets(Array(writer.bytes.prefix(188)))]
    let others = [[UInt8]](repeating: Self.packet(0), count: 500).flatMap { $0 }
    let held = try most(heldOf: others, after: sample.bytes)
    #expect(held > OutputWindow.largestSize / 2 && held <= OutputWindow.largestSize + Self.chunkSize)
  }

  /// Null packets are kept for 0.7 s of the program's clock, forwards or backwards, and no longer.
  @Test(arguments: [(0, true), (63_000, true), (63_001, false), (-63_000, true), (-63_001, false)])
  func nullPacketsAreKeptForAWhile(ticks: Int64, isKept: Bool) {
    var window = OutputWindow(PacketEncapsulation(), .kept)
    let null = SamplePacketWriter.nullPacket
    var output: [UInt8] = []
    window.advance(to: .zero, &output)
    window.writeNull(null.span, &output)
    window.advance(to: MediaTime(ticks: ticks), &output)
    #expect(output.isEmpty == isKept)
    let new = Self.packet(1)
    let isPlaced = window.place([new], before: nil, &output)
    #expect(isPlaced == isKept)
    #expect(output == (isKept ? new : null))
  }

  /// Null packets between two access units lie as much apart from them in time as they do in bytes.
  @Test(arguments: [(63_000, 10), (69_300, 10), (69_311, 9), (126_000, 5), (693_000, 1), (693_011, 0)])
  func nullPacketsHaveTheTimesOfTheirPlaces(ticks: Int64, kept: Int) {
    var window = OutputWindow(PacketEncapsulation(), .kept)
    var output: [UInt8] = []
    window.advance(to: .zero, &output)
    let unit = Self.packet(0)
    window.write(unit.span, &output)
    let null = SamplePacketWriter.nullPacket
    for _ in 0..<10 { window.writeNull(null.span, &output) }
    window.advance(to: MediaTime(ticks: ticks), &output)
    #expect(window.freeCount == kept)
  }

  /// The latest null packets are taken, in the order of the packets, and those before move forward.
  @Test func asLateAsPossible() {
    var window = OutputWindow(PacketEncapsulation(), .free)
    let null = SamplePacketWriter.nullPacket
    var output: [UInt8] = []
    for _ in 0..<4 { window.writeNull(null.span, &output) }
    let first = window.place([Self.packet(1), Self.packet(2)], before: nil, &output)
    let second = window.place([Self.packet(3)], before: nil, &output)
    window.flush(&output)
    #expect(first && second)
    #expect(output == null + Self.packet(1) + Self.packet(2) + Self.packet(3))
    #expect(window.replaced == 3 && window.added == 0)
    // What is too much is added behind.
    output = []
    window.writeNull(null.span, &output)
    let third = window.place([Self.packet(4), Self.packet(5)], before: nil, &output)
    window.flush(&output)
    #expect(third)
    #expect(output == Self.packet(4) + Self.packet(5))
    #expect(window.replaced == 4 && window.added == 1)
  }
}

/// Counts the bytes of a stream.
private struct ByteCounter: ByteSink {
  typealias Failure = Never
  private(set) var count = 0

  mutating func write(_ bytes: Span<UInt8>) { count += bytes.count }
}
