public import Basics

/// What happens to a stream on its way, to see what becomes of its events.
public struct SimulatedLoss: Equatable, Sendable {
  /// How transport packets get lost.
  public var packetLosses: [PacketLoss] = []
  /// Programme times: every packet is lost that belongs to what is presented in them.
  public var ranges: [Range<MediaTime>] = []
  /// With which probability a bit is flipped.
  public var flips = 0.0
  /// With which probability a packet changes places with the next.
  public var reorders = 0.0
  /// With which probability a packet comes twice.
  public var duplicates = 0.0
  /// The media sequence numbers of the segments of a presentation that are lost.
  public var segments: Set<UInt64> = []

  /// No loss.
  public init() {}

  /// Whether nothing happens.
  public var isEmpty: Bool { self == SimulatedLoss() }

  /// Whether something happens to transport packets, which other containers do not have.
  public var concernsPackets: Bool { !packetLosses.isEmpty || !ranges.isEmpty || reorders > 0 || duplicates > 0 }

  /// Whether the seed matters.
  public var isRandom: Bool { !packetLosses.isEmpty || flips > 0 || reorders > 0 || duplicates > 0 }
}
