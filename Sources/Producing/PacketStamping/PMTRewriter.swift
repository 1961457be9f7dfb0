import Basics
import TransportStream

/// Rewrites a program's PMT in its place in the stream. Other tables on the same PID stay as they are.
struct PMTRewriter: Sendable {
  /// The result of a packet of the PMT's PID.
  enum Outcome: Equatable, Sendable {
    /// The packet waits for others.
    case waiting
    /// The packet repeats the packet before: it is not needed.
    case repeated
    /// These packets replace the packet and those before it that were waiting, one for each; additional ones follow.
    case complete([[UInt8]])
  }

  /// The PID of the PMT.
  let pid: PID
  private var stampedPMT: StampedPMT
  private let program: UInt16
  private var assembler = SectionAssembler()
  /// The packets of sections that have begun and not ended, as they came.
  private var group: [Member] = []
  /// The continuity counter within the group.
  private var continuity = ContinuityCounter()
  private var sections: [[UInt8]] = []
  private var repeats = PacketRepeats()
  /// The number of additional packets so far, modulo 16: added to the counters of later packets.
  private var shift: UInt8 = 0
  /// Whether a PMT had to be changed. From then on every PMT has the version after its own, or two different ones could have the same version.
  private var hasChangedPMT = false
  /// What is added to the versions: more where the events have moved to another PID, so that readers see a new PMT.
  private var versionStep: UInt8 = 1
  /// Whether a PMT that has changed gets another version where the encoder has not given it one: readers skip what has the version that they know.
  var raisesVersions = false
  /// Whether the counters of the next PMT do not continue those before it, which its first packet will say (discontinuity_indicator).
  var isDiscontinuous = false
  /// The PMT that was changed last, and its replacement: most PMTs come ten times a second and are always the same.
  private var latest: (section: [UInt8], stamped: [UInt8])?

  /// The PMT of the input that was changed last.
  private var known: ProgramMapTable?

  /// A packet of the group.
  private struct Member: Sendable {
    var header: TransportPacket
    var bytes: [UInt8]
  }

  /// A group of more packets than the largest section fills is no section.
  static let largestGroup = 24

  init(_ stampedPMT: StampedPMT, program: ProgramAssociationTable.Program, following previous: PMTRewriter? = nil) {
    self.stampedPMT = stampedPMT
    self.program = program.number
    pid = program.pmtPID
    hasChangedPMT = previous?.hasChangedPMT ?? false
    guard let previous else { return }
    (isDiscontinuous, known) = (previous.isDiscontinuous, previous.known)
    versionStep = previous.versionStep
    if previous.stampedPMT.pid != stampedPMT.pid { move(to: stampedPMT) }
  }

  /// Adds the events on another PID from the next PMT on, or from the one on that has begun.
  mutating func move(to stampedPMT: StampedPMT) {
    self.stampedPMT = stampedPMT
    if hasChangedPMT { versionStep = (versionStep + 1) & 0x1F }
    latest = nil
  }

  /// Whether packets that wait will never be complete, because others are missing between them and this one.
  func isInterrupted(by header: TransportPacket) -> Bool {
    var continuity = continuity
    return switch continuity.push(repeats.corrected(header)) {
    case .lost, .discontinuity: true
    case .withoutPayload, .first, .next, .duplicate, .stalled: false
    }
  }

  /// Receives the next packet of the PMT's PID.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) throws(PacketStampingError) -> Outcome {
    guard let header = repeats.push(header, packet) else { return .repeated }
    sections += assembler.push(header, payload: packet.extracting(header.payload))
    _ = continuity.push(header)
    group.append(Member(header: header, bytes: [UInt8](copying: packet)))
    guard !assembler.isInsideSection || group.count >= Self.largestGroup else { return .waiting }
    return .complete(try flush())
  }

  /// The packets that are waiting: rewritten if their sections are complete and one is the PMT, else as they came.
  mutating func flush() throws(PacketStampingError) -> [[UInt8]] {
    defer {
      group = []
      continuity.reset()
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
    var heads = carriers.map { Self.head(of: counted($0), payload: $0.header.payload) }
    if isDiscontinuous, !heads.isEmpty {
      heads[0] = Self.discontinuous(heads[0])
      isDiscontinuous = false
    }
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

  /// The bytes in front of a packet's payload, without an adaptation field that says nothing.
  static func head(of packet: [UInt8], payload: Range<Int>) -> [UInt8] {
    // The flags of the field follow its length.
    let saysSomething = packet[3] & 0x20 != 0 && packet[4] > 0 && packet[5] != 0
    guard !saysSomething else { return Array(packet[..<payload.lowerBound]) }
    return [packet[0], packet[1], packet[2], packet[3] & ~0x20]
  }

  /// The bytes in front of a payload with a discontinuity_indicator.
  private static func discontinuous(_ head: [UInt8]) -> [UInt8] {
    var head = head
    if head[3] & 0x20 != 0 {
      head[5] |= 0x80
    } else {
      head[3] |= 0x20
      head += [1, 0x80]
    }
    return head
  }

  /// The section with the stream of events in it; `nil` if it is another table, is damaged, is not yet valid, or needs no change.
  private mutating func stamp(_ bytes: [UInt8]) throws(PacketStampingError) -> [UInt8]? {
    if let latest, latest.section == bytes { return latest.stamped }
    guard let section = try? Section(bytes.span), section.isCurrent, let pmt = try? ProgramMapTable(section), pmt.programNumber == program
    else { return nil }
    var stamped = stampedPMT.stamped(pmt)
    guard hasChangedPMT || stamped != pmt else { return nil }
    if raisesVersions, let known, known.version == pmt.version, known != pmt { versionStep = (versionStep + 1) & 0x1F }
    (hasChangedPMT, known) = (true, pmt)
    stamped.version = (pmt.version + versionStep) & 0x1F
    do throws(ParseError) {
      let encoded = try stamped.section().encode()
      latest = (bytes, encoded)
      return encoded
    } catch {
      throw .pmt(error)
    }
  }
}
