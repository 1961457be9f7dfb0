import TestSupport
import TransportStream

/// How a stamped stream differs from its original, packet by packet. Unintended differences are named.
struct StampedDifference {
  /// The number of packets that are the same, byte by byte, with their timestamps and parity.
  private(set) var kept = 0
  /// The number of null packets that became packets of events, or of the program's PMT.
  private(set) var replaced = 0
  /// The number of packets of events, or of the PMT, that were added.
  private(set) var added = 0
  /// The number of packets of the PMT that differ.
  private(set) var maps = 0
  /// How many packets of an ID3 stream that was there before have another counter, and the same content.
  private(set) var renumbered = 0
  /// How many packets of events stand where a packet of such a stream stood, which moved forward. Only in streams that have not become longer.
  private(set) var moved = 0
  /// The numbers, in the stamped stream, of packets that differ for no reason listed above. After the first one nothing is compared.
  private(set) var unexpected: [Int] = []

  private let framing: PacketFramer.Framing

  /// Compares two streams whose packets lie in the same framing.
  init(_ original: [UInt8], _ stamped: [UInt8], eventPID: PID, pmtPID: PID, _ framing: PacketFramer.Framing = .plain) {
    self.framing = framing
    let (before, after) = (units(original), units(stamped))
    var place = 0
    for (number, unit) in after.enumerated() {
      let old = place < before.count ? before[place] : []
      let (pid, oldPID) = (pid(unit), pid(old))
      place += 1
      if unit == old {
        kept += 1
      } else if [eventPID, pmtPID].contains(pid), oldPID == TransportPacket.nullPID, front(unit) == front(old) {
        replaced += 1
      } else if pid == pmtPID, oldPID == pmtPID, front(unit) == front(old) {
        maps += 1
      } else if pid == eventPID, oldPID == eventPID, uncounted(unit) == uncounted(old) {
        renumbered += 1
      } else if pid == eventPID, oldPID == eventPID, before.count == after.count, front(unit) == front(old) {
        moved += 1
      } else if [eventPID, pmtPID].contains(pid) {
        added += 1
        place -= 1
      } else {
        unexpected = [number]
        return
      }
    }
    if place != before.count { unexpected = [after.count] }
  }

  private func units(_ stream: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: stream.count, by: framing.stride).map { Array(stream[$0..<min($0 + framing.stride, stream.count)]) }
  }

  private func packet(_ unit: [UInt8]) -> [UInt8] { Array(unit.dropFirst(framing.packetStart).prefix(TransportPacket.size)) }

  private func pid(_ unit: [UInt8]) -> PID? {
    let packet = packet(unit)
    return packet.count == TransportPacket.size ? TransportPacket.pid(of: packet.span) : nil
  }

  /// The bytes in front of the packet.
  private func front(_ unit: [UInt8]) -> [UInt8] { Array(unit.prefix(framing.packetStart)) }

  private func uncounted(_ unit: [UInt8]) -> [UInt8] {
    var packet = packet(unit)
    packet[3] &= 0xF0
    return packet
  }
}
