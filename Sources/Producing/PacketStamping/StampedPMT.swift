import Basics
import TransportStream

/// Adds the stream of events to a program's PMT.
struct StampedPMT: Equatable, Sendable {
  /// The PID that the events travel on.
  let pid: PID
  /// Whether the program had the stream before.
  let isReused: Bool

  /// Chooses a PID for a program: that of the ID3 stream that it has, else one that nothing uses.
  ///
  /// - Throws: `noFreePID`.
  init(for pmt: ProgramMapTable, usedPIDs: Set<PID>) throws(PacketStampingError) {
    if let existing = pmt.timedID3Streams.first {
      pid = existing.pid
      isReused = true
      return
    }
    // Next to the program's own streams, where people look for it.
    let highest = pmt.streams.map(\.pid).max() ?? 0xFF
    let used = usedPIDs.union(pmt.announcedPIDs)
    // 0x20 to 0x1FFA are free for programs (ISO/IEC 13818-1, table 2-3, and ATSC's 0x1FFB).
    let candidates = 0x20...PID(0x1FFA)
    let free = candidates.first { $0 > highest && !used.contains($0) } ?? candidates.first { !used.contains($0) }
    guard let free else { throw .noFreePID }
    pid = free
    isReused = false
  }

  /// The PMT with what announces the carriages, in the version that it had.
  func stamped(_ pmt: ProgramMapTable) -> ProgramMapTable { Carriages.announced(in: pmt, on: pid) }
}
