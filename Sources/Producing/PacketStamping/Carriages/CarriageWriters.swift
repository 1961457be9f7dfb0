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

/// The writers of all carriages of a stamped program.
struct CarriageWriters: Sendable {
  var id3: ID3Writer
  var sei: SEIWriter
  /// The copies that wait for a place in the stream, each with its payload in every carriage with a PID of its own.
  private var waiting: [(copy: PlacedCopy, id3: [UInt8])] = []

  /// All kinds of writers.
  private static let kinds: [any CarriageWriter.Type] = [ID3Writer.self, SEIWriter.self]

  /// The carriages of a stream. If `previous` has written the stream so far, they continue it with new tables.
  ///
  /// - Parameter games: The games that the input must have no events of.
  init(_ added: AddedCarriages, _ pids: CarriagePIDs, games: Set<GameID>, following previous: CarriageWriters? = nil) {
    id3 = ID3Writer(pid: pids.id3.pid, games: games, following: previous?.id3)
    sei = SEIWriter(games: games, isWriting: added.contains(.messages))
  }

  /// Returns the PMT with the announcements of the carriages. The version number is unchanged.
  static func announced(in pmt: ProgramMapTable, on pids: CarriagePIDs) -> ProgramMapTable {
    ID3Writer.announced(in: pmt, on: pids.id3.pid)
  }

  /// Returns the PMT without the announcements of carriages on these PIDs. The version number is unchanged.
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable { kinds.reduce(pmt) { $1.removed(pids, from: $0) } }

  /// Puts later tags on other PIDs.
  ///
  /// - Returns: The PID that they used before; `nil` if it does not change.
  mutating func move(to pids: CarriagePIDs) -> PID? {
    let left = id3.pid
    guard left != pids.id3.pid else { return nil }
    id3.move(to: pids.id3.pid)
    return left
  }

  /// Adds the packets of the input that the carriages must receive.
  func addInterests(to filter: inout PacketFilter) {
    id3.addInterests(to: &filter)
    sei.addInterests(to: &filter)
  }

  /// Queues copies to place before an access unit; `nil` if no access unit follows.
  ///
  /// - Throws: `tag` if a tag does not fit.
  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) throws(EventError) {
    for copy in copies { waiting.append((copy, try id3.payload(of: copy))) }
    sei.queue(copies, before: unit)
  }

  /// Whether copies wait for a place in the stream.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Returns the packets of the waiting copies, once.
  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])] {
    waiting.take().map { copy, payload in (copy, id3.packets(carrying: payload)) }
  }

  /// Signals with the next packet of each carriage that its continuity counter does not continue the previous ones.
  mutating func announceDiscontinuity() { id3.announceDiscontinuity() }

  /// Ends the input.
  ///
  /// - Throws: An error if the input has events of a game that is being stamped.
  mutating func finish() throws(PacketStampingError) { try id3.finish() }
}
