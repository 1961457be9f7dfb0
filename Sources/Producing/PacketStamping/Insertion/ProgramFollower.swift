import Basics
import TransportStream

/// Follows the program that carries the events: its tables, the rewriting of its PMT, and the access units that tell its time.
struct ProgramFollower: Sendable {
  private(set) var program: ProgramAssociationTable.Program
  private(set) var carriagePIDs: CarriagePIDs
  /// The program as its first PMT describes it.
  private let summary: ProgramSummary
  /// The PIDs that the start of the stream uses or announces.
  private let knownPIDs: Set<PID>
  private let unreadablePIDs: Set<PID>
  private var tables = ProgramTables()
  private var rewriter: TableRewriter<StampedTable>
  /// The PID of the program's PCR.
  private(set) var pcrPID: PID
  /// The type of the stream that tells the time, by the first PMT; `nil` if there is none.
  let referenceType: StreamType?
  /// The stream that tells the time; `nil` until a PMT announces it.
  private(set) var tracker: AccessUnitTracker?
  /// The latest PMT of the program, until all of it is in the output: readers do not know it before.
  private var arrivingPMT: ProgramMapTable?
  /// Whether readers know the program's PMT. No tag may precede it, even if the time is already known.
  private(set) var isAnnounced = false
  /// Whether the latest PAT lists the program. Also true before the first PAT.
  private(set) var isListed = true
  private var wasListed = false
  /// Where the stream that tells the time began to be scrambled.
  private var scrambledSince: Int?
  /// The decoding time of the latest access unit, since the start.
  private(set) var clock = MediaTime.zero
  /// The longest time from the decoding of an access unit to its presentation.
  private(set) var longestDelay = MediaTime.zero
  /// The frame duration at the latest access unit.
  private(set) var frameDuration = MediaTime.zero
  /// The time on the timeline at which a live stream begins; `nil` for one that was recorded.
  private let liveStart: MediaTime?
  /// The video and audio of the open segment, and those of the latest PMT; `nil` before the first PMT of a live stream.
  private var media: Set<Medium>?
  private var latestMedia: Set<Medium>?
  /// How the video or audio of a live stream has changed, as long as no segment begins with the change.
  private var mediaChange: MediaChange?

  /// A stream of video or audio. Its descriptors are left out, because they may change without a change of the coding.
  private struct Medium: Hashable {
    var pid: PID
    var type: StreamType
  }

  /// How the video and audio of a live stream have changed.
  private enum MediaChange {
    /// Another stream tells the time. Its first access unit does not continue the old stream.
    case reference
    /// Another stream was added, removed or changed.
    case others
  }

  /// Follows the program that a probe has found. If a live stream continues with new tables, so does its timeline.
  init(_ probe: StreamProbe, liveStart: MediaTime? = nil, following previous: ProgramFollower? = nil) throws(PacketStampingError) {
    self.liveStart = liveStart
    tracker = previous?.tracker
    (media, latestMedia, mediaChange) = (previous?.media, previous?.latestMedia, previous?.mediaChange)
    let (program, pmt) = try probe.program()
    self.program = program
    pcrPID = pmt.pcrPID
    // Announced video without packets cannot tell the time if there is audio. In a live stream, too little was examined to know that video is
    // missing.
    let comes = pmt.streams.contains { $0.isAudio && probe.usedPIDs.contains($0.pid) && !probe.unreadablePIDs.contains($0.pid) }
    let silent = pmt.streams.filter { $0.type.isVideo && !probe.usedPIDs.contains($0.pid) }.map { $0.pid }
    unreadablePIDs = comes && liveStart == nil ? probe.unreadablePIDs.union(silent) : probe.unreadablePIDs
    // Throws before anything is written if no stream can tell the time.
    referenceType = try Self.reference(pmt, besides: unreadablePIDs)?.type
    summary = ProgramSummary(number: program.number, pmt: pmt)
    knownPIDs = probe.knownPIDs
    carriagePIDs = try CarriagePIDs(for: pmt, usedPIDs: knownPIDs)
    rewriter = Self.rewriter(carriagePIDs, program, isLive: liveStart != nil, following: previous?.rewriter)
  }

  private static func rewriter(
    _ carriagePIDs: CarriagePIDs, _ program: ProgramAssociationTable.Program, isLive: Bool, following previous: TableRewriter<StampedTable>?
  ) -> TableRewriter<StampedTable> {
    let table = StampedTable(carriagePIDs, program: program.number, raisesVersions: isLive, following: previous?.edit)
    var rewriter = TableRewriter(pid: program.pmtPID, table)
    rewriter.isDiscontinuous = previous?.isDiscontinuous ?? false
    return rewriter
  }

