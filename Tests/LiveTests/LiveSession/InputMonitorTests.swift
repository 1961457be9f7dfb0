import Basics
import Testing
import TransportStream

@testable import LiveSession

/// The counts and messages about the packets of an input.
@Suite struct InputMonitorTests {
  private let start = ContinuousClock.now

  /// A packet with a payload.
  private func packet(
    _ pid: PID, _ counter: UInt8, flags: UInt8 = 0, scrambling: UInt8 = 0, isDiscontinuous: Bool = false, hasPayload: Bool = true
  ) -> [UInt8] {
    var packet: [UInt8] = [0x47, flags | UInt8(pid >> 8), UInt8(pid & 0xFF), scrambling << 6 | (hasPayload ? 0x10 : 0) | counter]
    if isDiscontinuous || !hasPayload {
      packet[3] |= 0x20
      packet += [hasPayload ? 1 : 183, isDiscontinuous ? 0x80 : 0]
    }
    return packet + Array(repeating: 0xFF, count: TransportPacket.size - packet.count)
  }

  private func monitor(_ packets: [[UInt8]]) -> InputMonitor {
    var monitor = InputMonitor()
    for packet in packets { monitor.push(packet.span) }
    return monitor
  }

  @Test func nothingIsWrong() {
    // A packet that is sent twice, one without a payload, an announced start, null packets, and the end of the counter.
    var monitor = monitor([
      packet(256, 14), packet(256, 14), packet(257, 3), packet(256, 15), packet(256, 9, hasPayload: false), packet(256, 0),
      packet(256, 7, isDiscontinuous: true), packet(256, 8), packet(0x1FFF, 5), packet(0x1FFF, 9), packet(257, 4),
    ])
    #expect(monitor.endPortion(byteCount: 188, at: start) == [])
    #expect(monitor.counts == InputCounts())
  }

  @Test func missingPackets() {
    var monitor = monitor([packet(257, 0), packet(257, 3), packet(256, 1), packet(256, 0), packet(256, 1)])
    #expect(monitor.counts == InputCounts(continuityErrors: 2))
    #expect(
      monitor.endPortion(byteCount: 0, at: start) == ["packets are missing, or come in another order: 2 continuity errors on PID 256, 257"])
    // The next message comes ten seconds later at the earliest, for all errors since.
    for counter: UInt8 in [5, 9, 13] {
      let packet = packet(257, counter)
      monitor.push(packet.span)
      #expect(monitor.endPortion(byteCount: 0, at: start + .seconds(9)) == [])
    }
    let later = monitor.endPortion(byteCount: 0, at: start + .seconds(10))
    #expect(later == ["packets are missing, or come in another order: 3 continuity errors on PID 257"])
    #expect(monitor.endPortion(byteCount: 0, at: start + .seconds(30)) == [])
    #expect(monitor.counts == InputCounts(continuityErrors: 5))
  }

  @Test func anotherSource() {
    var monitor = monitor([packet(256, 4), packet(257, 9)])
    monitor.beginSource()
    for packet in [packet(256, 0), packet(257, 0), packet(256, 1)] { monitor.push(packet.span) }
    #expect(monitor.counts == InputCounts())
  }

  @Test func damagedPackets() {
    // The counter of a damaged packet may be damaged as well.
    var monitor = monitor([packet(256, 4), packet(256, 11, flags: 0x80), packet(256, 6)])
    #expect(monitor.counts == InputCounts(damagedPackets: 1))
    #expect(
      monitor.endPortion(byteCount: 0, at: start) == ["packets are marked as damaged (transport_error_indicator): 1 on PID 256"])
  }

  @Test func scrambling() {
    var monitor = monitor([packet(256, 4), packet(256, 5, scrambling: 2), packet(256, 6, scrambling: 3), packet(257, 0, scrambling: 2)])
    #expect(monitor.endPortion(byteCount: 0, at: start) == ["scrambled, so that it cannot be read: PID 256, 257"])
    #expect(monitor.endPortion(byteCount: 0, at: start) == [])
    let clear = packet(256, 7)
    monitor.push(clear.span)
    #expect(monitor.endPortion(byteCount: 0, at: start + .seconds(9)) == [])
    #expect(monitor.endPortion(byteCount: 0, at: start + .seconds(10)) == ["no longer scrambled: PID 256"])
    #expect(monitor.counts == InputCounts(scrambledPackets: 3))
  }

  @Test func otherBytes() {
    var monitor = InputMonitor()
    monitor.skip(byteCount: 12)
    monitor.skip(byteCount: 30)
    #expect(monitor.endPortion(byteCount: 0, at: start) == ["bytes belong to no packet of a transport stream: 42"])
    #expect(monitor.counts == InputCounts(skippedBytes: 42))
  }

  @Test func bitRate() {
    var monitor = InputMonitor()
    for tenth in 0..<10 { _ = monitor.endPortion(byteCount: 12_500, at: start + .milliseconds(100 * tenth)) }
    #expect(monitor.counts.bitRate == 0)
    _ = monitor.endPortion(byteCount: 0, at: start + .seconds(1))
    #expect(monitor.counts.bitRate == 1_000_000)
    _ = monitor.endPortion(byteCount: 250_000, at: start + .seconds(3))
    #expect(monitor.counts.bitRate == 1_000_000)
  }
}
