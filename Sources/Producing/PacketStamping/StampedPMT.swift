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

  /// The PMT with the stream and both descriptors, in the version that it had.
  func stamped(_ pmt: ProgramMapTable) -> ProgramMapTable {
    var stamped = pmt
    let service: UInt8
    if let index = stamped.streams.firstIndex(where: { $0.pid == pid && $0.isTimedID3 }) {
      let known = stamped.streams[index].descriptors.compactMap { MetadataDescriptor($0) }.first { $0.isID3 }
      service = known?.serviceID ?? freeService(pmt)
      if known == nil { stamped.streams[index].descriptors.append(MetadataDescriptor(serviceID: service).descriptor) }
    } else {
      service = freeService(pmt)
      stamped.streams.append(
        ProgramMapTable.ElementaryStream(type: .metadata, pid: pid, descriptors: [MetadataDescriptor(serviceID: service).descriptor]))
    }
    let pointers = pmt.descriptors.compactMap { MetadataPointerDescriptor($0) }
    if !pointers.contains(where: { $0.isID3 && $0.serviceID == service }) {
      stamped.descriptors.append(MetadataPointerDescriptor(serviceID: service, programNumber: pmt.programNumber).descriptor)
    }
    return stamped
  }

  /// The lowest service number that no other metadata stream of the program has.
  private func freeService(_ pmt: ProgramMapTable) -> UInt8 {
    let used = pmt.streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0)?.serviceID }
    return (0...UInt8.max).first { !used.contains($0) } ?? 0
  }
}
