import Basics
import EventSchedule
import TransportStream

extension TagInserter {
  /// Follows the tables of the stream.
  ///
  /// - Returns: Whether other packets than before mean something now.
  /// - Throws: Where the program ends before its events, or another stream takes the events' PID.
  mutating func followTables(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Bool {
    let changes = tables.push(header, payload: packet.extracting(header.payload))
    for change in changes {
      switch change {
      case .association(let table): try follow(table, offset: offset, &sink)
      case .map(let map): try follow(map, offset: offset)
      case .damaged: continue
      }
    }
    return !changes.isEmpty
  }

  private mutating func follow(
    _ table: ProgramAssociationTable, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard let listed = table.programs.first(where: { $0.number == program.number }) else {
      guard !wasListed || schedule.pending.isEmpty else { throw .programEnds(program.number, offset: offset) }
      isListed = false
      return
    }
    // One that has left is a new one when it comes back: readers forget its time.
    isListed = isListed || !wasListed
    wasListed = true
    window.keepMapBehind()
    guard listed.pmtPID != program.pmtPID else { return }
    program = listed
    // A map that has begun on the other PID does not end.
    window.completeMap(try rewriter.flush(), at: clock, &sink)
    rewriter = PMTRewriter(stampedMap, program: listed, following: rewriter)
  }

  /// Goes by the latest map of the program, if all of it is in the output by now.
  ///
  /// Who reads the output knows what it announces only from here on: what comes before tells no time, and no tag may go in front of it.
  mutating func goByArrivedMap(_ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard let map = arrivingMap, !window.owesMap, !window.isInsideMap else { return }
    arrivingMap = nil
    if !isAnnounced { window.close(&sink) }
    isAnnounced = true
    if let reference = try Self.reference(map, besides: unreadablePIDs), reference.pid != tracker?.pid || reference.type != tracker?.type {
      tracker = AccessUnitTracker(reference, following: tracker)
    }
    filter = self.filter()
  }

  private mutating func follow(_ map: ProgramMapTable, offset: Int) throws(PacketStampingError) {
    if !stampedMap.isReused, map.announcedPIDs.contains(stampedMap.pid) { throw .pidClash(stampedMap.pid, offset: offset) }
    if map.programNumber == program.number { arrivingMap = map }
  }
}
