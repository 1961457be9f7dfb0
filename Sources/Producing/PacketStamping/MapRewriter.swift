import ByteCursor
import TransportStream

/// Replaces a program's map where it stands in the stream. Other tables on the same PID stay as they are.
struct MapRewriter: Sendable {
  private let stampedMap: StampedMap
  private let program: UInt16
  private let pid: PID
  private var assembler = SectionAssembler()
  /// The packets of sections that have begun and not ended, as they came.
  private var group: [UInt8] = []
  private var sections: [[UInt8]] = []
  private var lastInputCounter: UInt8?
  private var counter: UInt8?
  /// Whether a map had to be changed. From then on every map has its successor's version, or two of them would share one.
  private var hasChangedMap = false

  /// A group of more packets than the largest section fills is no section.
  private static let largestGroup = 24 * TransportPacket.size

  init(_ stampedMap: StampedMap, program: ProgramAssociation.Program) {
    self.stampedMap = stampedMap
    self.program = program.number
    self.pid = program.mapPID
  }

  /// Takes the next packet of the map's PID and returns the packets that stand for it and those before it that were waiting.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) throws(PacketStampingError) -> [UInt8] {
    // A packet may be sent twice; the second is not needed.
    if header.hasPayload, header.continuityCounter == lastInputCounter, header.adaptation?.isDiscontinuous != true { return [] }
    lastInputCounter = header.continuityCounter
    if counter == nil { counter = header.continuityCounter }
    sections += assembler.push(header, payload: packet.extracting(header.payload))
    for index in packet.indices { group.append(packet[index]) }
    guard !assembler.isInsideSection || group.count >= Self.largestGroup else { return [] }
    return try flush()
  }

  /// The packets that are waiting: rewritten where their sections are complete and hold the map, else as they came.
  mutating func flush() throws(PacketStampingError) -> [UInt8] {
    defer {
      group = []
      sections = []
    }
    var isChanged = false
    var unit: [UInt8] = [0]
    for section in sections {
      let stamped = try stamp(section)
      isChanged = isChanged || stamped != nil
      unit += stamped ?? section
    }
    var next = counter ?? 0
    defer { counter = next }
    guard isChanged, !assembler.isInsideSection else {
      var packets = group
      for start in stride(from: 0, to: packets.count, by: TransportPacket.size) where packets[start + 3] & 0x10 != 0 {
        packets[start + 3] = packets[start + 3] & 0xF0 | next
        next = (next + 1) & 0x0F
      }
      return packets
    }
    // Sections are followed by 0xFF up to the end of the packet.
    unit += [UInt8](repeating: 0xFF, count: (184 - unit.count % 184) % 184)
    return TransportPacket.packets(carrying: unit, pid: pid, counter: &next)
  }

  /// The section with the stream of events in it; `nil` where it is another table, is damaged or needs no change.
  private mutating func stamp(_ bytes: [UInt8]) throws(PacketStampingError) -> [UInt8]? {
    guard let section = try? Section(bytes.span), let map = try? ProgramMap(section), map.programNumber == program else { return nil }
    var stamped = stampedMap.stamped(map)
    guard hasChangedMap || stamped != map else { return nil }
    hasChangedMap = true
    stamped.version = (map.version + 1) & 0x1F
    do throws(ParseError) {
      return try stamped.section().encode()
    } catch {
      throw .map(error)
    }
  }
}
