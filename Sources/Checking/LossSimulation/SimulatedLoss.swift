package import Basics

/// The damage to a stream in transit, to find out which events survive.
package struct SimulatedLoss: Equatable, Sendable {
  /// How transport packets are lost.
  package var packetLosses: [PacketLoss] = []
  /// Ranges of programme time: every packet with content that is presented in them is lost.
  package var ranges: [Range<MediaTime>] = []
  /// The probability that a bit is flipped.
  package var flips = 0.0
  /// The probability that a packet changes places with the next.
  package var reorders = 0.0
  /// The probability that a packet is sent twice.
  package var duplicates = 0.0
  /// The media sequence numbers of the segments of a presentation that are lost.
  package var segments: Set<UInt64> = []

  /// No loss.
  package init() {}

  /// Whether nothing happens.
  package var isEmpty: Bool { self == SimulatedLoss() }

  /// Whether transport packets are affected, which other containers do not have.
  package var concernsPackets: Bool { !packetLosses.isEmpty || !ranges.isEmpty || reorders > 0 || duplicates > 0 }

  /// Whether the seed matters.
  package var isRandom: Bool { !packetLosses.isEmpty || flips > 0 || reorders > 0 || duplicates > 0 }
}
