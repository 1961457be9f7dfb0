import Basics
package import TransportStream

/// Writes transport packets one after another, counting each PID's.
package struct SamplePacketWriter: Sendable {
  /// What was written.
  package private(set) var bytes: [UInt8] = []
  private var counters: [PID: UInt8] = [:]

  /// Starts with nothing written.
  package init() {}

  /// Appends packets as they are. Their counters are not looked at.
  package mutating func append(packets: [UInt8]) { bytes += packets }

  /// Appends a section that starts in a packet of its own.
  package mutating func append(section: Section, pid: PID) {
    guard let encoded = try? section.encode() else { return }
    append(sections: [encoded], pid: pid)
  }

  /// Appends sections one after another; what is left of the last packet is filled with 0xFF.
  package mutating func append(sections: [[UInt8]], pid: PID) {
    var unit: [UInt8] = [0] + sections.joined()
    unit += [UInt8](repeating: 0xFF, count: (184 - unit.count % 184) % 184)
    append(unit, pid: pid)
  }

  /// Appends a packet that has nothing but a clock reference (33 bits of 90 kHz).
  package mutating func append(clock: UInt64, pid: PID) {
    let counter = ((counters[pid] ?? 0) + 15) & 0x0F
    let field = Self.adaptation(isRandomAccess: false, clock: clock)
    bytes += [0x47, UInt8(pid >> 8), UInt8(pid & 0xFF), 0x20 | counter, 183]
    bytes += field + [UInt8](repeating: 0xFF, count: 183 - field.count)
  }

  /// Appends a unit, split into packets; the last is filled up in front of its payload.
  package mutating func append(_ unit: [UInt8], pid: PID, isRandomAccess: Bool = false, clock: UInt64? = nil) {
    var rest = unit[...]
    while !rest.isEmpty {
      let isFirst = rest.startIndex == unit.startIndex
      var field = isFirst && (isRandomAccess || clock != nil) ? Self.adaptation(isRandomAccess: isRandomAccess, clock: clock) : []
      let room = 184 - (field.isEmpty ? 0 : 1 + field.count)
      let part = rest.prefix(room)
      let stuffing = room - part.count
      let hasField = !field.isEmpty || stuffing > 0
      if field.isEmpty, stuffing > 1 {
        field = [0] + [UInt8](repeating: 0xFF, count: stuffing - 2)
      } else if !field.isEmpty {
        field += [UInt8](repeating: 0xFF, count: stuffing)
      }
      let counter = counters[pid] ?? 0
      bytes += [0x47, (isFirst ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF), (hasField ? 0x30 : 0x10) | counter]
      if hasField { bytes += [UInt8(field.count)] + field }
      bytes += part
      counters[pid] = (counter + 1) & 0x0F
      rest = rest.dropFirst(part.count)
    }
  }

  /// A packet of the null PID.
  package static let nullPacket: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0x55, count: 184)

  /// The header of a PES packet that is aligned; `length` counts what follows the length field, 0 where it is not said.
  package static func pesHeader(streamID: UInt8, length: Int, presentation: UInt64?, decoding: UInt64? = nil) -> [UInt8] {
    let flags: UInt8 = (presentation == nil ? 0 : 0x80) | (decoding == nil ? 0 : 0x40)
    var fields: [UInt8] = []
    if let presentation { fields += timestamp(presentation, prefix: decoding == nil ? 0x20 : 0x30) }
    if let decoding { fields += timestamp(decoding, prefix: 0x10) }
    let size = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    return [0, 0, 1, streamID] + size + [presentation == nil ? 0x80 : 0x84, flags, UInt8(fields.count)] + fields
  }

  /// A PES packet with its real length.
  package static func pes(streamID: UInt8 = 0xBD, presentation: UInt64?, payload: [UInt8]) -> [UInt8] {
    pesHeader(streamID: streamID, length: payload.count + (presentation == nil ? 3 : 8), presentation: presentation) + payload
  }

  private static func timestamp(_ time: UInt64, prefix: UInt8) -> [UInt8] {
    func byte(_ value: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    return [
      prefix | byte(time >> 30 & 7) << 1 | 1, byte(time >> 22), byte(time >> 15) << 1 | 1, byte(time >> 7), byte(time) << 1 | 1,
    ]
  }

  private static func adaptation(isRandomAccess: Bool, clock: UInt64?) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeUInt8((isRandomAccess ? 0x40 : 0) | (clock == nil ? 0 : 0x10))
    if let clock { writer.writeInteger((clock & 0x1_FFFF_FFFF) << 15 | 0x7E00, byteCount: 6) }
    return writer.bytes
  }
}
