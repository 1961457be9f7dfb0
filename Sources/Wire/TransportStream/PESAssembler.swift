/// Puts the PES packets of one PID together from the payloads of its transport packets.
///
/// It is made for metadata: packets are kept whole in memory, and are given up above a size that metadata never reaches.
public struct PESAssembler: Equatable, Sendable {
  /// A PES packet as it came.
  public struct Packet: Equatable, Sendable {
    /// Where its first transport packet starts, in bytes from the start of the stream.
    public var offset: Int
    /// Its bytes, header included.
    public var bytes: [UInt8]

    /// A packet that starts at an offset.
    public init(offset: Int, bytes: [UInt8]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// What a transport packet led to.
  public enum Event: Equatable, Sendable {
    /// A PES packet is complete.
    case packet(Packet)
    /// A PES packet that started at `offset` cannot be completed.
    case damaged(offset: Int, reason: String)
  }

  /// The largest PES packet that is put together: the largest one that states its length.
  public static let largestSize = 65_541

  private var partial: Packet?
  private var lastCounter: UInt8?
  /// The payload of the latest transport packet: one with its counter is the same packet again only if it has the same payload. Otherwise sixteen
  /// are missing, or a multiple of that.
  private var lastPayload: [UInt8] = []

  /// Starts without a packet.
  public init() {}

  /// Takes the next transport packet of the PID, which starts at `offset`.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [Event] {
    var events: [Event] = []
    guard header.hasPayload else { return events }
    guard header.scrambling == 0 else {
      giveUp("scrambled", &events)
      return events
    }
    if let lastCounter, header.adaptation?.isDiscontinuous != true {
      if header.continuityCounter == lastCounter, isLastPayload(payload) { return events }
      if header.continuityCounter != (lastCounter + 1) & 0x0F { giveUp("transport packets are missing", &events) }
    }
    lastPayload.removeAll(keepingCapacity: true)
    for index in payload.indices { lastPayload.append(payload[index]) }
    lastCounter = header.continuityCounter
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
    for index in payload.indices { partial?.bytes.append(payload[index]) }
    if let packet = partial, let size = Self.statedSize(packet.bytes), packet.bytes.count >= size {
      // What lies behind the stated length is not the packet's.
      partial = nil
      events.append(.packet(Packet(offset: packet.offset, bytes: Array(packet.bytes.prefix(size)))))
    }
    return events
  }

  /// Ends the stream: a packet of unstated length is complete, another is not.
  public mutating func finish() -> [Event] {
    var events: [Event] = []
    end(&events)
    return events
  }

  /// Takes note that transport packets are missing here: what has begun ends as at the end of the stream, and the next packet may have any
  /// counter.
  public mutating func interrupt() -> [Event] {
    lastCounter = nil
    return finish()
  }

  private func isLastPayload(_ payload: Span<UInt8>) -> Bool {
    guard payload.count == lastPayload.count else { return false }
    return payload.indices.allSatisfy { payload[$0] == lastPayload[$0] }
  }

  /// The size that the packet states, once its length field is there; `nil` where it states none.
  private static func statedSize(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= PESHeader.lengthFieldEnd else { return nil }
    let length = Int(bytes[4]) << 8 | Int(bytes[5])
    return length > 0 ? PESHeader.lengthFieldEnd + length : nil
  }

  private mutating func end(_ events: inout [Event]) {
    guard let packet = partial else { return }
    guard Self.statedSize(packet.bytes) == nil, packet.bytes.count >= PESHeader.lengthFieldEnd else {
      giveUp("PES packet is cut off", &events)
      return
    }
    partial = nil
    events.append(.packet(packet))
  }

  private mutating func giveUp(_ reason: String, _ events: inout [Event]) {
    guard let packet = partial else { return }
    partial = nil
    events.append(.damaged(offset: packet.offset, reason: reason))
  }
}
