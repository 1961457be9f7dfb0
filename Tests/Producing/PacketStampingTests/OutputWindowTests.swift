import ByteCursor
import MediaTime
import StreamSamples
import Testing
import TransportStream

@testable import PacketStamping

/// What is held back, and how long.
@Suite struct OutputWindowTests {
  static func packet(_ number: Int) -> [UInt8] { [0x47, 0x01, 0x02, 0x10] + [UInt8](repeating: UInt8(number & 0xFF), count: 184) }

  /// Without null packets nothing is held.
  @Test func nothingToWaitFor() {
    var window = OutputWindow(PacketDressing(), keepsRate: false)
    var output: [UInt8] = []
    for number in 0..<10 {
      let packet = Self.packet(number)
      window.pass(packet.span) { output += [UInt8](copying: $0) }
      #expect(output.count == (number + 1) * 188)
    }
  }

  /// However long a stream goes on without an access unit, no more than a limit is held of it.
  @Test func noMoreThanALimitIsHeld() {
    var window = OutputWindow(PacketDressing(), keepsRate: false)
    let null = SamplePacketWriter.nullPacket
    let run = [UInt8](repeating: 0x47, count: 188 * 500)
    var (input, output) = (0, 0)
    for _ in 0..<300 {
      window.passNull(null.span, at: .zero) { output += $0.count }
      window.pass(run.span) { output += $0.count }
      input += null.count + run.count
      #expect(input - output <= OutputWindow.largestSize + (64 << 10))
    }
    #expect(output > input / 2)
    window.flush { output += $0.count }
    #expect(output == input)
  }

  /// Null packets are kept for 0.7 s of the program's clock, forwards or backwards, and no longer.
  @Test(arguments: [(0, true), (63_000, true), (63_001, false), (-63_000, true), (-63_001, false)])
  func nullPacketsAreKeptForAWhile(ticks: Int64, isKept: Bool) {
    var window = OutputWindow(PacketDressing(), keepsRate: true)
    let null = SamplePacketWriter.nullPacket
    var output: [UInt8] = []
    window.passNull(null.span, at: .zero) { output += [UInt8](copying: $0) }
    window.advance(to: MediaTime(ticks: ticks)) { output += [UInt8](copying: $0) }
    #expect(output.isEmpty == isKept)
    let new = Self.packet(1)
    let isPlaced = window.place([new], before: nil) { output += [UInt8](copying: $0) }
    #expect(isPlaced == isKept)
    #expect(output == (isKept ? new : null))
  }

  /// The latest null packets are taken, in the order of the packets, and those before move forward.
  @Test func asLateAsPossible() {
    var window = OutputWindow(PacketDressing(), keepsRate: false)
    let null = SamplePacketWriter.nullPacket
    var output: [UInt8] = []
    let emit: (Span<UInt8>) -> Void = { output += [UInt8](copying: $0) }
    for _ in 0..<4 { window.passNull(null.span, at: .zero, emit) }
    let first = window.place([Self.packet(1), Self.packet(2)], before: nil, emit)
    let second = window.place([Self.packet(3)], before: nil, emit)
    window.flush(emit)
    #expect(first && second)
    #expect(output == null + Self.packet(1) + Self.packet(2) + Self.packet(3))
    #expect(window.replaced == 3 && window.added == 0)
    // What is too much is added behind.
    output = []
    window.passNull(null.span, at: .zero, emit)
    let third = window.place([Self.packet(4), Self.packet(5)], before: nil, emit)
    window.flush(emit)
    #expect(third)
    #expect(output == Self.packet(4) + Self.packet(5))
    #expect(window.replaced == 4 && window.added == 1)
  }
}
