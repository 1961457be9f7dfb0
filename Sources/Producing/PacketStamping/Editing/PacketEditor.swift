public import Basics
import TransportStream

/// Edits the timed ID3 of a transport stream: removes events, or restores tags that FFmpeg has cut. Everything else is unchanged, including the
/// timestamps before packets or the parity after them.
///
/// Packets are written as they arrive. Only those of an incomplete tag, and those between them, are held, up to a mebibyte.
public struct PacketEditor: Sendable {
  private let options: Options
  private var framer = PacketFramer()
  private var filter = PacketFilter(.none)
  private var window = EditWindow()
  private var tables = ProgramTables()
  private var router = PacketRouter()
  private var clockPIDs: Set<PID> = []
  /// The number of null packets that were removed because as many packets had been added.
  private var paid = 0
  /// What is known about the stream so far.
  public private(set) var knowledge: Knowledge
  private var found = Report()

  /// What was changed so far.
  public var report: Report {
    var report = found
    (report.addedPackets, report.removedPackets, report.nulledPackets) = (window.counts.added, window.counts.removed, window.counts.nulled)
    report.changedMaps = window.changedMaps
    return report
  }

  /// An editor for a stream of which something may be known.
  public init(_ options: Options, knowing knowledge: Knowledge = Knowledge()) {
    self.options = options
    self.knowledge = knowledge
    filter[ProgramAssociationTable.pid] = .all
    updateNullInterest(&filter)
  }

  /// Receives the next bytes of the stream, in chunks of any size.
  ///
  /// - Parameter sink: Receives the bytes of the edited stream, in whole packets.
  /// - Throws: `PacketStampingError.notATransportStream`, and `eventsInVideo` if events cannot be removed from SEI messages.
  public mutating func push(_ chunk: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    read(chunk, isLast: false, into: &sink)
    if framer.isTransportStream == false { throw .notATransportStream }
    if let offset = router.failure { throw .eventsInVideo(offset: offset) }
  }

  /// The offset of the first access unit of video with an event in an SEI message; `nil` if there was none.
  package var eventInVideo: Int? { router.eventInVideo }

  /// Ends a segment, and writes what is held of it.
  public mutating func endSegment(into sink: inout some ByteSink & ~Copyable) {
    let nothing: [UInt8] = []
    read(nothing.span, isLast: true, into: &sink)
    close(&sink)
  }

  /// Ends the stream and writes what is left.
  ///
  /// - Throws: `PacketStampingError.notATransportStream`, `eventsInVideo`, or `noProgram` if there was no table.
  public mutating func finish(into sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) -> Report {
    endSegment(into: &sink)
    if let offset = router.failure { throw .eventsInVideo(offset: offset) }
    guard framer.framing != nil else { throw .notATransportStream }
    guard tables.programAssociation != nil else { throw .noProgram }
    return report
  }

  // MARK: Packets

  private mutating func read(_ chunk: Span<UInt8>, isLast: Bool, into sink: inout some ByteSink & ~Copyable) {
    var (framer, filter) = (framer, filter)
    framer.read(chunk, isLast: isLast, filter: &filter) { unit, offset, framing, filter in
      edit(unit, offset: offset, framing, &filter, &sink)
    } passed: { units, _ in
      window.write(units, &sink)
      if window.isFull { release(&sink) }
    } skip: { skipped in
      found.skippedBytes += skipped.count
      let bytes = skipped.bytes
      window.write(bytes.span, &sink)
    }
    (self.framer, self.filter) = (framer, filter)
  }

  /// Edits a packet that the filter wants.
  private mutating func edit(
    _ unit: Span<UInt8>, offset: Int, _ framing: PacketFramer.Framing, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) {
    window.framing = framing
    let packet = [UInt8](copying: unit.extracting(framing.packetRange))
    guard let header = try? TransportPacket(packet.span), !header.hasError else { return window.write(unit, &sink) }
    if header.pid == TransportPacket.nullPID {
      knowledge.hasNullPackets = true
      if debt > 0 {
        paid += 1
        window.recordRemoval()
      } else {
        window.writeNull(unit, &sink)
      }
      return updateNullInterest(&filter)
    }
    let changes = tables.follows(header.pid) ? tables.push(header, payload: packet.span.extracting(header.payload)) : []
    let terms = terms
    if let found = router[header.pid]?.push(EditedPacket(header: header, bytes: packet, offset: offset), of: unit, terms, &window) {
      record(found, of: header.pid)
      if found.contains(where: { !$0.isInVideo }) { updateNullInterest(&filter) }
      filter[header.pid] = tables.follows(header.pid) ? .all : router[header.pid]?.interest ?? .none
    } else {
      window.write(unit, &sink)
    }
    if !changes.isEmpty { followTables(&filter) }
    if !router.isHolding { window.flush(&sink) }
    if window.isFull { release(&sink) }
  }

  /// The terms of edits at this point of the stream.
  private var terms: EditTerms {
    guard options.edit != .repair else {
      return EditTerms(tables: knowledge.ownPIDs.isEmpty ? .without([]) : .announced, gone: [], filling: [], videoFilling: [])
    }
    // PMTs no longer list PIDs whose only content is removed events.
    let gone = options.keepsTables ? [] : knowledge.ownPIDs.subtracting(knowledge.otherPIDs).subtracting(clockPIDs)
    let fills = options.keepsSize || knowledge.hasNullPackets
    return EditTerms(
      tables: .without(gone), gone: gone, filling: fills ? Self.filling : [], videoFilling: options.keepsSize ? Self.filling : [],
      keepsSize: options.keepsSize)
  }

  private static let filling = [TransportPacket.nullPacket]

  private mutating func record(_ changes: [EditedTags], of pid: PID) {
    for tags in changes {
      found.add(tags)
      guard !tags.isInVideo else { continue }
      if options.edit == .repair ? tags.repaired > 0 || tags.hasTag : tags.hasOwn { knowledge.ownPIDs.insert(pid) }
      if tags.hasOthers { knowledge.otherPIDs.insert(pid) }
    }
  }

  /// The number of null packets to remove next, because as many packets were added.
  private var debt: Int { window.counts.added - paid }

  private func updateNullInterest(_ filter: inout PacketFilter) {
    filter[TransportPacket.nullPID] =
      debt > 0 || (options.edit != .repair && (!knowledge.hasNullPackets || window.nullPackets.needsAll)) ? .all : .none
  }

  /// Edits further packets as new tables require.
  private mutating func followTables(_ filter: inout PacketFilter) {
    let terms = terms
    clockPIDs = Set(tables.maps.values.map(\.pcrPID))
    router.follow(tables, options, terms, &window)
    filter = PacketFilter(.none)
    for pid in router.pids { filter[pid] = router[pid]?.interest ?? .none }
    for pid in tables.pids { filter[pid] = .all }
    updateNullInterest(&filter)
  }

  /// Writes the held packets unchanged, because more would have to be held than allowed.
  private mutating func release(_ sink: inout some ByteSink & ~Copyable) {
    let terms = terms
    for pid in router.pids { router[pid]?.release(terms, &window) }
    window.flush(&sink)
  }

  /// Decides on all held packets.
  private mutating func close(_ sink: inout some ByteSink & ~Copyable) {
    for pid in router.pids {
      let terms = terms
      record(router[pid]?.close(terms, &window) ?? [], of: pid)
    }
    window.flush(&sink)
  }
}
