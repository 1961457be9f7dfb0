import ID3
import TransportStream

/// Checks the PES packets of one PID that carry tags.
struct PESChecker: Sendable {
  /// A tag with the timestamp (33 bits) and the facts of its PES packet.
  struct Found: Sendable {
    var bytes: [UInt8]
    var timestamp: UInt64?
    var offset: Int
    var facts: TagObservation.PacketFacts
  }

  let pid: PID
  private var assembler = TimedMetadataAssembler(.malformedToo)
  /// The number of payload bytes of the current PES packet after its latest tag.
  private var restCount = 0

  init(pid: PID) { self.pid = pid }

  /// Checks the next transport packet of the PID.
  mutating func push(
    _ header: TransportPacket, payload: Span<UInt8>, at offset: Int, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> [Found] {
    let events = assembler.push(header, payload: payload, offset: offset)
    return events.compactMap { check($0, facts, &log) }
  }

  /// Ends a segment or a stream: packets do not continue in the next one.
  mutating func end(_ facts: TagObservation.PacketFacts, _ log: inout FindingLog) -> [Found] {
    let events = assembler.interrupt()
    return events.compactMap { check($0, facts, &log) }
  }

  private mutating func check(
    _ event: TimedMetadataAssembler.Event, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> Found? {
    switch event {
    case .packet(let packet, let continuesTag):
      if !continuesTag { check(packet, &log) }
      restCount = packet.bytes.count - packet.header.size
      return nil
    case .tag(let tag):
      restCount -= tag.bytes.count
      if tag.isContinued {
        log.add(.pesContinued, at: tag.offset, "a tag of \(tag.size) bytes over several packets")
      } else if restCount == 0, tag.index > 0 {
        log.add(.pesOneTag, at: tag.offset, "\(tag.index + 1) tags")
      }
      return Found(tag, facts)
    case .cutOff(let tag):
      var found = Found(tag, facts)
      found.facts.isWhole = false
      return found
    case .rest(let rest): return check(rest, facts, &log)
    case .damaged(let offset, let reason):
      log.add(.pesBroken, at: offset, "\(reason), on PID \(pid)")
      return nil
    }
  }

  private func check(_ packet: TimedMetadataAssembler.Packet, _ log: inout FindingLog) {
    let (header, offset) = (packet.header, packet.offset)
    if header.streamID != PESHeader.privateStream1 { log.add(.pesStreamID, at: offset, "stream_id \(hexadecimal([header.streamID]))") }
    if header.packetLength == 0 { log.add(.pesLength, at: offset, "PES_packet_length 0") }
    let fields = packet.bytes[6..<9]
    // The alignment and a missing PTS have rules of their own.
    let isPlain = fields[6] & ~0x04 == 0x80 && (fields[7] == 0x80 && fields[8] == 5 || fields[7] == 0 && fields[8] == 0)
    if !isPlain { log.add(.pesHeader, at: offset, "the header \(hexadecimal(fields))") }
    guard packet.bytes[header.size...].starts(with: Array("ID3".utf8)) else { return }
    if header.presentationTime == nil { log.add(.pesTime, at: offset, "no PTS") }
    if !header.isAligned { log.add(.pesAlignment, at: offset, "data_alignment_indicator 0") }
  }

  /// Checks bytes that are not a tag. At the start of a payload they may be a tag without its first bytes.
  private func check(
    _ rest: TimedMetadataAssembler.Rest, _ facts: TagObservation.PacketFacts, _ log: inout FindingLog
  ) -> Found? {
    guard rest.tagCount == 0 else {
      log.add(.pesOneTag, at: rest.offset, "\(rest.bytes.count) bytes after the tag")
      return nil
    }
    let bytes = Array(rest.bytes)
    let headless = ID3Tag.restoredHeader(bytes.span)
    guard let restored = TagLayout.restored(bytes) ?? headless else {
      log.add(.pesTag, at: rest.offset, "\(hexadecimal(rest.bytes.prefix(8))) at the start of the payload")
      return nil
    }
    log.add(.cutTag, at: rest.offset, "a tag without its first \(restored.count - bytes.count == ID3Tag.cutLength ? "five" : "ten") bytes")
    var facts = facts.with(rest.header)
    facts.isCut = true
    return Found(bytes: restored, timestamp: rest.header.presentationTime, offset: rest.offset, facts: facts)
  }
}

extension PESChecker.Found {
  /// A tag in a stream with these facts.
  fileprivate init(_ tag: TimedMetadataAssembler.Tag, _ facts: TagObservation.PacketFacts) {
    self.init(bytes: tag.bytes, timestamp: tag.header.presentationTime, offset: tag.offset, facts: facts.with(tag.header))
    (self.facts.index, self.facts.isContinued) = (tag.index, tag.isContinued)
  }
}

extension TagObservation.PacketFacts {
  /// The facts of a stream together with those of a PES packet in it.
  fileprivate func with(_ header: PESHeader) -> Self {
    var facts = self
    facts.isAligned = header.isAligned
    facts.hasTime = header.presentationTime != nil
    return facts
  }
}
