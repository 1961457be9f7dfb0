import Basics
import TransportStream

/// Distinguishes a repeated packet from one with the same continuity counter but other content.
///
/// A packet may be sent twice in a row on its PID, with the same bytes except for a PCR (ISO/IEC 13818-1, 2.4.3.3). The counters of some multiplexers
/// stand still at times. They are corrected, because readers would otherwise lose packets.
struct PacketRepeats: Sendable {
  private var continuity = ContinuityCounter()
  /// The number of packets for which the counter has stood still.
  private var stalls = CounterShift()

  /// Receives the next packet of the PID.
  ///
  /// - Returns: Its header with the counter that it had if the counter had never stood still; `nil` if it repeats the packet before.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) -> TransportPacket? {
    switch continuity.push(header, content: Self.withoutPCR(header, packet).span) {
    case .duplicate: return nil
    case .stalled: stalls += 1
    case .withoutPayload, .first, .next, .discontinuity, .lost: break
    }
    return corrected(header)
  }

  /// A header with the counter that it had if the counter had never stood still.
  func corrected(_ header: TransportPacket) -> TransportPacket {
    var corrected = header
    corrected.continuityCounter = header.continuityCounter + stalls
    return corrected
  }

  /// Whether a packet has the counter of the one before.
  func isRepeat(_ header: TransportPacket) -> Bool { continuity.last == header.continuityCounter }

  private static func withoutPCR(_ header: TransportPacket, _ packet: Span<UInt8>) -> [UInt8] {
    var content = [UInt8](copying: packet)
    guard header.adaptation?.pcr != nil else { return content }
    // The PCR follows the packet's header, and the field's length and flags.
    for index in 6..<12 { content[index] = 0 }
    return content
  }
}
