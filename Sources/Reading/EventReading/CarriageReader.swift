import Basics
import TransportStream

/// Reads the tags of a carriage from the packets of one PID.
protocol CarriageReader: Sendable {
  /// The packets that are needed.
  var interest: PacketFilter.Interest { get }
  /// Receives the next packet. Returns the items that end in it.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem]
  /// Gives up incomplete items, because packets are missing here. Returns them as damage.
  mutating func interrupt() -> [CarriedItem]
  /// Ends the stream. Returns the remaining items.
  mutating func finish() -> [CarriedItem]
}

/// An item of a carriage.
enum CarriedItem: Sendable {
  /// A tag.
  case tag(CarriedTag)
  /// Something that could not be read.
  case damage(Damage)
}

/// A tag as it was carried.
struct CarriedTag: Sendable {
  var bytes: [UInt8]
  /// Whether its first bytes were missing.
  var isRestored = false
  /// The presentation time as written, in 33 bits.
  var timestamp: UInt64
  var carriage: Carriage
  var offset: Int
}
