import Basics
import TransportStream

/// The packets of a stream, cut into portions that can each be read alone: a portion starts with the PAT and the PMT.
struct TransportStreamTrack: Sendable {
  /// The bytes since the latest cut; `nil` before the first one, and after they were given up.
  private(set) var bytes: [UInt8]?
  /// The PID of the program's PMT.
  var pmtPID: PID?
  /// The packets of the latest PAT and PMT, by their PID.
  private var tables: [PID: [[UInt8]]] = [:]
  /// The continuity counters of tables, which include the repetitions at the start of portions.
  private var counters: [PID: UInt8] = [:]
  /// The number of packets on each PID that a portion contains before they arrive.
  private var expected: [PID: Int] = [:]

  /// The maximum number of packets of a table that are repeated at the start of portions.
  private static let mostTablePackets = 24

  /// Ends the open portion, and begins the next one with the tables; returns the bytes of the ended one.
  mutating func cut() -> [UInt8]? {
    defer {
      bytes = []
      for pid in [ProgramAssociationTable.pid, pmtPID].compactMap({ $0 }) {
        for packet in tables[pid] ?? [] { appendTable(packet.span, of: pid) }
      }
    }
    return bytes
  }

  /// Ends the open portion; packets are dropped until the next cut.
  mutating func finish() -> [UInt8]? { bytes.take() }

  /// Adds packets before they arrive. A portion need not have a constant bit rate: its tags go in front of their access unit, in the segment that
  /// presents their time.
  mutating func expect(_ packets: Span<UInt8>) {
    packets.forEachPacket { expected[TransportPacket.pid(of: $0), default: 0] += 1 }
    bytes?.append(copying: packets)
  }

  /// Adds a packet of the PAT or of a PMT.
  mutating func writeTable(_ packet: Span<UInt8>, of pid: PID) {
    keep(packet, of: pid)
    appendTable(packet, of: pid)
  }

  /// Adds any other packet.
  mutating func write(_ packet: Span<UInt8>, of pid: PID) {
    if let count = expected[pid] {
      expected[pid] = count > 1 ? count - 1 : nil
    } else {
      bytes?.append(copying: packet)
    }
  }

  /// Keeps a packet of a table, for the starts of portions.
  private mutating func keep(_ packet: Span<UInt8>, of pid: PID) {
    let startsSection = TransportPacket.startsUnit(packet)
    guard startsSection || tables[pid] != nil else { return }
    if startsSection { tables[pid] = [] }
    guard (tables[pid]?.count ?? 0) < Self.mostTablePackets else { return }
    tables[pid]?.append([UInt8](copying: packet))
  }

  /// Appends a packet of a table. Its continuity counter continues from the packet before on its PID, including repetitions.
  private mutating func appendTable(_ packet: Span<UInt8>, of pid: PID) {
    guard bytes != nil else { return }
    bytes? += TransportPacket.renumbered(packet, counter: &counters[pid, default: 0])
  }
}
