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

  let framing: PacketFramer.Framing
  let replacesNullPackets: Bool
  var follower: ProgramFollower
  var placer: TagPlacer
  var window: OutputWindow
  /// The null packets so far, which foretell those that may be replaced.
  var nullPackets = NullPackets()
  /// Whether a tag may be due so soon that null packets are kept for it.
  var expectsTag = true
  /// Whether the filter may no longer select the packets that matter.
  var isFilterOutdated = false
  /// Decides where the segments of a live stream start; `nil` for a stream without segments, or if others decide.
  var segments: SegmentClock?
  /// Tells how long tags wait for the next null packets of a live stream; `nil` if they do not.
  var deadline: TagDeadline?
  /// Why the events of a live stream have moved to another PID.
  var clash: PacketStampingError?
  /// The access unit of a live stream that the latest packet starts.
  var latestUnit: LiveAccessUnit?
  /// Whether another stream decides times, segments and copies, and what it decided for the next access unit.
  var isTold = false
  var toldUnit: ToldUnit?

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
  mutating func expectTag(_ isExpected: Bool) {
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
    if !expectsTag, placer.schedule.nextTime != nil, window.isOverdue(after: run.count) { expectTag(true) }
    let outcome = try route(unit, offset: offset, after: run, &sink)
    try useArrivedPMT(&sink)
    if isFilterOutdated {
      filter = self.filter
      isFilterOutdated = false
    }
    return outcome
  }

  mutating func useArrivedPMT(_ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
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

  /// The type of the stream that tells the time if its access units cannot have SEI messages; `nil` if they can.
  var streamWithoutSEI: StreamType? { follower.referenceType.flatMap { $0.nalUnitCodec == nil ? $0 : nil } }
}
