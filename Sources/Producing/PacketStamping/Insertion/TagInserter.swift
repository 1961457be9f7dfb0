import Basics
import EventSchedule
import GameEvents
import TransportStream

/// Inserts the tags of a schedule between the packets of a stream whose program is known. Routes packets to the parts that follow the program, its
/// existing tags, and the schedule.
struct TagInserter: Sendable {
  /// What happened to a packet.
  enum Outcome: Sendable {
    /// It is unchanged, and is written together with the packets before it.
    case unchanged
    /// It is unchanged, but the packets before it, and new packets after those, are already written.
    case apart
    /// The packets before it have been written, and it has been dealt with.
    case finished
  }

  private let framing: PacketFramer.Framing
  private let replacesNullPackets: Bool
  private(set) var follower: ProgramFollower
  var placer: TagPlacer
  private var window: OutputWindow
  /// The null packets so far, which foretell those that may be replaced.
  private var nullPackets = NullPackets()
  /// Whether a tag may be due so soon that null packets are kept for it.
  private var expectsTag = true
  /// Whether the filter may no longer select the packets that matter.
  private var isFilterOutdated = false
  /// Decides where the segments of a live stream start; `nil` for a stream without segments, or if others decide.
  private var segments: SegmentClock?
  /// Tells how long tags wait for the next null packets of a live stream; `nil` if they do not.
  private var deadline: TagDeadline?
  /// Why the events of a live stream have moved to another PID.
  var clash: PacketStampingError?
  /// The access unit of a live stream that the latest packet starts.
  private var latestUnit: LiveAccessUnit?
  /// Whether another stream decides times, segments and copies, and what it decided for the next access unit.
  var isTold = false
  private var toldUnit: ToldUnit?

  init(_ probe: StreamProbe, replacesNullPackets: Bool = true) throws(PacketStampingError) {
    follower = try ProgramFollower(probe)
    placer = TagPlacer(probe.schedule, CarriageWriters(probe.options.carriages, follower.carriagePIDs, games: probe.schedule.games))
    if let counter = probe.firstCounters[placer.carriages.id3.pid] { placer.carriages.id3.start(at: counter) }
    framing = probe.framing
    self.replacesNullPackets = replacesNullPackets
    window = OutputWindow(try PacketEncapsulation(probe.units.span, framing: framing), probe.options.keepsRate ? .kept : .free)
    window.hasNullPackets = probe.usedPIDs.contains(TransportPacket.nullPID)
    if probe.options.carriages.contains(.messages), let type = streamWithoutSEI { throw .withoutMessages(type) }
  }

  /// Starts or continues a live stream, which is examined again if its tables have changed. If the rate must be kept, tags wait for the next null
  /// packets, and are added if those come too late.
  ///
  /// - Parameter start: The time on the timeline at which the stream begins, used if its time is not known yet.
  init(_ probe: StreamProbe, liveFrom start: MediaTime, _ segments: SegmentClock, following previous: TagInserter?)
    throws(PacketStampingError)
  {
    follower = try ProgramFollower(probe, liveStart: start, following: previous?.follower)
    let keepsRate = probe.options.keepsRate
    let carriages = CarriageWriters(probe.options.carriages, follower.carriagePIDs, games: [], following: previous?.placer.carriages)
    placer = TagPlacer(probe.schedule, carriages, following: previous?.placer, awaitsNullPackets: keepsRate)
    framing = probe.framing
    replacesNullPackets = false
    if keepsRate { deadline = previous?.deadline ?? TagDeadline() }
    window = OutputWindow(try PacketEncapsulation(probe.units.span, framing: framing), keepsRate ? .preferred : .free)
    window.hasNullPackets = probe.usedPIDs.contains(TransportPacket.nullPID)
    self.segments = previous?.segments ?? segments
  }

  /// Makes the next access unit of a live stream start a segment with a discontinuity.
  mutating func interrupt() {
    segments?.interrupt()
    announceDiscontinuity()
  }

  /// Signals with the next PMT and the next tag that their continuity counters do not continue the previous ones, which readers of a joined stream
  /// would take for damage.
  mutating func announceDiscontinuity() {
    follower.announceDiscontinuity()
    placer.carriages.announceDiscontinuity()
  }

