import Basics
import TransportStream

/// A change to the tables on a PID.
protocol TableEdit: Sendable {
  associatedtype Failure: Error
  /// Whether the output has a packet for each packet of the input, with counters that advance even if those of the input stand still. Otherwise
  /// packets that the new sections do not need are dropped.
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
    /// The packet repeats the previous one. The value is `nil` if that one was changed, and otherwise the packet with its counter.
    case repeated([UInt8]?)
    /// The packets that replace the packet and those before it that were waiting. Additional ones follow the last one.
    case complete([[[UInt8]]])
  }

  /// A packet of sections that have begun and not ended.
  private struct Member: Sendable {
    var header: TransportPacket
    var bytes: [UInt8]
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
  /// Whether the latest group was changed.
  private var hasChanged = false

  /// A group with more packets than the largest section needs is not a section.
  private static var largestGroup: Int { 24 }

  init(pid: PID, _ edit: Edit) { (self.pid, self.edit) = (pid, edit) }

  /// Whether packets wait.
  var isOpen: Bool { !group.isEmpty }

  /// Whether the waiting packets will never be complete, because packets are missing before this one.
  func isInterrupted(by header: TransportPacket) -> Bool {
    var continuity = continuity
    return switch continuity.push(repeats.corrected(header)) {
    case .lost, .discontinuity: isOpen
    case .withoutPayload, .first, .next, .duplicate, .stalled: false
    }
  }

  /// Receives the next packet of the PID.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) throws(Edit.Failure) -> Outcome {
    let member = Member(header: header, bytes: [UInt8](copying: packet))
    guard let corrected = repeats.push(header, packet) else { return .repeated(hasChanged ? nil : counted(member)) }
    sections += assembler.push(corrected, payload: packet.extracting(header.payload))
    _ = continuity.push(corrected)
    group.append(Edit.keepsPackets ? Member(header: corrected, bytes: member.bytes) : member)
    guard !assembler.isInsideSection || group.count >= Self.largestGroup else { return .waiting }
    return .complete(try flush())
  }

  /// Returns the packets that replace the waiting ones: rewritten if their sections are complete and one is changed, otherwise unchanged.
  mutating func flush() throws(Edit.Failure) -> [[[UInt8]]] {
    defer { (group, sections) = ([], []) }
    guard isOpen else { return [] }
    hasChanged = false
    var units: [[UInt8]] = []
    for section in sections {
      let edited = try edit.edited(section)
      hasChanged = hasChanged || edited != nil
      units.append(edited ?? section)
    }
    hasChanged = hasChanged && !assembler.isInsideSection
    return hasChanged ? rewritten(units) : group.map { [counted($0)] }
  }

  /// Returns the group with these sections in it.
  private mutating func rewritten(_ sections: [[UInt8]]) -> [[[UInt8]]] {
    var heads = group.filter { $0.header.hasPayload }.map { Self.head(of: counted($0), payload: $0.header.payload) }
    let next = TransportPacket.counter(behind: heads.last.map { TransportPacket.counter(of: $0) } ?? 15)
    if isDiscontinuous, !heads.isEmpty {
      heads[0] = Self.discontinuous(heads[0])
      isDiscontinuous = false
    }
    if !Edit.keepsPackets {
      let needed = TransportPacket.packets(sections: sections, pid: pid, heads: Array(heads.prefix(1)), counter: 0).count
      heads = Array(heads.prefix(needed))
    }
    var packets = TransportPacket.packets(sections: sections, pid: pid, heads: heads, counter: next)[...]
    var output: [[[UInt8]]] = []
    for member in group {
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
    return output
  }

  /// Returns a packet with its counter corrected for packets that were added or removed.
  private func counted(_ member: Member) -> [UInt8] { TransportPacket.counted(member.bytes, member.header.continuityCounter + shift) }

  /// Returns the bytes before a packet's payload, without an adaptation field that has no content.
  private static func head(of packet: [UInt8], payload: Range<Int>) -> [UInt8] {
    // The flags of the field follow its length.
    let saysSomething = packet[3] & 0x20 != 0 && packet[4] > 0 && packet[5] != 0
    guard !saysSomething else { return Array(packet[..<payload.lowerBound]) }
    return [packet[0], packet[1], packet[2], packet[3] & ~0x20]
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
