import Basics
import TransportStream

/// What becomes of the tables on a PID.
protocol TableEdit: Sendable {
  associatedtype Failure: Error
  /// Whether the output has a packet for each packet that came, with counters that go on where those of the input stand still. Otherwise packets go
  /// that the new sections do not need.
  static var keepsPackets: Bool { get }
  /// A section as it goes on; `nil` where it stays as it is.
  mutating func edited(_ section: [UInt8]) throws(Failure) -> [UInt8]?
}

/// Rewrites the tables on one PID in their place in the stream: the packets of sections that have begun wait until these are complete. What needs no
/// change stays as it is.
struct TableRewriter<Edit: TableEdit>: Sendable {
  /// The result of a packet.
  enum Outcome: Equatable, Sendable {
    /// The packet waits for others.
    case waiting
    /// The packet repeats the packet before; `nil` where that one was changed, and otherwise the packet with its counter.
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
  /// Whether the counters of the next table do not continue those before it, which its first packet will say (discontinuity_indicator).
  var isDiscontinuous = false
  private var assembler = SectionAssembler()
  private var group: [Member] = []
  private var continuity = ContinuityCounter()
  private var sections: [[UInt8]] = []
  private var repeats = PacketRepeats()
  private var shift = CounterShift()
  /// Whether the latest group was changed.
  private var hasChanged = false

  /// A group of more packets than the largest section fills is no section.
  private static var largestGroup: Int { 24 }

  init(pid: PID, _ edit: Edit) { (self.pid, self.edit) = (pid, edit) }

  /// Whether packets wait.
  var isOpen: Bool { !group.isEmpty }

  /// Whether packets that wait will never be complete, because others are missing between them and this one.
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

  /// The packets that replace those that are waiting: rewritten if their sections are complete and one is changed, else as they came.
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

  /// The group with these sections in it.
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

  /// A packet as it came, with the counter that it has among those that were added or taken out.
  private func counted(_ member: Member) -> [UInt8] { TransportPacket.counted(member.bytes, member.header.continuityCounter + shift) }

  /// The bytes in front of a packet's payload, without an adaptation field that says nothing.
  private static func head(of packet: [UInt8], payload: Range<Int>) -> [UInt8] {
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
}
