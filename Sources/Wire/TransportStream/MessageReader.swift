import Basics
package import NALUnits

/// Reads the tags in SEI messages of a transport stream's video. It searches each access unit up to its first slice.
package struct MessageReader: Sendable {
  /// The tags of an access unit.
  package struct Found: Sendable {
    package var tags: [TagMessage]
    /// When the access unit is presented, in 90 kHz ticks of 33 bits.
    package var timestamp: UInt64
    /// Where its first packet starts.
    package var offset: Int
  }

  /// An access unit that is being read.
  private struct Open: Sendable {
    var head: AccessUnitHead
    var timestamp: UInt64
    var offset: Int
    var counter: UInt8
  }

  private let codec: NALUnitCodec
  private var open: Open?

  /// Whether packets that continue an access unit are needed.
  package var isInsideUnit: Bool { open != nil }

  /// Starts before the first packet.
  package init(_ codec: NALUnitCodec) { self.codec = codec }

  /// Discards the incomplete access unit, because the next packet does not continue it.
  package mutating func interrupt() { open = nil }

  /// Receives a packet of the video; returns the tags that it completes.
  package mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> Found? {
    guard let found = pushHead(header, payload: payload, offset: offset) else { return nil }
    let tags = found.head.tags
    return tags.isEmpty ? nil : Found(tags: tags, timestamp: found.timestamp, offset: found.offset)
  }

  /// Receives a packet of the video; returns the start of an access unit up to its first slice if the packet completes it, with the access unit's
  /// presentation time and offset.
  package mutating func pushHead(
    _ header: TransportPacket, payload: Span<UInt8>, offset: Int
  ) -> (head: AccessUnitHead, timestamp: UInt64, offset: Int)? {
    guard !header.hasError, header.scrambling == 0 else {
      open = nil
      return nil
    }
    if header.startsUnit {
      open = nil
      guard let pes = try? PESHeader(payload), let time = pes.presentationTime, pes.size < payload.count else { return nil }
      open = Open(head: AccessUnitHead(codec, .startCodes), timestamp: time, offset: offset, counter: header.continuityCounter)
      return read(payload.extracting(droppingFirst: pes.size))
    }
    guard let open, header.hasPayload else { return nil }
    guard header.continuityCounter == (open.counter + 1) & 0x0F else {
      // A packet may be sent twice. If packets are missing, the rest of the access unit is of no use.
      if header.continuityCounter != open.counter { self.open = nil }
      return nil
    }
    self.open?.counter = header.continuityCounter
    return read(payload)
  }

  private mutating func read(_ payload: Span<UInt8>) -> (head: AccessUnitHead, timestamp: UInt64, offset: Int)? {
    guard let progress = open?.head.push(payload), progress != .incomplete else { return nil }
    guard let unit = open.take(), progress != .none else { return nil }
    return (unit.head, unit.timestamp, unit.offset)
  }
}
