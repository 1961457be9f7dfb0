import Basics
import TransportStream

/// Enters the stream of events in a program's map.
struct StampedPMT: Equatable, Sendable {
  /// The PID that the events travel on.
  let pid: PID
  /// Whether the program had the stream before.
  let isReused: Bool

  /// Chooses a PID for a program: that of the ID3 stream that it has, else one that nothing uses.
  ///
  /// - Throws: `noFreePID`.
  init(for map: ProgramMapTable, usedPIDs: Set<PID>) throws(PacketStampingError) {
    if let existing = map.timedID3Streams.first {
      pid = existing.pid
      isReused = true
      return
    }
    // Next to the program's own streams, where people look for it.
    let highest = map.streams.map(\.pid).max() ?? 0xFF
    let used = usedPIDs.union(map.announcedPIDs)
    // 0x20 to 0x1FFA are free for programs (ISO/IEC 13818-1, table 2-3, and ATSC's 0x1FFB).
    let candidates = 0x20...PID(0x1FFA)
    let free = candidates.first { $0 > highest && !used.contains($0) } ?? candidates.first { !used.contains($0) }
    guard let free else { throw .noFreePID }
    pid = free
    isReused = false
  }

  /// The map with the stream and both descriptors, in the version that it had.
  func stamped(_ map: ProgramMapTable) -> ProgramMapTable {
    var stamped = map
    let service: UInt8
    if let index = stamped.streams.firstIndex(where: { $0.pid == pid && $0.isTimedID3 }) {
      let known = stamped.streams[index].descriptors.compactMap { MetadataDescriptor($0) }.first { $0.isID3 }
      service = known?.serviceID ?? freeService(map)
      if known == nil { stamped.streams[index].descriptors.append(MetadataDescriptor(serviceID: service).descriptor) }
    } else {
      service = freeService(map)
      stamped.streams.append(
        ProgramMapTable.ElementaryStream(type: .metadata, pid: pid, descriptors: [MetadataDescriptor(serviceID: service).descriptor]))
    }
    let pointers = map.descriptors.compactMap { MetadataPointerDescriptor($0) }
    if !pointers.contains(where: { $0.isID3 && $0.serviceID == service }) {
      stamped.descriptors.append(MetadataPointerDescriptor(serviceID: service, programNumber: map.programNumber).descriptor)
    }
    return stamped
  }

  /// The lowest service number that no other metadata stream of the program has.
  private func freeService(_ map: ProgramMapTable) -> UInt8 {
    let used = map.streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0)?.serviceID }
    return (0...UInt8.max).first { !used.contains($0) } ?? 0
  }
}
