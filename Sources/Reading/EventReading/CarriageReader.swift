import Basics
import TransportStream

/// Reads the tags of a carriage from the packets of one PID.
protocol CarriageReader: Sendable {
  /// The packets that are needed.
  var interest: PacketFilter.Interest { get }
  /// Receives the next packet; returns what ends in it.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [CarriedItem]
  /// Gives up what has begun, because packets are missing here; returns that as damage.
  mutating func interrupt() -> [CarriedItem]
  /// Ends the stream; returns what was still to come.
  mutating func finish() -> [CarriedItem]
}

/// What a carriage holds.
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
  /// The presentation time as it is written, 33 bits.
  var timestamp: UInt64
  var carriage: Carriage
  var offset: Int
}
