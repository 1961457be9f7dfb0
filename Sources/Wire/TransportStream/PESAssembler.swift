import Basics

/// Assembles the PES packets of one PID from the payloads of its transport packets.
///
/// It is meant for metadata: a packet is kept in memory until it is complete. A packet above the largest size is discarded.
public struct PESAssembler: Equatable, Sendable {
  /// The bytes of a PES packet, complete or so far.
  public struct Packet: Equatable, Sendable {
    /// Where its first transport packet starts, in bytes from the start of the stream.
    public var offset: Int
    /// Its bytes, header included.
    public var bytes: [UInt8]

    /// A packet that starts at an offset.
    public init(offset: Int, bytes: [UInt8]) { (self.offset, self.bytes) = (offset, bytes) }

    /// The size that the packet states; `nil` if it states none, or its length field has not arrived.
    public var statedSize: Int? {
      guard bytes.count >= PESHeader.lengthFieldEnd else { return nil }
      let length = Int(bytes[4]) << 8 | Int(bytes[5])
      return length > 0 ? PESHeader.lengthFieldEnd + length : nil
    }
  }

  /// A result of a transport packet.
  public enum Event: Equatable, Sendable {
    /// A PES packet is complete.
    case packet(Packet)
    /// A PES packet that started at `offset` cannot be completed.
    case damaged(offset: Int, reason: String)
  }

  /// The largest PES packet that is assembled: the largest one that states its length.
  public static let largestSize = 65_541

  /// The incomplete packet.
  public private(set) var partial: Packet?
  private var continuity = ContinuityCounter()

  /// Starts without a packet.
  public init() {}

  /// Receives the next transport packet of the PID, which starts at `offset`.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [Event] {
    var events: [Event] = []
    guard header.hasPayload else { return events }
    guard header.scrambling == 0 else {
      giveUp("scrambled", &events)
      return events
    }
    switch continuity.push(header, content: payload) {
    case .duplicate: return events
    case .stalled where continuity.hasSameContent: return events
    case .stalled, .lost: giveUp("transport packets are missing", &events)
    case .first, .next, .discontinuity, .withoutPayload: break
    }
    if header.startsUnit {
      end(&events)
      partial = Packet(offset: offset, bytes: [])
    }
    guard partial != nil else { return events }
    let room = Self.largestSize - (partial?.bytes.count ?? 0)
    guard payload.count <= room else {
      giveUp("PES packet is larger than \(Self.largestSize) bytes", &events)
      return events
    }
    partial?.bytes.append(copying: payload)
    if let packet = partial, let size = packet.statedSize, packet.bytes.count >= size {
      // Bytes after the stated length do not belong to the packet.
      partial = nil
      events.append(.packet(Packet(offset: packet.offset, bytes: Array(packet.bytes.prefix(size)))))
    }
    return events
  }

  /// Ends the stream. That completes a packet of unstated length, and only that.
  public mutating func finish() -> [Event] {
    var events: [Event] = []
    end(&events)
    return events
  }

  /// Records that transport packets are missing here. An incomplete packet ends as at the end of the stream, and the next transport packet
  /// may have any counter.
  public mutating func interrupt() -> [Event] {
    continuity.reset()
    return finish()
  }

  private mutating func end(_ events: inout [Event]) {
    guard let packet = partial else { return }
    guard packet.statedSize == nil, packet.bytes.count >= PESHeader.lengthFieldEnd else { return giveUp("PES packet is cut off", &events) }
    partial = nil
    events.append(.packet(packet))
  }

  private mutating func giveUp(_ reason: String, _ events: inout [Event]) {
    if let packet = partial.take() { events.append(.damaged(offset: packet.offset, reason: reason)) }
  }
}