  /// Returns the presentation and decoding times, in 90 kHz ticks of 33 bits, of the access unit that starts in a packet of the stream that tells the
  /// time.
  func timestamps(_ packet: Span<UInt8>) -> (presentation: UInt64, decoding: UInt64)? {
    guard follower.tellsTime(TransportPacket.pid(of: packet)), let header = try? TransportPacket(packet), header.startsUnit,
      header.scrambling == 0, let pes = try? PESHeader(packet.extracting(header.payload)), let time = pes.presentationTime
    else { return nil }
    return (time, pes.decodingTime ?? time)
  }

  /// Receives what another stream decided for the access unit that the next packet starts; `nil` if it decided nothing, and the access unit is left
  /// out. Writes the copies that go before the segment that the access unit starts.
  mutating func tell(_ unit: ToldUnit?, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    toldUnit = unit
    guard let copies = unit?.earlierCopies, !copies.isEmpty, let origin = follower.origin, follower.isListed, follower.isAnnounced else {
      return
    }
    try placer.queue(told: copies, in: follower.carryingUnit(at: nil), origin: origin)
    placer.place(at: position(0), before: nil, &window, &sink)
  }

  /// Returns, once, the access unit that the latest packet has started, with the copies before it; `nil` if it started none.
  mutating func takeAccessUnit() -> (unit: LiveAccessUnit, copies: [EventSchedule.TimedCopy])? {
    latestUnit.take().map { ($0, placer.latestCopies.take()) }
  }

  /// The numbers of packets that were added, and of null packets that were replaced.
  var counts: (added: Int, replaced: Int) { (window.added, window.replaced) }

  /// The packets that must be examined. The others are unchanged.
  var filter: PacketFilter {
    var filter = follower.filter
    placer.carriages.addInterests(to: &filter)
    let awaitsNullPackets = deadline != nil
    let wantsNullPackets = expectsTag || window.owesPMT || nullPackets.needsAll
    if awaitsNullPackets || replacesNullPackets && wantsNullPackets { filter[TransportPacket.nullPID] = .all }
    // The packets of the PCR's PID with an adaptation field.
    if awaitsNullPackets, filter[follower.pcrPID] == .none { filter[follower.pcrPID] = .unitStarts }
    return filter
  }

  /// Decides whether null packets are kept for a tag.
  private mutating func expectTag(_ isExpected: Bool) {
    isFilterOutdated = isFilterOutdated || isExpected != expectsTag
    expectsTag = isExpected
  }

  // MARK: Packets

  /// Receives consecutive whole packets of the input, each with its offset.
  mutating func push(
    _ units: Span<UInt8>, stride: Int, offset: (Int) -> Int, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    var runStart = 0
    var (start, number) = (0, 0)
    while start < units.count {
      let unit = units.extracting(start..<min(start + stride, units.count))
      if filter.wants(unit.extracting(framing.packetRange)) {
        switch try push(unit, offset: offset(number), after: units.extracting(runStart..<start), &filter, &sink) {
        case .unchanged: break
        case .apart: runStart = start
        case .finished: runStart = start + unit.count
        }
      }
      start += unit.count
      number += 1
    }
    try write(units.extracting(runStart..<start), &sink)
  }

  /// Writes unchanged packets.
  mutating func write(_ units: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    let wholeCount = units.count / framing.stride * framing.stride
    window.write(units.extracting(..<wholeCount), &sink)
    if window.isBlocked { try follower.completePMT(&window, &sink) }
    guard wholeCount < units.count else { return }
    window.write(window.completed(units.extracting(wholeCount...)).span, &sink)
  }

  /// Receives a packet to examine, after others that have not been written yet.
  ///
  /// - Parameter filter: Changed if other packets matter from now on.
  mutating func push(
    _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    guard unit.count == framing.stride else {
      let whole = window.completed(unit)
      return try push(whole.span, offset: offset, after: run, &filter, &sink)
    }
    // A PMT without an end must not hold back more bytes than allowed.
    if window.isBlocked { try follower.completePMT(&window, &sink) }
    // Without access units it is unknown how soon the next tag is due.
    if !expectsTag, placer.schedule.nextTime != nil, window.isOverdue(behind: run.count) { expectTag(true) }
    let outcome = try route(unit, offset: offset, after: run, &sink)
    try useArrivedPMT(&sink)
    if isFilterOutdated {
      filter = self.filter
      isFilterOutdated = false
    }
    return outcome
  }

