import GameEvents
import TransportStream

/// Carriages of tags besides timed ID3, for delivery chains that drop the ID3 stream.
public struct AddedCarriages: OptionSet, Hashable, Sendable {
  /// The bits of the carriages.
  public let rawValue: Int

  /// Carriages of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// SEI messages of the video. Packets are added for them.
  public static let messages = AddedCarriages(rawValue: 1)
}

/// The carriages of a stamped program, as one.
struct Carriages: CarriageWriter {
  var id3: ID3Writer
  var sei: SEIWriter

  /// The carriages of a stream. If `previous` has written the stream so far, they continue it with new tables.
  ///
  /// - Parameter games: The games that the input must have no events of.
  init(_ added: AddedCarriages, _ stampedPMT: StampedPMT, games: Set<GameID>, following previous: Carriages? = nil) {
    id3 = ID3Writer(pid: stampedPMT.id3.pid, games: games, following: previous?.id3)
    sei = SEIWriter(games: games, isWriting: added.contains(.messages))
  }

  /// Returns the PMT with the announcements of the carriages. The version number is unchanged.
  static func announced(in pmt: ProgramMapTable, on stampedPMT: StampedPMT) -> ProgramMapTable {
    ID3Writer.announced(in: pmt, on: stampedPMT.id3.pid)
  }

  /// Returns the PMT without the announcements of carriages on these PIDs; `nil` if it announces none of them.
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable? { ID3Writer.removed(pids, from: pmt) }

  /// Puts later tags on other PIDs.
  ///
  /// - Returns: The PID that they used before; `nil` if it does not change.
  mutating func move(to stampedPMT: StampedPMT) -> PID? {
    let left = id3.pid
    guard left != stampedPMT.id3.pid else { return nil }
    id3.move(to: stampedPMT.id3.pid)
    return left
  }

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