  /// Returns the stream that tells the program's time, among the readable ones; `nil` if the PMT has none.
  private static func reference(
    _ pmt: ProgramMapTable, besides unreadable: Set<PID>
  ) throws(PacketStampingError) -> ProgramMapTable.ElementaryStream? {
    var readable = pmt
    readable.streams = pmt.streams.filter { !unreadable.contains($0.pid) }
    if let reference = readable.referenceStream { return reference }
    guard let hidden = pmt.referenceStream else { return nil }
    throw .scrambled(hidden.pid, offset: nil)
  }

  /// The PID of the stream that tells the time once the arriving PMT is known.
  private var arrivingPID: PID? { arrivingPMT.flatMap { try? Self.reference($0, besides: unreadablePIDs) }?.pid }

  /// The presentation time of the timeline origin; `nil` until it is known.
  var origin: MediaTime? { tracker?.origin }

  /// The time on the timeline of the latest access unit in the order of presentation.
  var latestTime: MediaTime {
    guard let end = tracker?.end, let origin else { return .zero }
    return end - origin - frameDuration
  }

  /// The time on the timeline of a presentation timestamp of the program.
  func time(of timestamp: UInt64) -> MediaTime? {
    guard let time = unwrapped(timestamp), let origin else { return nil }
    return time - origin
  }

  /// A timestamp of the program, or its PCR, on the clock of the stream that tells the time.
  func unwrapped(_ timestamp: UInt64) -> MediaTime? { tracker?.unwrapper.peek(timestamp) }

  /// Whether a PID tells the time, or will once the arriving PMT is known.
  func tellsTime(_ pid: PID) -> Bool { pid == tracker?.pid || pid == arrivingPID }

  /// The packets that matter to the program. In the stream that tells the time, these are the starts of access units and jumps of the clock.
  var filter: PacketFilter {
    // Without access units, every packet must be examined to notice that too much is held.
    guard let tracker else { return PacketFilter(.all) }
    var filter = PacketFilter(.none)
    if let arrivingPID { filter[arrivingPID] = .unitStarts }
    filter[tracker.pid] = .unitStarts
    for pid in tables.pids { filter[pid] = .all }
    filter[program.pmtPID] = .all
    return filter
  }

  /// Whether the clock of the stream that tells the time jumps with the access unit that starts in a packet.
  func jumps(with header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard var tracker, header.pid == tracker.pid, tracker.push(header, payload: payload) != nil else { return false }
    return tracker.lastJump != nil
  }

  /// Returns an access unit of the stream that tells the time as a carrier of SEI messages; `nil` if it has none.
  ///
  /// - Parameter timestamp: When it is presented, in 90 kHz ticks of 33 bits; `nil` for the next one.
  func carryingUnit(at timestamp: UInt64?) -> CarryingUnit? {
    guard let tracker, let codec = tracker.type.nalUnitCodec else { return nil }
    return CarryingUnit(pid: tracker.pid, codec: codec, timestamp: timestamp)
  }

  // MARK: Tables

