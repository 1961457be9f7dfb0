import Basics
import TransportStream

/// The PIDs on which the carriages of a program travel.
struct CarriagePIDs: Equatable, Sendable {
  /// A stream that only one carriage uses.
  struct Stream: Equatable, Sendable {
    var pid: PID
    /// Whether the program already had the stream.
    var isReused: Bool
  }

  /// The stream of timed ID3.
  let id3: Stream
  /// The streams of all carriages that have a PID of their own.
  private let streams: [Stream]

  /// Chooses PIDs for a program: that of its existing ID3 stream, or else an unused one.
  ///
  /// - Throws: `noFreePID`.
  init(for pmt: ProgramMapTable, usedPIDs: Set<PID>) throws(PacketStampingError) {
    if let existing = pmt.timedID3Streams.first {
      id3 = Stream(pid: existing.pid, isReused: true)
    } else {
      id3 = Stream(pid: try Self.freePID(for: pmt, usedPIDs: usedPIDs), isReused: false)
    }
    streams = [id3]
  }

  private static func freePID(for pmt: ProgramMapTable, usedPIDs: Set<PID>) throws(PacketStampingError) -> PID {
    // Next to the program's own streams, where people expect it.
    let highest = pmt.streams.map(\.pid).max() ?? 0xFF
    let used = usedPIDs.union(pmt.announcedPIDs)
    // 0x20 to 0x1FFA are free for programs (ISO/IEC 13818-1, table 2-3, and ATSC's 0x1FFB).
    let candidates = 0x20...PID(0x1FFA)
    let free = candidates.first { $0 > highest && !used.contains($0) } ?? candidates.first { !used.contains($0) }
    guard let free else { throw .noFreePID }
    return free
  }

  /// All PIDs.
  var pids: [PID] { streams.map(\.pid) }

  /// Returns the stream on a PID; `nil` if it does not belong to a carriage.
  func stream(on pid: PID) -> Stream? { streams.first { $0.pid == pid } }

  /// Returns the PID of a carriage that a PMT of the input announces for something else.
  func clash(with pmt: ProgramMapTable) -> PID? {
    let announced = pmt.announcedPIDs
    return streams.first { !$0.isReused && announced.contains($0.pid) }?.pid
  }
}
