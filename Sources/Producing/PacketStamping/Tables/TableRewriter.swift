import Basics
import TransportStream

/// A change to the tables on a PID.
protocol TableEdit: Sendable {
  associatedtype Failure: Error
  /// Whether the output has a packet for each packet of the input, each with all that is in front of its payload, and counters that advance even if
  /// those of the input stand still. Otherwise packets that the new sections do not need are dropped.
  static var keepsPackets: Bool { get }
  /// Returns the edited section; `nil` if it is unchanged.
  mutating func edited(_ section: [UInt8]) throws(Failure) -> [UInt8]?
}

/// Rewrites the tables on one PID in place. The packets of incomplete sections wait until the sections are complete. Sections that need no change are
/// kept.
struct TableRewriter<Edit: TableEdit>: Sendable {
  /// The result of a packet.
  enum Outcome: Equatable, Sendable {
    /// The packet waits for later ones.
    case waiting
    /// The packet repeats the previous one. The value is what that one has become, without packets if it was removed.
    case repeated([[UInt8]])
    /// The packets that replace the packet and those before it that were waiting. Additional ones follow the last one.
    case complete([[[UInt8]]])
  }

  /// A packet of sections that have begun and not ended.
  private struct Member: Sendable {
    var header: TransportPacket
    var bytes: [UInt8]
    /// Whether it repeats the packet before.
    var isRepeat = false
    /// The number of bytes that its pointer skips and that end no section.
    var leadCount = 0
    /// The number of bytes after the last section that ends in it; `nil` if none does.
    var restCount: Int?
  }

  let pid: PID
  var edit: Edit
  /// Whether the counters of the next table do not continue the previous ones, which its first packet will signal (discontinuity_indicator).
  var isDiscontinuous = false
  private var assembler = SectionAssembler()
  private var group: [Member] = []
  private var continuity = ContinuityCounter()
  private var sections: [[UInt8]] = []
  private var repeats = PacketRepeats()
  private var shift = CounterShift()
  /// What the last packet of the latest group that is left has become.
  private var latest: [[UInt8]] = []

  /// A group with more packets than the largest section needs is not a section.
  private static var largestGroup: Int { 24 }

  init(pid: PID, _ edit: Edit) { (self.pid, self.edit) = (pid, edit) }

  /// Whether packets wait.
  var isOpen: Bool { !group.isEmpty }

  /// Whether the waiting packets will never be complete, because packets are missing before this one, or another section starts in it too early.
  func isInterrupted(by header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard isOpen else { return false }
    var continuity = continuity
    switch continuity.push(repeats.corrected(header)) {
    case .lost, .discontinuity: return true
    case .withoutPayload, .first, .duplicate: return false
    case .next, .stalled: return !repeats.isRepeat(header) && assembler.isCutOff(by: header, payload: payload)
    }
  }

