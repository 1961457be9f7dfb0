import EventSchedule
import GameEvents
import NALUnits
import TransportStream

/// Records the tags for SEI messages of the video. `SEIInserter` writes them as the last stage.
struct SEIWriter: CarriageWriter {
  private var existing: SEISearch
  private let isWriting: Bool
  /// The tags for the video, until they are taken.
  var units: [SEIInserter.Unit] = []

  /// - Parameter isWriting: Whether tags go into messages. Otherwise the video is only searched for events of the games.
  init(games: Set<GameID>, isWriting: Bool) { (existing, self.isWriting) = (SEISearch(games: games), isWriting) }

  /// The PID of the video if all its packets are needed.
  var pidInsideUnit: PID? { existing.pidInsideUnit }

  func addInterests(to filter: inout PacketFilter) { if let pidInsideUnit { filter[pidInsideUnit] = .all } }

  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) {
    guard isWriting, let unit, !copies.isEmpty else { return }
    units.append(.init(place: unit, tags: copies.map { SEIInserter.Tag(time: $0.presentationTime, bytes: $0.copy.tag) }))
  }

  /// Searches for events that the video already has.
  ///
  /// - Returns: Whether the set of packets that matter has changed.
  mutating func follow(
    _ header: TransportPacket, payload: Span<UInt8>, of type: StreamType?, offset: Int
  ) throws(PacketStampingError) -> Bool {
    guard let codec = type?.nalUnitCodec else { return false }
    let before = pidInsideUnit
    try existing.push(header, payload: payload, of: codec, offset: offset)
    return pidInsideUnit != before
  }
}
