extension TransportPacket {
  /// Puts sections into packets of a PID (ISO/IEC 13818-1, 2.4.4.1 and 2.4.4.2): a packet in which a section starts has a pointer to the first of
  /// them, and the rest of the last packet is filled with 0xFF.
  ///
  /// - Parameters:
  ///   - heads: The headers and adaptation fields of the first packets, of at most 182 bytes each. Their payload_unit_start_indicator is set if a
  ///     section starts. There is at least one packet for each head, and each packet has a payload.
  ///   - counter: The continuity counter of the first packet that has no head of its own.
  public static func packets(sections: [[UInt8]], pid: PID, heads: [[UInt8]], counter: UInt8) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var counter = counter
    var rest = sections[...]
    // The number of bytes of the first remaining section that are in packets already.
    var position = 0
    while packets.count < heads.count || !rest.isEmpty {
      var packet: [UInt8]
      if packets.count < heads.count {
        packet = heads[packets.count]
        packet[1] &= ~0x40
      } else {
        packet = [syncByte, UInt8(pid >> 8 & 0x1F), UInt8(pid & 0xFF), 0x10 | counter & 0x0F]
        counter = (counter &+ 1) & 0x0F
      }
      let left = (rest.first?.count ?? 0) - position
      // A section starts here: at once, or where the one before ends, if there is room after it.
      if !rest.isEmpty, position == 0 || (rest.count > 1 && packet.count + 1 + left < size) {
        packet[1] |= 0x40
        packet.append(position == 0 ? 0 : UInt8(left))
      }
      let hasPointer = packet[1] & 0x40 != 0
      while let section = rest.first, packet.count < size, position > 0 || hasPointer {
        let part = section[position...].prefix(size - packet.count)
        packet += part
        position += part.count
        guard position == section.count else { break }
        rest.removeFirst()
        position = 0
      }
      packet += [UInt8](repeating: 0xFF, count: size - packet.count)
      packets.append(packet)
    }
    return packets
  }

  /// A packet of the null PID.
  public static let nullPacket: [UInt8] = [syncByte, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
}
