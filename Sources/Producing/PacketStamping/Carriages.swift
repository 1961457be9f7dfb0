import GameEvents
import TransportStream

/// The carriages of a stamped program, as one.
struct Carriages: CarriageWriter {
  var id3: ID3Writer
  var sei: SEIWriter

  /// Those of a stream that goes on with other tables, if `previous` has written it until now.
  ///
  /// - Parameter games: The games that the input must have no events of.
  init(_ options: PacketStamper.Options, pid: PID, games: Set<GameID>, following previous: Carriages? = nil) {
    id3 = ID3Writer(pid: pid, games: games, following: previous?.id3)
    sei = SEIWriter(games: games, isWriting: options.writesMessages)
  }

  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable { ID3Writer.announced(in: pmt, on: pid) }

  func addInterests(to filter: inout PacketFilter) {
    id3.addInterests(to: &filter)
    sei.addInterests(to: &filter)
  }

  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) throws(EventError) {
    try id3.queue(copies, before: unit)
    sei.queue(copies, before: unit)
  }

  var isWaiting: Bool { id3.isWaiting }
  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])] { id3.takePackets() }
  mutating func announceDiscontinuity() { id3.announceDiscontinuity() }
  mutating func finish() throws(PacketStampingError) { try id3.finish() }
}