  /// Adds the tags of a live stream that may no longer wait for null packets, before a packet to examine.
  mutating func addOverdue(before packet: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable) {
    guard deadline != nil, let header = try? TransportPacket(packet), !header.hasError else { return }
    if header.pid == follower.pcrPID, let adaptation = header.adaptation, let pcr = adaptation.pcr, let time = follower.unwrapped(pcr) {
      // Tags of the old clock do not wait for the new one.
      if adaptation.isDiscontinuous { addOwed(before: packet, &sink) }
      deadline?.push(time)
    }
    guard placer.owesPackets else { return }
    if follower.jumps(with: header, payload: packet.extracting(header.payload)) {
      addOwed(before: packet, &sink)
    } else {
      placer.addOwed(by: deadline, before: packet, &window, &sink)
    }
  }

  /// Adds all tags of a live stream that wait for null packets.
  mutating func addOwed(before next: Span<UInt8>?, _ sink: inout some ByteSink & ~Copyable) {
    placer.addOwed(by: nil, before: next, &window, &sink)
  }

  private mutating func useArrivedPMT(_ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    if try follower.useArrivedPMT(&window, &sink) { isFilterOutdated = true }
  }

  private mutating func route(
    _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    let packet = unit.extracting(framing.packetRange)
    let pid = TransportPacket.pid(of: packet)
    if pid == TransportPacket.nullPID { return try pushNull(unit, after: run, &sink) }
    let tellsTime = follower.tellsTime(pid)
    guard !tellsTime || AccessUnitTracker.concerns(packet) || pid == placer.carriages.sei.pidInsideUnit else { return .unchanged }
    guard let header = try? TransportPacket(packet), !header.hasError else { return .unchanged }
    if try follower.followTables(header, packet, offset: offset, hasPending: !placer.schedule.pending.isEmpty, &window, &sink) {
      isFilterOutdated = true
    }
    if let left = placer.carriages.move(to: follower.carriagePIDs) {
      clash = .pidClash(left, offset: offset)
      addOwed(before: unit, &sink)
    }
    if pid == follower.program.pmtPID {
      try write(run, &sink)
      try pushPMT(header, packet, of: unit, offset: offset, &sink)
      return .finished
    }
    if let stream = follower.carriagePIDs.stream(on: pid) {
      try write(run, &sink)
      guard stream.isReused else { throw .pidClash(pid, offset: offset) }
      try pushExisting(header, packet, of: unit, offset: offset, &sink)
      return .finished
    }
    return tellsTime ? try pushReference(header, unit, offset: offset, after: run, &sink) : .unchanged
  }

  private mutating func pushNull(
    _ unit: Span<UInt8>, after run: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    window.hasNullPackets = true
    let packet = unit.extracting(framing.packetRange)
    let wasLearning = nullPackets.isLearning
    let isForetold = nullPackets.push(packet)
    isFilterOutdated = isFilterOutdated || wasLearning != nullPackets.isLearning
    // If no packet may be added, those that nothing foretells are better than none.
    guard isForetold || NullPackets.isPlain(packet) && (deadline != nil || window.rate == .kept && !wasLearning) else { return .unchanged }
    let owedPMT = window.owesPMT
    guard deadline == nil || owedPMT || placer.owesPackets else { return .unchanged }
    try write(run, &sink)
    if !owedPMT, let packet = placer.popOwed() {
      window.replaceNull(unit, with: packet, &sink)
      return .finished
    }
    window.writeNull(unit, &sink)
    if owedPMT, !window.owesPMT { isFilterOutdated = true }
    return .finished
  }

