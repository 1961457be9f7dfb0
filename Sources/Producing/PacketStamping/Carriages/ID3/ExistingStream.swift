import Basics
import GameEvents
import ID3
import TransportStream

/// Follows the existing timed ID3 stream of the program, on the PID that new tags will share.
struct ExistingStream: Sendable {
  /// A packet of the stream that stays in the output.
  struct Packet: Sendable {
    /// Whether it repeats the packet before.
    var isRepeat = false
    /// How far the continuity counter of the output advances before the packet, modulo 16, because packets are missing. Before a repeat it goes back by
    /// one.
    var gap: UInt8 = 0
    /// Whether new tags may go before the packet.
    var mayFollowTags = false
    /// The presentation timestamps of the PES packets that end in the packet.
    var timestamps: [UInt64] = []
  }

  private let games: Set<GameID>
  private var assembler = TimedMetadataAssembler()
  private var repeats = PacketRepeats()
  /// The counter of the latest packet, corrected if it stood still.
  private var lastCounter: UInt8?
  /// The number of access units since the latest packet of a tag that is not complete.
  private var waitedUnits = 0

  /// The number of access units during which the end of a tag is awaited, a second or less.
  private static let patience = 25

  init(games: Set<GameID>) { self.games = games }

  /// Whether a tag has begun and its end is awaited. New tags must not be inserted into it.
  var isInsideTag: Bool { waitedUnits <= Self.patience && assembler.isInsideTag }

  /// Records an access unit of the program.
  mutating func recordAccessUnit() {
    if isInsideTag { waitedUnits += 1 }
  }

  /// Receives a packet of the stream.
  ///
  /// - Returns: How it is written.
  /// - Throws: `alreadyStamped` if a tag that ends in the packet carries an event of the schedule's games.
  mutating func push(_ header: TransportPacket, _ packet: Span<UInt8>, offset: Int) throws(PacketStampingError) -> Packet {
    var result = Packet()
    guard let corrected = repeats.push(header, packet) else {
      result.isRepeat = true
      // The same counter again.
      if header.hasPayload { result.gap = 0x0F }
      return result
    }
    let header = corrected
    if header.hasPayload {
      if let lastCounter, header.adaptation?.isDiscontinuous != true { result.gap = (header.continuityCounter &- lastCounter &- 1) & 0x0F }
      lastCounter = header.continuityCounter
    }
    let payload = packet.extracting(header.payload)
    result.mayFollowTags = header.startsUnit && (waitedUnits > Self.patience || !assembler.isContinued(in: payload))
    if header.startsUnit || waitedUnits <= Self.patience { waitedUnits = 0 }
    for event in assembler.push(header, payload: payload, offset: offset) {
      if case .packet(let packet, _) = event, let timestamp = packet.header.presentationTime { result.timestamps.append(timestamp) }
      try checkGame(event)
    }
    return result
  }

  /// Whether a packet depends on its place, for example because of a PCR: it keeps its place, and no later tag may be placed before it.
  static func isBound(_ packet: Span<UInt8>) -> Bool {
    let randomAccess: UInt8 = 0x40
    return packet[3] & 0x20 != 0 && packet[4] != 0 && packet[5] & ~randomAccess != 0
  }

  /// Ends the stream.
  ///
  /// - Throws: `alreadyStamped`, as ``push(_:_:offset:)`` does.
  mutating func finish() throws(PacketStampingError) {
    for event in assembler.finish() { try checkGame(event) }
  }

  /// Refuses an event of a game that is being stamped: its copies would contradict the new ones.
  private func checkGame(_ event: TimedMetadataAssembler.Event) throws(PacketStampingError) {
    guard case .tag(let found) = event, let tag = try? ID3Tag.decode(found.bytes.span) else { return }
    for case .success(let copy) in EventCopy.copies(in: tag) where games.contains(copy.event.gameID) {
      throw .alreadyStamped(copy.event.gameID, offset: found.offset)
    }
  }
}
