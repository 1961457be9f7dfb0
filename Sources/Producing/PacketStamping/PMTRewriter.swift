import Basics
import TransportStream

/// Replaces a program's map where it stands in the stream. Other tables on the same PID stay as they are.
struct PMTRewriter: Sendable {
  /// What a packet of the map's PID leads to.
  enum Outcome: Equatable, Sendable {
    /// The packet waits for others.
    case waiting
    /// The packet came before: it is not needed.
    case repeated
    /// These stand for the packet and those before it that were waiting, one for each, and others that follow them.
    case complete([[UInt8]])
  }

  /// The PID of the map.
  let pid: PID
  private let stampedMap: StampedPMT
  private let program: UInt16
  private var assembler = SectionAssembler()
  /// The packets of sections that have begun and not ended, as they came.
  private var group: [Member] = []
  private var sections: [[UInt8]] = []
  private var repeats = PacketRepeats()
  /// How many packets more there are than came, modulo 16: by so much the counters of those that follow are larger.
  private var shift: UInt8 = 0
  /// Whether a map had to be changed. From then on every map has its successor's version, or two of them would share one.
  private var hasChangedMap = false
  /// The map that was changed last, and what became of it: most come ten times a second and are always the same.
  private var latest: (section: [UInt8], stamped: [UInt8])?

  private struct Member: Sendable {
    var header: TransportPacket
    var bytes: [UInt8]
  }

  /// A group of more packets than the largest section fills is no section.
  private static let largestGroup = 24

  init(_ stampedMap: StampedPMT, program: ProgramAssociationTable.Program, following previous: PMTRewriter? = nil) {
    self.stampedMap = stampedMap
    self.program = program.number
    pid = program.pmtPID
    hasChangedMap = previous?.hasChangedMap ?? false
  }

  /// Whether packets that wait will never be complete, because others are missing between them and this one.
  func isInterrupted(by header: TransportPacket) -> Bool {
    guard let last = group.last(where: { $0.header.hasPayload })?.header.continuityCounter, header.hasPayload else { return false }
    let counter = (header.continuityCounter &+ repeats.stalls) & 0x0F
    return header.adaptation?.isDiscontinuous == true || (counter != last && counter != (last + 1) & 0x0F)
  }

  /// Takes the next packet of the map's PID.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) throws(PacketStampingError) -> Outcome {
    guard let header = repeats.push(header, packet) else { return .repeated }
    sections += assembler.push(header, payload: packet.extracting(header.payload))
    group.append(Member(header: header, bytes: [UInt8](copying: packet)))
    guard !assembler.isInsideSection || group.count >= Self.largestGroup else { return .waiting }
    return .complete(try flush())
  }

  /// The packets that are waiting: rewritten where their sections are complete and hold the map, else as they came.
  mutating func flush() throws(PacketStampingError) -> [[UInt8]] {
    defer {
      group = []
      sections = []
    }
    var isChanged = false
    var units: [[UInt8]] = []
    for section in sections {
      let stamped = try stamp(section)
      isChanged = isChanged || stamped != nil
      units.append(stamped ?? section)
    }
    return isChanged && !assembler.isInsideSection ? rewritten(units) : group.map { counted($0) }
  }

  /// The group with these sections in it.
  private mutating func rewritten(_ sections: [[UInt8]]) -> [[UInt8]] {
    let carriers = group.filter { $0.header.hasPayload }
    let heads = carriers.map { head($0) }
    let next = ((carriers.last?.header.continuityCounter ?? 0) &+ shift &+ 1) & 0x0F
    var packets = TransportPacket.packets(sections: sections, pid: pid, heads: heads, counter: next)[...]
    var output: [[UInt8]] = []
    for member in group { output.append(member.header.hasPayload ? packets.removeFirst() : counted(member)) }
    output += packets
    shift = (shift &+ UInt8(packets.count)) & 0x0F
    return output
  }

  /// A packet as it came, with the counter that it has among those that were added.
  private func counted(_ member: Member) -> [UInt8] {
    var bytes = member.bytes
    bytes[3] = bytes[3] & 0xF0 | (member.header.continuityCounter &+ shift) & 0x0F
    return bytes
  }

  /// What stands in front of a packet's payload, without an adaptation field that says nothing.
  private func head(_ member: Member) -> [UInt8] {
    let counted = counted(member)
    // The flags of the field stand behind its length.
    let saysSomething = counted[3] & 0x20 != 0 && counted[4] > 0 && counted[5] != 0
    guard !saysSomething else { return Array(counted[..<member.header.payload.lowerBound]) }
    return [counted[0], counted[1], counted[2], counted[3] & ~0x20]
  }

  /// The section with the stream of events in it; `nil` where it is another table, is damaged, is not yet valid, or needs no change.
  private mutating func stamp(_ bytes: [UInt8]) throws(PacketStampingError) -> [UInt8]? {
    if let latest, latest.section == bytes { return latest.stamped }
    guard let section = try? Section(bytes.span), section.isCurrent, let map = try? ProgramMapTable(section), map.programNumber == program
    else { return nil }
    var stamped = stampedMap.stamped(map)
    guard hasChangedMap || stamped != map else { return nil }
    hasChangedMap = true
    stamped.version = (map.version + 1) & 0x1F
    do throws(ParseError) {
      let encoded = try stamped.section().encode()
      latest = (bytes, encoded)
      return encoded
    } catch {
      throw .map(error)
    }
  }
}