  private mutating func pushPMT(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    guard window.placeOwedPMT(at: follower.clock, before: unit, mayWait: false, &sink) else { throw .noNullPacketForPMT(offset: offset) }
    // If a longer PMT finds no null packets, the next one is owed at once. Readers know the program by the one that is complete.
    if deadline != nil, !follower.isAnnounced { try useArrivedPMT(&sink) }
    try follower.rewritePMT(header, packet, of: unit, &window, &sink)
    if !replacesNullPackets, deadline == nil, !window.isInsidePMT { _ = window.placeOwedPMT(at: follower.clock, before: nil, &sink) }
    if window.owesPMT { isFilterOutdated = true }
  }

  /// Receives a packet of the existing ID3 stream of the program. It is written with its continuity counter among the new packets. The second of two
  /// equal packets becomes a null packet if new packets lie between them. If no packet may be added and null packets before it are free, it may move
  /// forward to make room for later tags. If tags wait for null packets, they take its place, and it waits after them.
  private mutating func pushExisting(
    _ header: TransportPacket, _ packet: Span<UInt8>, of unit: Span<UInt8>, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    let received = try placer.carriages.id3.existing.push(header, packet, offset: offset)
    guard !received.isRepeat || placer.carriages.id3.canRepeat else {
      return window.write(TransportPacket.nullPacket, insteadOf: unit, &sink)
    }
    placer.carriages.id3.skipCounters(received.gap)
    for timestamp in received.timestamps {
      if let time = follower.time(of: timestamp) { placer.recordThirdPartyTag(at: time) }
    }
    if received.mayFollowTags {
      placer.place(at: .init(offset: offset, latestTime: follower.latestTime), before: unit, &window, &sink)
    }
    let renumbered = placer.carriages.id3.renumbered(packet)
    guard ExistingStream.isBound(packet) else {
      guard placer.owesPackets else { return window.writeTag(renumbered, insteadOf: unit, &sink) }
      placer.owe(existing: renumbered)
      if let first = placer.popOwed() { window.write(first, insteadOf: unit, &sink) }
      return
    }
    addOwed(before: unit, &sink)
    window.close(&sink)
    window.write(renumbered, insteadOf: unit, &sink)
  }

  /// Receives a packet of the stream that tells the time, and places the tags that go before its access unit.
  private mutating func pushReference(
    _ header: TransportPacket, _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    var outcome = Outcome.unchanged
    if window.owesPMT, header.startsUnit {
      try write(run, &sink)
      outcome = .apart
      guard window.placeOwedPMT(at: follower.clock, before: unit, &sink) else { throw .noNullPacketForPMT(offset: offset) }
      try useArrivedPMT(&sink)
    }
    guard follower.tracker?.pid == header.pid else { return outcome }
    // The time of a scrambled access unit is unknown, as are the times of those after it.
    if header.scrambling != 0, header.startsUnit, placer.schedule.nextTime != nil { expectTag(true) }
    let payload = unit.extracting(framing.packetRange).extracting(header.payload)
    let isOther = try placer.carriages.sei.follow(header, payload: payload, of: follower.tracker?.type, offset: offset)
    isFilterOutdated = isFilterOutdated || isOther
    guard let accessUnit = follower.pushReference(header, payload: payload, offset: offset) else { return outcome }
    window.advance(to: follower.clock, behind: outcome == .unchanged ? run.count : 0, &sink)
    let told = toldUnit.take()
    if isTold {
      guard let told else { return outcome }
      follower.place(accessUnit, at: told.time)
    }
    guard let origin = follower.origin, follower.isListed, follower.isAnnounced else { return outcome }
    let time = accessUnit.presentationTime - origin
    try placer.roomSearch?.push(time, freeCount: window.freeCount)
    guard placer.roomSearch == nil else { return outcome }
    placer.carriages.id3.existing.recordAccessUnit()
    startLiveUnit(accessUnit, time, told)
    let carrying = follower.carryingUnit(at: TimestampUnwrapper.timestamp(of: accessUnit.presentationTime))
    if let told {
      try placer.queue(told: told.copies, in: carrying, origin: origin)
    } else {
      try placer.queueCopies(before: .init(time: time, duration: accessUnit.frameDuration), in: carrying, origin: origin)
    }
    if placer.carriages.isWaiting {
      if outcome == .unchanged { try write(run, &sink) }
      outcome = .apart
      placer.place(at: position(offset), before: unit, &window, &sink)
    }
    deadline?.pushUnit(follower.clock)
    if deadline != nil { placer.addOwed(by: deadline, before: unit, &window, &sink) }
    let margin = window.longestStep.map { follower.longestDelay + OutputWindow.longestWait + $0 + accessUnit.frameDuration }
    expectTag(placer.expectsTag(after: accessUnit.decodingTime - origin, margin: margin))
    return outcome
  }

