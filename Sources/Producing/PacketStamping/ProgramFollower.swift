import Basics
import TransportStream

/// Follows the program that the events go into: its tables, the rewriting of its PMT, and the access units that tell its time.
struct ProgramFollower: Sendable {
  private(set) var program: ProgramAssociationTable.Program
  private(set) var stampedPMT: StampedPMT
  /// The program as its first PMT describes it.
  private let summary: ProgramSummary
  /// The PIDs that the start of the stream uses or announces.
  private let knownPIDs: Set<PID>
  private let unreadablePIDs: Set<PID>
  private var tables = ProgramTables()
  private var rewriter: TableRewriter<StampedTable>
  /// The PID of the program's PCR.
  private(set) var pcrPID: PID
  /// What the stream is that tells the time, as the first PMT says; `nil` where it has none.
  let referenceType: StreamType?
  /// The stream that tells the time; `nil` until a PMT announces it.
  private(set) var tracker: AccessUnitTracker?
  /// The latest PMT of the program, as long as not all of it is in the output: readers know it only then.
  private var arrivingPMT: ProgramMapTable?
  /// Whether readers know the program's PMT: before that no tag may come, even where the time is known from before.
  private(set) var isAnnounced = false
  /// Whether the program is in the PAT, or was not in any PAT yet.
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
  /// The video and audio of the segment that is open, and those of the latest PMT; `nil` before the first PMT of a live stream.
  private var media: Set<Medium>?
  private var latestMedia: Set<Medium>?
  /// Whether the video or audio of a live stream has become another one, which no segment begins with yet.
  private var mediaChange: MediaChange?

  /// A stream of video or audio. Its descriptors may change: they do not change the coding.
  private struct Medium: Hashable {
    var pid: PID
    var type: StreamType
  }

  /// How the video and audio of a live stream have changed.
  private enum MediaChange {
    /// The stream that tells the time is another one: its first access unit does not continue what came before.
    case reference
    /// Another stream has come, gone or changed.
    case others
  }

  /// Follows the program that a probe has found. Where a live stream goes on with other tables, its time is continued.
  init(_ probe: StreamProbe, liveStart: MediaTime? = nil, following previous: ProgramFollower? = nil) throws(PacketStampingError) {
    self.liveStart = liveStart
    tracker = previous?.tracker
    (media, latestMedia, mediaChange) = (previous?.media, previous?.latestMedia, previous?.mediaChange)
    let (program, pmt) = try probe.program()
    self.program = program
    pcrPID = pmt.pcrPID
    // Video that is announced and does not come, beside sound that does, tells no time. A live stream is not looked at for long enough.
    let comes = pmt.streams.contains { $0.isAudio && probe.usedPIDs.contains($0.pid) && !probe.unreadablePIDs.contains($0.pid) }
    let silent = pmt.streams.filter { $0.type.isVideo && !probe.usedPIDs.contains($0.pid) }.map { $0.pid }
    unreadablePIDs = comes && liveStart == nil ? probe.unreadablePIDs.union(silent) : probe.unreadablePIDs
    // Throws before anything was written, where no stream can tell the time.
    referenceType = try Self.reference(pmt, besides: unreadablePIDs)?.type
    summary = ProgramSummary(number: program.number, pmt: pmt)
    knownPIDs = probe.knownPIDs
    stampedPMT = try StampedPMT(for: pmt, usedPIDs: knownPIDs)
    rewriter = Self.rewriter(stampedPMT, program, isLive: liveStart != nil, following: previous?.rewriter)
  }

  private static func rewriter(
    _ stampedPMT: StampedPMT, _ program: ProgramAssociationTable.Program, isLive: Bool, following previous: TableRewriter<StampedTable>?
  ) -> TableRewriter<StampedTable> {
    let table = StampedTable(stampedPMT, program: program.number, raisesVersions: isLive, following: previous?.edit)
    var rewriter = TableRewriter(pid: program.pmtPID, table)
    rewriter.isDiscontinuous = previous?.isDiscontinuous ?? false
    return rewriter
  }

  /// The stream that tells the program's time, among those that can be read; `nil` where the PMT has none.
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

  /// The presentation time of the timeline origin; `nil` until it was found.
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

