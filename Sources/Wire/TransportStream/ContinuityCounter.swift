import Basics

/// Follows the continuity counter of one PID (ISO/IEC 13818-1, 2.4.3.3).
///
/// The counter of packets with a payload goes up by one, modulo 16. A packet may be sent twice in a row: a duplicate packet has the same counter
/// and the same content. The discontinuity_indicator allows any counter.
public struct ContinuityCounter: Equatable, Sendable {
  /// What a packet's counter says.
  public enum Step: Equatable, Sendable {
    /// The packet has no payload, so its counter does not count.
    case withoutPayload
    /// The first packet, or the first one after ``reset()``.
    case first
    /// The next packet.
    case next
    /// The packet's discontinuity_indicator announces that the counter restarts.
    case discontinuity
    /// The packet before, sent a second time.
    case duplicate
    /// The counter is that of the packet before, but the packet is not a duplicate: its content differs, or it is the third of a kind.
    /// Either sixteen packets are missing, or the multiplexer does not increment the counter.
    case stalled
    /// Packets are missing.
    case lost
  }

  /// The counter of the latest packet.
  public private(set) var last: UInt8?
  /// Whether the content of the latest packet is that of the packet before.
  public private(set) var hasSameContent = false

  private var content: [UInt8] = []
  private var wasDuplicated = false

  /// Starts before the first packet.
  public init() {}

  /// Records the next packet of the PID by its counter alone, and never finds a ``Step/duplicate``.
  public mutating func push(_ header: TransportPacket) -> Step {
    defer { last = header.continuityCounter }
    guard header.hasPayload else { return .withoutPayload }
    guard let last else { return .first }
    if header.adaptation?.isDiscontinuous == true { return .discontinuity }
    if header.continuityCounter == last { return .stalled }
    return header.continuityCounter == (last + 1) & 0x0F ? .next : .lost
  }

  /// Records the next packet of the PID.
  ///
  /// - Parameter content: What duplicates share, for example the payload. A duplicate's PCR may be another.
  public mutating func push(_ header: TransportPacket, content: Span<UInt8>) -> Step {
    let step = push(header)
    guard step != .withoutPayload else { return step }
    hasSameContent = step != .first && isLatest(content)
    let isDuplicate = step == .stalled && hasSameContent && !wasDuplicated
    wasDuplicated = isDuplicate
    if !hasSameContent {
      self.content.removeAll(keepingCapacity: true)
      self.content.append(copying: content)
    }
    return isDuplicate ? .duplicate : step
  }

  /// Whether the packet is the next one and repeats the content of the latest one.
  public func isRepetition(_ header: TransportPacket, content: Span<UInt8>) -> Bool {
    var counter = self
    return counter.push(header) == .next && isLatest(content)
  }

  /// Forgets the latest packet: the next one may have any counter.
  public mutating func reset() { self = ContinuityCounter() }

  private func isLatest(_ content: Span<UInt8>) -> Bool {
    content.count == self.content.count && content.starts(with: self.content.view)
  }
}

extension TransportPacket {
  /// Returns a packet of 188 bytes with the counter that continues its PID. A packet without a payload repeats the previous counter.
  ///
  /// - Parameter counter: The counter of the next packet with a payload; afterwards that of the one after it.
  package static func renumbered(_ packet: Span<UInt8>, counter: inout UInt8) -> [UInt8] {
    var renumbered = [UInt8](copying: packet)
    let hasPayload = packet[3] & 0x10 != 0
    renumbered[3] = packet[3] & 0xF0 | (hasPayload ? counter : counter &- 1) & 0x0F
    if hasPayload { counter = (counter + 1) & 0x0F }
    return renumbered
  }
}
