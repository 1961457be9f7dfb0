import Basics
import TransportStream

/// Tells a packet that was sent twice from one whose continuity counter stands still though its content is another.
///
/// A packet may be sent once more, directly after itself on its PID and with the same bytes, but for a clock reference (ISO/IEC 13818-1, 2.4.3.3).
/// Other multiplexers' counters stand still at times: what they count has to go on, or it would be lost.
struct PacketRepeats: Sendable {
  /// The latest packet with a payload, without its clock reference.
  private var latest: [UInt8] = []
  private var wasRepeated = false
  /// How often the counter stood still, modulo 16: by so much the counters of those that follow are larger.
  private(set) var stalls: UInt8 = 0

  /// Takes the next packet of the PID.
  ///
  /// - Returns: Its header with the counter that it had if the counter had never stood still; `nil` where it repeats the packet before.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>) -> TransportPacket? {
    var counted = header
    if header.hasPayload {
      let content = Self.withoutClock(header, packet)
      if latest.count > 3, latest[3] & 0x0F == header.continuityCounter, header.adaptation?.isDiscontinuous != true {
        guard wasRepeated || content != latest else {
          wasRepeated = true
          return nil
        }
        stalls = (stalls + 1) & 0x0F
      }
      latest = content
      wasRepeated = false
    }
    counted.continuityCounter = (header.continuityCounter &+ stalls) & 0x0F
    return counted
  }

  private static func withoutClock(_ header: TransportPacket, _ packet: Span<UInt8>) -> [UInt8] {
    var content = [UInt8](copying: packet)
    guard header.adaptation?.pcr != nil else { return content }
    // Behind the packet's header, and the field's length and flags.
    for index in 6..<12 { content[index] = 0 }
    return content
  }
}