  /// Receives the next packet of the PID.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) throws(Edit.Failure) -> Outcome {
    var member = Member(header: header, bytes: [UInt8](copying: packet))
    guard let corrected = repeats.push(header, packet) else {
      guard isOpen else { return .repeated(latest.map { Self.repeated($0, by: member) }) }
      member.isRepeat = true
      group.append(member)
      return group.count < Self.largestGroup ? .waiting : .complete(try flush())
    }
    sections += assembler.push(corrected, payload: packet.extracting(header.payload))
    _ = continuity.push(corrected)
    if Edit.keepsPackets { member.header = corrected }
    (member.leadCount, member.restCount) = (assembler.leadCount, header.hasPayload ? assembler.restCount : nil)
    group.append(member)
    guard !assembler.isInsideSection || group.count >= Self.largestGroup else { return .waiting }
    return .complete(try flush())
  }

  /// Returns the packets that replace the waiting ones: rewritten if one of their complete sections is changed, otherwise unchanged. Bytes that only
  /// look like the start of a further section fill the packets up.
  mutating func flush() throws(Edit.Failure) -> [[[UInt8]]] {
    defer { (group, sections) = ([], []) }
    guard isOpen else { return [] }
    var hasChanged = false
    var units: [[UInt8]] = []
    for section in sections {
      let edited = try edit.edited(section)
      hasChanged = hasChanged || edited != nil
      units.append(edited ?? section)
    }
    let originals = group.filter { !$0.isRepeat }
    var packets = (hasChanged ? rewritten(originals, units) : originals.map { [counted($0)] })[...]
    var output: [[[UInt8]]] = []
    for member in group {
      if member.isRepeat {
        output.append(output.last?.last.map { [Self.repeated($0, by: member)] } ?? [])
      } else {
        output.append(packets.popFirst() ?? [])
      }
    }
    latest = output.last { !$0.isEmpty } ?? []
    return output
  }

  /// Returns the repeat of a packet of the output for a repeat in the input, whose PCR may be another.
  private static func repeated(_ packet: [UInt8], by member: Member) -> [UInt8] {
    guard member.header.adaptation?.pcr != nil, packet[3] & 0x20 != 0, packet[4] >= 7, packet[5] & 0x10 != 0 else { return packet }
    return Array(packet[..<6] + member.bytes[6..<12] + packet[12...])
  }

  /// Returns packets with these sections in them. Packets after those of the sections stay.
  private mutating func rewritten(_ group: [Member], _ sections: [[UInt8]]) -> [[[UInt8]]] {
    let count = (group.lastIndex { $0.restCount != nil } ?? group.count - 1) + 1
    let members = group[..<count]
    let carriers = members.filter { $0.header.hasPayload }
    var heads = carriers.map { Array(counted($0)[..<$0.header.payload.lowerBound]) }
    let next = TransportPacket.counter(after: heads.last.map { TransportPacket.counter(of: $0) } ?? 15)
    if isDiscontinuous, !heads.isEmpty {
      heads[0] = Self.discontinuous(heads[0])
      isDiscontinuous = false
    }
    var packets = packed(sections, heads, Self.filling(carriers), next)[...]
    var output: [[[UInt8]]] = []
    for member in members {
      if !member.header.hasPayload {
        output.append([counted(member)])
      } else if let packet = packets.popFirst() {
        output.append([packet])
      } else {
        shift += -1
        let counter = member.header.continuityCounter + shift
        output.append(ExistingStream.isBound(member.bytes.span) ? [TransportPacket.withoutPayload(member.bytes, counter: counter)] : [])
      }
    }
    output[output.count - 1] += packets
    shift += packets.count
    return output + group[count...].map { [counted($0)] }
  }

  /// What fills the packets of sections.
  private static func filling(_ carriers: [Member]) -> SectionFilling {
    guard let first = carriers.first, let last = carriers.last else { return SectionFilling() }
    let lead = first.bytes[(first.header.payload.lowerBound + 1)...].prefix(first.leadCount)
    let rest = last.bytes.suffix(last.restCount ?? 0)
    // Without a rest, the adaptation field fills the packet up if it has stuffing.
    let isStuffed = rest.isEmpty && trimmed(Array(last.bytes[..<last.header.payload.lowerBound])).count < last.header.payload.lowerBound
    return SectionFilling(lead: Array(lead), rest: rest.isEmpty && !isStuffed ? nil : Array(rest))
  }

  /// Puts sections into packets with these heads. Packets that are kept have all that is in front of their payloads and all that the pointer skips,
  /// so that it is there when the sections become shorter again. Otherwise stuffing gives way to sections that would need another packet.
  private func packed(_ sections: [[UInt8]], _ heads: [[UInt8]], _ filling: SectionFilling, _ counter: UInt8) -> [[UInt8]] {
    var (heads, filling) = (heads, filling)
    if filling.rest == [], let last = heads.popLast() { heads.append(Self.trimmed(last)) }
    func pack() -> [[UInt8]] {
      let count = Edit.keepsPackets ? heads.count : min(TransportPacket.packetCount(sections: sections, heads: heads, filling), heads.count)
      return TransportPacket.packets(sections: sections, pid: pid, heads: Array(heads.prefix(count)), counter: counter, filling)
    }
    var packets = pack()
    guard !Edit.keepsPackets else { return packets }
    if packets.count > heads.count {
      heads = heads.map { Self.trimmed($0) }
      packets = pack()
    }
    if packets.count > heads.count, !filling.lead.isEmpty {
      filling.lead = []
      packets = pack()
    }
    return packets
  }

  /// Returns a packet with its counter corrected for packets that were added or removed.
  private func counted(_ member: Member) -> [UInt8] { TransportPacket.counted(member.bytes, member.header.continuityCounter + shift) }

  /// Returns the bytes before a packet's payload without stuffing: without the adaptation field if it has no content.
  private static func trimmed(_ head: [UInt8]) -> [UInt8] {
    guard head[3] & 0x20 != 0 else { return head }
    let content = TransportPacket.adaptationContent(of: head)
    guard !content.isEmpty else { return [head[0], head[1], head[2], head[3] & ~0x20] }
    return head[..<4] + [UInt8(content.count)] + content
  }

  /// Returns the bytes before a payload, with a discontinuity_indicator.
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
}
