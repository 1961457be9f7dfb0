import Basics
import EventSchedule
import GameEvents
import ID3
import TransportStream

extension TagInserter {
  /// Passes a packet of the ID3 stream that the program had before, with the continuity counter that it has among the inserted ones. Missing
  /// packets stay a gap in the counters, so that readers still notice them; of packets that come twice the second becomes a null packet; and where
  /// the counter stands still, it goes on. Where null packets are free in front of it, it may move forward for tags that come.
  mutating func passExisting(
    _ header: TransportPacket, _ unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard stampedMap.isReused else { throw .pidClash(stampedMap.pid, offset: offset) }
    let packet = unit.extracting(framing.packetRange)
    guard let header = existingRepeats.push(header, packet) else { return window.passNull(insteadOf: unit, &sink) }
    if header.hasPayload {
      if let last = existingCounter, header.adaptation?.isDiscontinuous != true {
        counter = (counter &+ header.continuityCounter &- last &- 1) & 0x0F
      }
      existingCounter = header.continuityCounter
    }
    let payload = packet.extracting(header.payload)
    for case .packet(let unit) in existingPackets.push(header, payload: payload, offset: offset) {
      try checkGame(unit)
      guard let tracker, let zero = tracker.zero, let time = try? PESHeader(unit.bytes.span).presentationTime else { continue }
      schedule.recordThirdPartyTag(at: tracker.unwrapper.peek(time) - zero)
    }
    if header.startsUnit {
      existing.startPacket(payload)
      emitWaiting(before: unit, offset: offset, &sink)
    }
    existing.push(header, payload: payload)
    var renumbered = [UInt8](copying: packet)
    renumbered[3] = renumbered[3] & 0xF0 | (header.hasPayload ? counter : (counter &+ 15) & 0x0F)
    if header.hasPayload { counter = (counter + 1) & 0x0F }
    guard Self.isBound(packet) else { return window.passTag(renumbered, insteadOf: unit, &sink) }
    window.close(&sink)
    window.pass(renumbered, insteadOf: unit, &sink)
  }

  /// Whether a packet says something of its place, such as a clock reference: then it keeps that, and no tag may come to lie in front of it later.
  private static func isBound(_ packet: Span<UInt8>) -> Bool {
    let randomAccess: UInt8 = 0x40
    return packet[3] & 0x20 != 0 && packet[4] != 0 && packet[5] & ~randomAccess != 0
  }

  /// Throws where a PES packet of the input carries an event of a game that is being stamped: its copies would contradict the new ones.
  private func checkGame(_ unit: PESAssembler.Packet) throws(PacketStampingError) {
    guard let header = try? PESHeader(unit.bytes.span), let size = ID3Tag.encodedLength(unit.bytes.span.extracting(header.size...)),
      size <= unit.bytes.count - header.size, let tag = try? ID3Tag.decode(unit.bytes.span.extracting(header.size..<header.size + size))
    else { return }
    for case .success(let copy) in EventCopy.copies(in: tag) where games.contains(copy.event.gameID) {
      throw .alreadyStamped(copy.event.gameID, offset: unit.offset)
    }
  }
}
