/// The bytes of packets around sections that are no sections. They are kept when the sections change.
package struct SectionFilling: Equatable, Sendable {
  /// The bytes that the first pointer skips.
  package var lead: [UInt8] = []
  /// The bytes after the last section in its packet; `nil` if 0xFF fills the packet.
  package var rest: [UInt8]?

  /// Packets that 0xFF fills.
  package init() {}

  /// What fills packets of a PID.
  package init(lead: [UInt8], rest: [UInt8]?) { (self.lead, self.rest) = (lead, rest) }

  /// The filling for this number of bytes: the known bytes, and then more of them if all are equal, or else 0xFF.
  fileprivate func bytes(_ count: Int) -> [UInt8] {
    guard let rest, let first = rest.first else { return [UInt8](repeating: 0xFF, count: count) }
    let more = rest.contains { $0 != first } ? 0xFF : first
    return Array(rest.prefix(count)) + [UInt8](repeating: more, count: max(count - rest.count, 0))
  }
}

extension TransportPacket {
  /// Puts sections into packets of a PID (ISO/IEC 13818-1, 2.4.4.1 and 2.4.4.2): a packet in which a section starts has a pointer to the first of
  /// them, and the rest of the last packet is filled with 0xFF.
  ///
  /// - Parameters:
  ///   - heads: The headers and adaptation fields of the first packets, of at most 182 bytes each. Their payload_unit_start_indicator is set if a
  ///     section starts. There is at least one packet for each head, and each packet has a payload.
  ///   - counter: The continuity counter of the first packet that has no head of its own.
  public static func packets(sections: [[UInt8]], pid: PID, heads: [[UInt8]], counter: UInt8) -> [[UInt8]] {
    packets(sections: sections, pid: pid, heads: heads, counter: counter, SectionFilling())
  }

  /// Puts sections into packets as ``packets(sections:pid:heads:counter:)`` does, which are filled up like those that the sections come from.
  ///
  /// If a packet ends with its last section, adaptation fields with stuffing fill packets up.
  package static func packets(
    sections: [[UInt8]], pid: PID, heads: [[UInt8]], counter: UInt8, _ filling: SectionFilling
  ) -> [[UInt8]] {
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
      let start = packet.count
      let left = (rest.first?.count ?? 0) - position
      // A section starts here: at once, or where the one before ends, if there is room after it.
      if !rest.isEmpty, position == 0 || (rest.count > 1 && packet.count + 1 + left < size) {
        packet[1] |= 0x40
        packet.append(position == 0 ? UInt8(packets.isEmpty ? filling.lead.count : 0) : UInt8(left))
        if packets.isEmpty { packet += filling.lead }
      }
      let hasPointer = packet[1] & 0x40 != 0
      let hadSections = !rest.isEmpty
      while let section = rest.first, packet.count < size, position > 0 || hasPointer {
        let part = section[position...].prefix(size - packet.count)
        packet += part
        position += part.count
        guard position == section.count else { break }
        rest.removeFirst()
        position = 0
      }
      if filling.rest == [], hadSections, rest.isEmpty {
        packets.append(stuffed(head: packet[..<start], payload: packet[start...]))
      } else {
        packets.append(packet + (rest.isEmpty && hadSections ? filling : SectionFilling()).bytes(size - packet.count))
      }
    }
    return packets
  }

  /// The number of packets that sections need after these heads.
  package static func packetCount(sections: [[UInt8]], heads: [[UInt8]], _ filling: SectionFilling) -> Int {
    (1...max(heads.count, 1)).first { count in
      packets(sections: sections, pid: 0, heads: Array(heads.prefix(count)), counter: 0, filling).count == count
    } ?? heads.count
  }

  /// The flags and fields of the adaptation field of a packet, or of the bytes before its payload, without its stuffing; empty if no flag is set.
  package static func adaptationContent(of head: [UInt8]) -> ArraySlice<UInt8> {
    guard head.count > 5, head[3] & 0x20 != 0, head[4] > 0, head[5] != 0 else { return [] }
    let field = head[5...].prefix(Int(head[4]))
    let flags = head[5]
    var count = 1 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags & 0x04 != 0 ? 1 : 0)
    // Private data, and an extension: each has its length in front.
    for flag: UInt8 in [0x02, 0x01] where flags & flag != 0 && count < field.count { count += 1 + Int(field[field.startIndex + count]) }
    return field.prefix(count)
  }

  /// Returns a packet that is filled up by stuffing in its adaptation field.
  private static func stuffed(head: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) -> [UInt8] {
    let count = size - head.count - payload.count
    guard count > 0 else { return Array(head + payload) }
    var head = Array(head)
    if head[3] & 0x20 == 0 {
      head[3] |= 0x20
      head += count > 1 ? [UInt8(count - 1), 0] : [0]
      return head + [UInt8](repeating: 0xFF, count: max(count - 2, 0)) + payload
    }
    // A field of length 0 has no flags.
    let hasFlags = head[4] > 0
    head[4] += UInt8(count)
    return head + (hasFlags ? [] : [0]) + [UInt8](repeating: 0xFF, count: hasFlags ? count : count - 1) + payload
  }

  /// A packet of the null PID.
  public static let nullPacket: [UInt8] = [syncByte, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
}