  /// Returns the position of new tags before a packet at this offset.
  private func position(_ offset: Int) -> TagPlacer.Position {
    .init(offset: offset, latestTime: follower.latestTime, isInsideTag: placer.carriages.id3.existing.isInsideTag)
  }

  /// The type of the stream that tells the time if its access units cannot have SEI messages; `nil` if they can.
  var streamWithoutSEI: StreamType? { follower.referenceType.flatMap { $0.nalUnitCodec == nil ? $0 : nil } }

  // MARK: Segments and the end

  /// Records an access unit of a live stream, which may start a segment.
  private mutating func startLiveUnit(_ unit: AccessUnitTracker.AccessUnit, _ time: MediaTime, _ told: ToldUnit?) {
    guard var segments else { return }
    let hasJumped = follower.tracker?.lastJump != nil
    if hasJumped { announceDiscontinuity() }
    let isOther = follower.takeMediaChange(unit)
    let boundary =
      isTold
      ? told?.boundary
      : segments.push(time, isRandomAccess: unit.isRandomAccess, hasJumped: hasJumped || isOther, frameDuration: unit.frameDuration)
    self.segments = segments
    if boundary != nil { placer.startSegment() }
    latestUnit = LiveAccessUnit(
      time: time, presentationTime: unit.presentationTime, decodingTime: unit.decodingTime, frameDuration: unit.frameDuration,
      isRandomAccess: unit.isRandomAccess, boundary: boundary, targetDuration: segments.targetDuration)
  }

  /// Writes the held packets of a live stream whose packets are passed unchanged from now on.
  mutating func release(_ sink: inout some ByteSink & ~Copyable) {
    addOwed(before: nil, &sink)
    // An incomplete PMT would need packets that are no longer examined.
    do throws(PacketStampingError) { try follower.completePMT(&window, &sink) } catch {}
    window.flush(&sink)
  }

  /// Ends a segment at a time on the timeline, and writes the tags of events between its last access unit and its end.
  mutating func endSegment(at end: MediaTime, offset: Int, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard let origin = follower.origin else { return }
    try placer.queueCopies(ofSegmentEndingAt: end, in: follower.carryingUnit(at: nil), origin: origin)
    placer.place(at: position(offset), before: nil, &window, &sink)
    window.flush(&sink)
  }

  /// Writes what is left at the end of the stream.
  ///
  /// - Parameter knownEnd: When the programme ends, if others know it. A short one may be a single PES packet of many audio frames, of which only the
  ///   first has a time.
  mutating func finish(
    at offset: Int, endingAt knownEnd: MediaTime? = nil, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> PacketStamper.Report {
    try placer.carriages.finish()
    try follower.completePMT(&window, &sink)
    guard window.placeOwedPMT(at: follower.clock, before: nil, mayWait: false, &sink) else { throw .noNullPacketForPMT(offset: offset) }
    let (origin, measured) = try follower.span(hasPending: !placer.schedule.pending.isEmpty)
    let isSound = follower.tracker?.type.isVideo == false
    // Every picture has its own time.
    let end = isSound ? knownEnd ?? measured : min(measured, knownEnd ?? measured)
    if let roomSearch = placer.roomSearch { throw roomSearch.failure }
    if follower.isListed {
      try placer.queueCopies(ofStreamEndingAt: max(end, measured), frameDuration: follower.frameDuration, origin: origin)
    }
    placer.place(at: .init(offset: offset, latestTime: follower.latestTime), before: nil, &window, &sink)
    if let roomSearch = placer.roomSearch { throw roomSearch.failure }
    window.flush(&sink)
    var report = placer.report
    report.end = end
    report.replacedPackets = window.replaced
    report.addedPackets = window.added
    return report
  }
}
