import Basics
import TransportStream

/// The null packets of a stream: each is like the one before, except that some multiplexers count them.
///
/// The stamper replaces only null packets that this foretells, and never the first two, which tell it. The editor follows the same packets and so
/// gives back each null packet that was replaced, byte for byte.
struct NullPackets: Equatable, Sendable {
  /// The first one; `nil` before it.
  private var first: [UInt8]?
  /// Whether the continuity counter of each is one higher; `nil` before the second one.
  private var isCounted: Bool?
  /// The counter of the latest one.
  private var counter: UInt8 = 0

  /// Whether it is still unknown how null packets look.
  var isLearning: Bool { isCounted == nil }
  /// Whether every null packet must be seen: the first ones, and all that are counted.
  var needsAll: Bool { isCounted != false }

  /// Receives the next null packet of the stream.
  ///
  /// - Returns: Whether it is the one that the packets before foretell.
  mutating func push(_ packet: Span<UInt8>) -> Bool {
    guard Self.isPlain(packet) else { return false }
    let number = packet[3] & 0x0F
    defer { counter = number }
    guard let first else {
      self.first = [UInt8](copying: packet)
      return false
    }
    let isAlike =
      packet[3] & 0xF0 == first[3] & 0xF0 && packet.extracting(4...).starts(with: first.span.extracting(4...)) && packet[1] == first[1]
    guard let isCounted else {
      isCounted = isAlike && number == TransportPacket.counter(after: counter)
      return false
    }
    return isAlike && number == (isCounted ? TransportPacket.counter(after: counter) : TransportPacket.counter(of: first))
  }

  /// Whether a null packet can be replaced: damaged ones stay as they are, and so do those with an adaptation field, which null packets do not have.
  static func isPlain(_ packet: Span<UInt8>) -> Bool { packet[1] & 0x80 == 0 && packet[3] & 0x30 == 0x10 }

  /// Returns the next null packet of the stream, which was replaced.
  mutating func restored() -> [UInt8] {
    guard let first else { return TransportPacket.nullPacket }
    guard isCounted == true else { return first }
    counter = TransportPacket.counter(after: counter)
    return TransportPacket.counted(first, counter)
  }
}

extension TransportPacket {
  /// Marks a packet that was added to a stream with null packets, by its transport_priority: so the editor removes it and puts no null packet in its
  /// place. Players ignore the bit.
  static func markAdded(_ packet: inout [UInt8]) { packet[1] |= 0x20 }

  /// Whether a packet was added, and did not replace a null packet.
  static func isMarkedAdded(_ packet: [UInt8]) -> Bool { packet[1] & 0x20 != 0 }

  /// Returns the last packet of a PMT whose packets have moved up into null packets before it. The mark is an empty adaptation field, which takes the
  /// place of a byte of filling, besides the transport_priority. Without filling there is no mark.
  static func markedMovedUp(_ packet: [UInt8]) -> [UInt8] {
    guard packet[3] & 0x30 == 0x10, packet.last == 0xFF else { return packet }
    return [packet[0], packet[1] | 0x20, packet[2], packet[3] | 0x20, 0] + packet[4..<size - 1]
  }

  /// Whether the packets of a PMT have moved up into null packets before it: see ``markedMovedUp(_:)``.
  static func isMarkedMovedUp(_ packet: [UInt8]) -> Bool { packet[1] & 0x20 != 0 && packet[3] & 0x30 == 0x30 && packet[4] == 0 }
}