  /// Follows the tables of the stream.
  ///
  /// - Parameter hasPending: Whether events are still pending.
  /// - Returns: Whether the set of packets that matter has changed.
  /// - Throws: `programEnds` if the program leaves the PAT before its events, `pidClash` if another stream gets the PID of the events. If the
  ///   program's own PMT announces the clash in a live stream, the events move to another PID with that same PMT.
  mutating func followTables(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, hasPending: Bool, _ window: inout OutputWindow,
    _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Bool {
    guard tables.follows(header.pid) else { return false }
    let changes = tables.push(header, payload: packet.extracting(header.payload))
    for change in changes {
      switch change {
      case .programAssociation(let pat): try follow(pat, offset: offset, hasPending: hasPending, &window, &sink)
      case .map(let pmt):
        if let clash = carriagePIDs.clash(with: pmt) {
          guard liveStart != nil, pmt.programNumber == program.number else { throw .pidClash(clash, offset: offset) }
          carriagePIDs = try CarriagePIDs(for: pmt, usedPIDs: knownPIDs.union(carriagePIDs.pids))
          rewriter.edit.move(to: carriagePIDs)
          isAnnounced = false
        }
        if pmt.programNumber == program.number { arrivingPMT = pmt }
      case .damaged: continue
      }
    }
    return !changes.isEmpty
  }

  private mutating func follow(
    _ pat: ProgramAssociationTable, offset: Int, hasPending: Bool, _ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard let listed = pat.programs.first(where: { $0.number == program.number }) else {
      // A live stream may list it again, and only then is it known what to follow.
      guard !wasListed || !(hasPending || liveStart != nil) else { throw .programEnds(program.number, offset: offset) }
      isListed = false
      return
    }
    // A program that returns counts as new: readers have forgotten its time.
    isListed = isListed || !wasListed
    wasListed = true
    window.keepPMTAfterEnd()
    guard listed.pmtPID != program.pmtPID else { return }
    program = listed
    // A PMT that has begun on the old PID will not be completed.
    try completePMT(&window, &sink)
    rewriter = Self.rewriter(carriagePIDs, listed, isLive: liveStart != nil, following: rewriter)
  }

  /// Starts using the latest PMT of the program, if all of it is in the output.
  ///
  /// Readers of the output know the PMT only from here on. Earlier packets do not tell the time, and no tag may precede the PMT.
  ///
  /// - Returns: Whether the set of packets that matter has changed.
  mutating func useArrivedPMT(_ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) -> Bool {
    guard let pmt = arrivingPMT, !window.owesPMT, !window.isInsidePMT else { return false }
    arrivingPMT = nil
    if !isAnnounced { window.close(&sink) }
    isAnnounced = true
    pcrPID = pmt.pcrPID
    if liveStart != nil { followMedia(pmt) }
    if let reference = try Self.reference(pmt, besides: unreadablePIDs), reference.pid != tracker?.pid || reference.type != tracker?.type {
      tracker = AccessUnitTracker(reference, following: tracker, liveStart: liveStart)
    }
    return true
  }

  /// Checks whether a PMT of a live stream has other video or audio than the open segment.
  private mutating func followMedia(_ pmt: ProgramMapTable) {
    let streams = Set(pmt.streams.filter { $0.type.isVideo || $0.isAudio }.map { Medium(pid: $0.pid, type: $0.type) })
    latestMedia = streams
    media = media ?? streams
    guard media != streams else { return mediaChange = nil }
    let reference = pmt.referenceStream
    let isOther = reference?.pid != tracker?.pid || reference?.type != tracker?.type
    mediaChange = isOther || mediaChange == .reference ? .reference : .others
  }

  /// Returns, once, whether a segment with other video or audio begins with an access unit. If the same stream still tells the time, this waits for
  /// an access unit with which decoding can start.
  mutating func takeMediaChange(_ unit: AccessUnitTracker.AccessUnit) -> Bool {
    guard let change = mediaChange, change == .reference || unit.isRandomAccess else { return false }
    (media, mediaChange) = (latestMedia, nil)
    return true
  }

  // MARK: The PMT in the output

  /// Writes a packet of the PMT's PID to the output, rewritten if it carries the program's PMT.
  mutating func rewritePMT(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, _ window: inout OutputWindow,
    _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    if rewriter.isInterrupted(by: header, payload: packet.extracting(header.payload)) { try completePMT(&window, &sink) }
    switch try rewriter.push(header, packet) {
    case .repeated(let packets):
      // The repeat is one of the packet that was written last.
      if let latest = window.owesPMT ? packets.first : packets.last {
        window.repeatPMT(latest, insteadOf: unit, &sink)
      } else {
        window.write(TransportPacket.nullPacket, insteadOf: unit, &sink)
      }
    case .waiting: window.holdPMT(unit)
    case .complete(let packets):
      window.holdPMT(unit)
      window.completePMT(packets.flatMap { $0 }, at: clock, &sink)
    }
  }

  /// Signals with the next PMT that its counters do not continue the previous ones.
  mutating func announceDiscontinuity() { rewriter.isDiscontinuous = true }

  /// Ends a PMT that has begun, although only some of its packets have arrived.
  mutating func completePMT(_ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    window.completePMT(try rewriter.flush().flatMap { $0 }, at: clock, &sink)
  }

  // MARK: Access units

  /// Places an access unit at a time on the timeline given by another stream.
  mutating func place(_ unit: AccessUnitTracker.AccessUnit, at time: MediaTime) { tracker?.move(origin: unit.presentationTime - time) }

  /// Receives a packet of the stream that tells the time.
  ///
  /// - Returns: The access unit that starts in it, if one does and has a time.
  mutating func pushReference(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> AccessUnitTracker.AccessUnit? {
    if header.scrambling != 0, header.startsUnit { scrambledSince = scrambledSince ?? offset }
    guard let unit = tracker?.push(header, payload: payload) else { return nil }
    scrambledSince = nil
    clock = unit.decodingTime - (tracker?.start ?? unit.decodingTime)
    longestDelay = max(longestDelay, unit.presentationTime - unit.decodingTime)
    frameDuration = unit.frameDuration
    return unit
  }

  /// Returns the timeline origin, and the end of the program on its timeline.
  ///
  /// - Parameter hasPending: Whether events are still pending.
  /// - Throws: `noTimedStream`, `noAccessUnits` or `noStartingPoint`, or `scrambled` if that is why events could not be placed.
  func span(hasPending: Bool) throws(PacketStampingError) -> (origin: MediaTime, end: MediaTime) {
    if let tracker, let scrambledSince, origin == nil || hasPending { throw .scrambled(tracker.pid, offset: scrambledSince) }
    guard let tracker else { throw .noTimedStream(summary) }
    guard let origin, let end = tracker.end else { throw tracker.start == nil ? .noAccessUnits : .noStartingPoint }
    return (origin, end - origin)
  }
}