  /// The packets that matter to the program. Of the stream that tells the time only the starts of access units do, and jumps of its clock.
  var filter: PacketFilter {
    // Without access units, any packet has to show that too much is held.
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

  /// An access unit of the stream that tells the time, as what carries messages; `nil` where it can carry none.
  ///
  /// - Parameter timestamp: When it is presented, in 90 kHz ticks of 33 bits; `nil` for the next one.
  func carryingUnit(at timestamp: UInt64?) -> CarryingUnit? {
    guard let tracker, let codec = tracker.type.nalUnitCodec else { return nil }
    return CarryingUnit(pid: tracker.pid, codec: codec, timestamp: timestamp)
  }

  // MARK: Tables

  /// Follows the tables of the stream.
  ///
  /// - Parameter hasPending: Whether events are still to come.
  /// - Returns: Whether other packets than before matter now.
  /// - Throws: `programEnds` where the program leaves the PAT before its events, `pidClash` where another stream gets the PID of the events. In a live
  ///   stream whose own PMT announces that, the events move to another PID, with that very PMT.
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
        if let clash = stampedPMT.clash(with: pmt) {
          guard liveStart != nil, pmt.programNumber == program.number else { throw .pidClash(clash, offset: offset) }
          stampedPMT = try StampedPMT(for: pmt, usedPIDs: knownPIDs.union(stampedPMT.pids))
          rewriter.edit.move(to: stampedPMT)
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
      // A live stream may list it again: only then it is known what to follow.
      guard !wasListed || !(hasPending || liveStart != nil) else { throw .programEnds(program.number, offset: offset) }
      isListed = false
      return
    }
    // A program that comes back is a new one: readers have forgotten its time.
    isListed = isListed || !wasListed
    wasListed = true
    window.keepPMTBehind()
    guard listed.pmtPID != program.pmtPID else { return }
    program = listed
    // A PMT that has begun on the other PID does not end.
    try completePMT(&window, &sink)
    rewriter = Self.rewriter(stampedPMT, listed, isLive: liveStart != nil, following: rewriter)
  }

  /// Starts to use the latest PMT of the program, if all of it is in the output by now.
  ///
  /// Readers of the output know the PMT only from here on: earlier packets tell no time, and no tag may go in front of it.
  ///
  /// - Returns: Whether other packets than before matter now.
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

  /// Looks whether a PMT of a live stream has other video or audio than the segment that is open.
  private mutating func followMedia(_ pmt: ProgramMapTable) {
    let streams = Set(pmt.streams.filter { $0.type.isVideo || $0.isAudio }.map { Medium(pid: $0.pid, type: $0.type) })
    latestMedia = streams
    media = media ?? streams
    guard media != streams else { return mediaChange = nil }
    let reference = pmt.referenceStream
    let isOther = reference?.pid != tracker?.pid || reference?.type != tracker?.type
    mediaChange = isOther || mediaChange == .reference ? .reference : .others
  }

  /// Whether a segment with other video or audio begins with an access unit, once. Where the stream that tells the time goes on, that waits for one that
  /// decoding can start with.
  mutating func takeMediaChange(_ unit: AccessUnitTracker.AccessUnit) -> Bool {
    guard let change = mediaChange, change == .reference || unit.isRandomAccess else { return false }
    (media, mediaChange) = (latestMedia, nil)
    return true
  }

  // MARK: The PMT in the output

  /// Puts a packet of the PMT's PID into the output, rewritten where it carries the program's PMT.
  mutating func rewritePMT(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, _ window: inout OutputWindow,
    _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    if rewriter.isInterrupted(by: header) { try completePMT(&window, &sink) }
    switch try rewriter.push(header, packet) {
    case .repeated: window.write(TransportPacket.nullPacket, insteadOf: unit, &sink)
    case .waiting: window.holdPMT(unit)
    case .complete(let packets):
      window.holdPMT(unit)
      window.completePMT(packets.flatMap { $0 }, at: clock, &sink)
    }
  }

  /// Says with the next PMT that its counters do not continue those before.
  mutating func announceDiscontinuity() { rewriter.isDiscontinuous = true }

  /// Completes a PMT that has begun with what is there of it.
  mutating func completePMT(_ window: inout OutputWindow, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    window.completePMT(try rewriter.flush().flatMap { $0 }, at: clock, &sink)
  }

  // MARK: Access units

  /// Puts an access unit at a time on the timeline that another stream tells.
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

  /// The timeline origin, and the end of the program on its timeline.
  ///
  /// - Parameter hasPending: Whether events are still to come.
  /// - Throws: `noTimedStream`, `noAccessUnits` or `noStartingPoint`, or `scrambled` where that is why events could not be placed.
  func span(hasPending: Bool) throws(PacketStampingError) -> (origin: MediaTime, end: MediaTime) {
    if let tracker, let scrambledSince, origin == nil || hasPending { throw .scrambled(tracker.pid, offset: scrambledSince) }
    guard let tracker else { throw .noTimedStream(summary) }
    guard let origin, let end = tracker.end else { throw tracker.start == nil ? .noAccessUnits : .noStartingPoint }
    return (origin, end - origin)
  }
}
