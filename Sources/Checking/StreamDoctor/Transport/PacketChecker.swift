import Basics
import TransportStream

/// Looks at the PES packets of one PID that carry tags.
struct PacketChecker: Sendable {
  /// A tag, with the timestamp (33 bits) of its packet, if that has one.
  struct Found: Sendable {
    var bytes: [UInt8]
    var timestamp: UInt64?
    var offset: Int
    var facts: TagObservation.PacketFacts
  }

  private var assembler = PESAssembler()
  /// A tag whose end has not come, and how many bytes it has to have.
  private var partial: (tag: Found, size: Int)?
  let pid: PID

  /// A larger tag is not put together.
  private static let largestTag = 1 << 20

  init(pid: PID) { self.pid = pid }

  /// Takes the next transport packet of the PID.
  mutating func push(
    _ header: TransportPacket, payload: Span<UInt8>, at offset: Int, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> [Found] {
    assembler.push(header, payload: payload, offset: offset).flatMap { take($0, facts, &log) }
  }

  /// Ends a resource: packets do not go on in the next one.
  mutating func end(_ facts: TagObservation.PacketFacts, _ log: inout FindingLog) -> [Found] {
    assembler.interrupt().flatMap { take($0, facts, &log) } + abandonPartial()
  }

  private mutating func take(_ event: PESAssembler.Event, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog) -> [Found] {
    switch event {
    case .damaged(let offset, let reason):
      log.add(.pesBroken, at: offset, "\(reason), on PID \(pid)")
      return abandonPartial()
    case .packet(let packet):
      do throws(ParseError) {
        let header = try PESHeader(packet.bytes.span)
        return take(Array(packet.bytes[header.size...]), header, packet, facts, &log)
      } catch {
        log.add(.pesBroken, at: packet.offset, "\(error.reason), on PID \(pid)")
        return []
      }
    }
  }

  private mutating func take(
    _ payload: [UInt8], _ header: PESHeader, _ packet: PESAssembler.Packet, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> [Found] {
    let startsTag = payload.starts(with: Array("ID3".utf8))
    if header.presentationTime == nil, partial != nil, !startsTag {
      guard let size = partial?.tag.bytes.count, size + payload.count <= Self.largestTag else { return abandonPartial() }
      partial?.tag.bytes += payload
      return completePartial(&log)
    }
    let abandoned = abandonPartial()
    checkHeader(header, packet, &log)
    var facts = facts
    facts.isAligned = header.isAligned
    facts.hasTime = header.presentationTime != nil
    if !facts.hasTime, startsTag { log.add(.pesTime, at: packet.offset, "no PTS") }
    if !facts.isAligned, startsTag { log.add(.pesAlignment, at: packet.offset, "data_alignment_indicator 0") }
    guard startsTag else { return abandoned + withoutTag(payload, header, packet.offset, facts, &log) }
    return abandoned + split(payload, header, packet.offset, facts, &log)
  }

  private func checkHeader(_ header: PESHeader, _ packet: PESAssembler.Packet, _ log: inout FindingLog) {
    if header.streamID != PESHeader.privateStream1 {
      log.add(.pesStreamID, at: packet.offset, "stream_id \(TagChecker.hexadecimal([header.streamID]))")
    }
    if header.packetLength == 0 { log.add(.pesLength, at: packet.offset, "PES_packet_length 0") }
    let fields = packet.bytes[6..<9]
    // The alignment and a missing PTS have rules of their own.
    let isPlain = fields[6] & ~0x04 == 0x80 && (fields[7] == 0x80 && fields[8] == 5 || fields[7] == 0 && fields[8] == 0)
    if !isPlain { log.add(.pesHeader, at: packet.offset, "the header \(TagChecker.hexadecimal(fields))") }
  }

  /// What a payload is that does not start with a tag.
  private func withoutTag(
    _ payload: [UInt8], _ header: PESHeader, _ offset: Int, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> [Found] {
    guard let restored = TagLayout.restored(payload) else {
      log.add(.pesTag, at: offset, "\(TagChecker.hexadecimal(payload.prefix(8))) at the start of the payload")
      return []
    }
    log.add(.cutTag, at: offset, "a tag without its first five bytes")
    var facts = facts
    facts.isCut = true
    return [Found(bytes: restored, timestamp: header.presentationTime, offset: offset, facts: facts)]
  }

  /// Takes the tags of a payload one after another.
  private mutating func split(
    _ payload: [UInt8], _ header: PESHeader, _ offset: Int, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> [Found] {
    var found: [Found] = []
    var facts = facts
    var rest = payload
    while rest.starts(with: Array("ID3".utf8)) {
      // Where the size cannot be read, the tag is taken to fill the packet.
      let size = TagLayout(rest)?.length ?? rest.count
      let tag = Found(bytes: Array(rest.prefix(size)), timestamp: header.presentationTime, offset: offset, facts: facts)
      guard size <= rest.count else {
        partial = (tag, size)
        return found
      }
      found.append(tag)
      rest = Array(rest.dropFirst(size))
      facts.index += 1
    }
    if !rest.isEmpty {
      log.add(.pesOneTag, at: offset, "\(rest.count) bytes behind the tag")
    } else if found.count > 1 {
      log.add(.pesOneTag, at: offset, "\(found.count) tags")
    }
    return found
  }

  private mutating func completePartial(_ log: inout FindingLog) -> [Found] {
    guard let (tag, size) = partial, tag.bytes.count >= size else { return [] }
    partial = nil
    log.add(.pesContinued, at: tag.offset, "a tag of \(size) bytes over several packets")
    var whole = tag
    whole.bytes = Array(tag.bytes.prefix(size))
    whole.facts.isContinued = true
    return [whole]
  }

  /// Gives up a tag whose end does not come: it is looked at as it is.
  private mutating func abandonPartial() -> [Found] {
    guard let (tag, _) = partial else { return [] }
    partial = nil
    var cut = tag
    cut.facts.isWhole = false
    return [cut]
  }
}
