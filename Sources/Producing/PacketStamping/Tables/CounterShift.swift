import TransportStream

/// How far the continuity counters of a PID have shifted, modulo 16, because packets with a payload were added or removed.
struct CounterShift: Equatable, Sendable {
  private var count: UInt8 = 0

  /// Whether the counters are those of the input.
  var isZero: Bool { count == 0 }

  /// Records that packets were added, or removed if the number is negative.
  static func += (shift: inout CounterShift, packets: Int) { shift.count = (shift.count &+ UInt8(truncatingIfNeeded: packets)) & 0x0F }

  /// Returns the shifted counter of the input.
  static func + (counter: UInt8, shift: CounterShift) -> UInt8 { (counter &+ shift.count) & 0x0F }
}

extension TransportPacket {
  /// The continuity counter of a packet, without looking at anything else.
  static func counter(of packet: [UInt8]) -> UInt8 { packet[3] & 0x0F }

  /// The continuity counter of the packet before one with this counter.
  static func counter(before counter: UInt8) -> UInt8 { (counter &- 1) & 0x0F }
  static func counter(after counter: UInt8) -> UInt8 { (counter &+ 1) & 0x0F }

  /// A packet with another continuity counter.
  static func counted(_ packet: [UInt8], _ counter: UInt8) -> [UInt8] {
    var packet = packet
    packet[3] = packet[3] & 0xF0 | counter & 0x0F
    return packet
  }

  /// Splits bytes that continue a PES packet into packets, which follow one with this counter.
  static func packets(continuing bytes: [UInt8], pid: PID, after counter: UInt8) -> [[UInt8]] {
    var next = self.counter(after: counter)
    return split(packets(carrying: bytes, pid: pid, counter: &next, first: nil, startsUnit: false))
  }

  /// Changes the length of the PES packet that starts in a packet, unless it is left unspecified, as it must be for long video.
  static func lengthen(_ packet: inout [UInt8], by count: Int) {
    guard let header = try? TransportPacket(packet.span), header.payload.count >= PESHeader.lengthFieldEnd else { return }
    let place = header.payload.lowerBound + PESHeader.lengthFieldEnd - 2
    let length = Int(packet[place]) << 8 | Int(packet[place + 1])
    guard length > 0, length + count > 0 else { return }
    let changed = UInt16(exactly: length + count) ?? 0
    (packet[place], packet[place + 1]) = (UInt8(changed >> 8), UInt8(changed & 0xFF))
  }

  /// Splits bytes into packets.
  static func split(_ packets: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: packets.count, by: size).map { Array(packets[$0..<$0 + size]) }
  }

  /// Returns a packet without its payload: its adaptation field alone.
  ///
  /// - Parameter counter: The counter of the packet before, since packets without a payload are not counted.
  static func withoutPayload(_ packet: [UInt8], counter: UInt8) -> [UInt8] {
    let length = packet[3] & 0x20 != 0 ? Int(packet[4]) : 0
    let field = packet[5..<5 + min(length, size - 5)]
    let head = [packet[0], packet[1] & ~0x40, packet[2], packet[3] & 0xC0 | 0x20 | counter & 0x0F, UInt8(size - 5)]
    let content = field.isEmpty ? [0] : Array(field)
    return head + content + [UInt8](repeating: 0xFF, count: size - 5 - content.count)
  }
}
