import ByteCursor
import EventSchedule
import GameEvents
import ID3
import MediaTime
import TransportStream

/// Puts the tags of a schedule between the packets of a stream whose program is known.
struct TagInserter: Sendable {
  /// What became of a packet.
  enum Outcome: Sendable {
    /// Nothing: it goes through with those before it.
    case unchanged
    /// Those before it were handed on, and something behind them; it goes through.
    case apart
    /// Those before it were handed on, and it was taken care of.
    case taken
  }

  var schedule: EventSchedule
  var program: ProgramAssociation.Program
  let stampedMap: StampedMap
  var tables = ProgramTables()
  var tracker: AccessUnitTracker
  var rewriter: MapRewriter
  var window: OutputWindow
  /// Whether the association has the program.
  var isListed = true
  let unreadablePIDs: Set<PID>
  private let replacesNullPackets: Bool
  private let framing: PacketFramer.Framing
  private var existing = ExistingTags()
  /// The PES packets of the ID3 stream that the program had, to see whether they carry a game of the schedule.
  private var existingPackets = PESAssembler()
  private let games: Set<GameID>
  /// The counter of the latest packet of the ID3 stream that the program had, as it came.
  private var existingCounter: UInt8?
  /// PES packets of tags, with their times, that wait until a tag of the input on the same PID is complete.
  private var waiting: [(time: MediaTime, unit: [UInt8])] = []
  private var counter: UInt8 = 0
  private var report = PacketStamper.Report()
  private var frameDuration = MediaTime.zero
  private var isSegmentStarting = false
  /// The decoding time of the latest access unit, since the start.
  private(set) var clock = MediaTime.zero
  /// The most that an access unit is presented after it is decoded.
  private var longestDelay = MediaTime.zero
  /// Whether a tag may come so soon that null packets are kept for it.
  private var expectsTag = true
  /// Where the stream that tells the time began to be scrambled.
  private var scrambledSince: Int?

  init(_ beginning: Beginning, replacesNullPackets: Bool = true) throws(PacketStampingError) {
    let (program, map) = try beginning.program()
    self.program = program
    unreadablePIDs = beginning.unreadablePIDs
    tracker = AccessUnitTracker(try Self.reference(map, besides: unreadablePIDs))
    schedule = beginning.schedule
    games = beginning.schedule.games
    stampedMap = try StampedMap(for: map, usedPIDs: beginning.knownPIDs)
    rewriter = MapRewriter(stampedMap, program: program)
    framing = beginning.framing
    self.replacesNullPackets = replacesNullPackets
    window = OutputWindow(try PacketDressing(beginning.units.span, framing: framing), keepsRate: beginning.options.keepsRate)
  }

  /// The stream that tells the program's time, among those that can be read.
  static func reference(
    _ map: ProgramMap, besides unreadable: Set<PID>
  ) throws(PacketStampingError) -> ProgramMap.ElementaryStream {
    var readable = map
    readable.streams = map.streams.filter { !unreadable.contains($0.pid) }
    if let reference = readable.referenceStream { return reference }
    guard let hidden = map.referenceStream else { throw .noAccessUnits }
    throw .scrambled(hidden.pid, offset: nil)
  }

  /// The packets that can mean anything here. Of the stream that tells the time only the starts of access units do, and jumps of its clock.
  func filter() -> PacketFilter {
    var filter = PacketFilter(.none)
    filter[tracker.pid] = .unitStarts
    for pid in tables.pids { filter[pid] = .all }
    filter[program.mapPID] = .all
    filter[stampedMap.pid] = .all
    if replacesNullPackets, expectsTag || window.owesMap { filter[TransportPacket.nullPID] = .all }
    return filter
  }

  // MARK: Packets

  /// Takes whole packets of the input that lie one after another, of which each starts at its offset.
  mutating func push(
    _ units: Span<UInt8>, stride: Int, offset: (Int) -> Int, _ filter: inout PacketFilter, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    var runStart = 0
    var (start, number) = (0, 0)
    while start < units.count {
      let unit = units.extracting(start..<min(start + stride, units.count))
      if filter.wants(unit.extracting(framing.packetRange)) {
        switch try take(unit, offset: offset(number), after: units.extracting(runStart..<start), &filter, emit) {
        case .unchanged: break
        case .apart: runStart = start
        case .taken: runStart = start + unit.count
        }
      }
      start += unit.count
      number += 1
    }
    pass(units.extracting(runStart..<start), emit)
  }

  /// Takes packets that go through as they came.
  mutating func pass(_ units: Span<UInt8>, _ emit: (Span<UInt8>) -> Void) { window.pass(units, emit) }

  /// Takes a packet, with what is around it, that lies behind others that were not handed on yet.
  mutating func take(
    _ unit: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) -> Outcome {
    let packet = unit.extracting(framing.packetRange)
    let pid = TransportPacket.pid(of: packet)
    if pid == TransportPacket.nullPID { return takeNull(unit, after: run, &filter, emit) }
    guard pid != tracker.pid || AccessUnitTracker.concerns(packet) || tables.follows(pid) || pid == stampedMap.pid else { return .unchanged }
    guard let header = try? TransportPacket(packet), !header.hasError else { return .unchanged }
    if tables.follows(pid), try followTables(header, packet, offset: offset, emit) { filter = self.filter() }
    switch pid {
    case program.mapPID:
      pass(run, emit)
      try takeMap(header, unit, offset: offset, emit)
      if window.owesMap { filter = self.filter() }
      return .taken
    case stampedMap.pid:
      pass(run, emit)
      try passExisting(header, unit, offset: offset, emit)
      return .taken
    case tracker.pid: return try takeReference(header, unit, offset: offset, after: run, &filter, emit)
    default: return .unchanged
    }
  }

  private mutating func takeNull(
    _ unit: Span<UInt8>, after run: Span<UInt8>, _ filter: inout PacketFilter, _ emit: (Span<UInt8>) -> Void
  ) -> Outcome {
    let start = framing.packetStart
    // Damaged ones stay as they are, and so does what has an adaptation field, which null packets have not; a packet that is cut off has no place.
    guard unit[start + 1] & 0x80 == 0, unit[start + 3] & 0x30 == 0x10, unit.count == framing.stride, !existing.isInsideTag else {
      return .unchanged
    }
    let owedMap = window.owesMap
    pass(run, emit)
    window.passNull(unit, at: clock, emit)
    if owedMap, !window.owesMap { filter = self.filter() }
    return .taken
  }

  private mutating func takeMap(
    _ header: TransportPacket, _ unit: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    guard window.settleMap(at: clock, before: unit, mayWait: false, emit) else { throw .noNullPacketForMap(offset: offset) }
    switch try rewriter.push(header, unit.extracting(framing.packetRange)) {
    case .repeated: window.passNull(insteadOf: unit, emit)
    case .waiting: window.passMap(unit)
    case .complete(let packets):
      window.passMap(unit)
      window.completeMap(packets, at: clock, emit)
      if !replacesNullPackets { _ = window.settleMap(at: clock, before: nil, emit) }
    }
  }

  private mutating func takeReference(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter,
    _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) -> Outcome {
    let payload = packet.extracting(framing.packetRange).extracting(header.payload)
    if header.scrambling != 0, header.startsUnit { scrambledSince = scrambledSince ?? offset }
    guard let unit = tracker.push(header, payload: payload) else { return .unchanged }
    scrambledSince = nil
    clock = unit.decodingTime - (tracker.start ?? unit.decodingTime)
    longestDelay = max(longestDelay, unit.presentationTime - unit.decodingTime)
    window.advance(to: clock, emit)
    var outcome = Outcome.unchanged
    if window.owesMap || window.isBlocked {
      pass(run, emit)
      outcome = .apart
      if window.isBlocked { window.completeMap(try rewriter.flush(), at: clock, emit) }
      guard window.settleMap(at: clock, before: packet, emit) else { throw .noNullPacketForMap(offset: offset) }
    }
    guard let zero = tracker.zero, isListed else { return outcome }
    let copies = try copies(before: unit, zero: zero)
    if !copies.isEmpty || !waiting.isEmpty {
      if outcome == .unchanged { pass(run, emit) }
      outcome = .apart
      try insert(copies, zero: zero, before: packet, offset: offset, emit)
    }
    let expected = isTagExpected(after: unit, zero: zero)
    if expected != expectsTag {
      expectsTag = expected
      filter = self.filter()
    }
    return outcome
  }

  /// Whether a tag may come so soon after an access unit that null packets have to be kept for it from here on.
  private func isTagExpected(after unit: AccessUnitTracker.AccessUnit, zero: MediaTime) -> Bool {
    guard let next = schedule.nextTime else { return false }
    return next <= unit.decodingTime - zero + longestDelay + OutputWindow.longestWait + frameDuration + frameDuration
  }

  private mutating func copies(
    before unit: AccessUnitTracker.AccessUnit, zero: MediaTime
  ) throws(PacketStampingError) -> [EventSchedule.TimedCopy] {
    frameDuration = unit.frameDuration
    existing.passUnit()
    if isSegmentStarting {
      schedule.startSegment(at: unit.presentationTime - zero)
      isSegmentStarting = false
    }
    return try copies { (schedule) throws(EventError) in
      try schedule.copies(before: .init(time: unit.presentationTime - zero, duration: unit.frameDuration))
    }
  }

  private mutating func copies(
    _ body: (inout EventSchedule) throws(EventError) -> [EventSchedule.TimedCopy]
  ) throws(PacketStampingError) -> [EventSchedule.TimedCopy] {
    do throws(EventError) {
      return try body(&schedule)
    } catch {
      throw .event(error)
    }
  }

  // MARK: Segments and the end

  /// Starts a segment with the next access unit.
  mutating func startSegment() { isSegmentStarting = true }

  /// Ends a segment at a time of the programme, and emits the tags of events between its last access unit and that.
  mutating func endSegment(at end: MediaTime, offset: Int, _ emit: (Span<UInt8>) -> Void) throws(PacketStampingError) {
    guard let zero = tracker.zero else { return }
    let copies = try copies { (schedule) throws(EventError) in try schedule.endSegment(at: end) }
    try insert(copies, zero: zero, before: nil, offset: offset, emit)
    window.flush(emit)
  }

  /// Emits what is left at the end of the stream.
  mutating func finish(at offset: Int, _ emit: (Span<UInt8>) -> Void) throws(PacketStampingError) -> PacketStamper.Report {
    window.completeMap(try rewriter.flush(), at: clock, emit)
    guard window.settleMap(at: clock, before: nil, mayWait: false, emit) else { throw .noNullPacketForMap(offset: offset) }
    if let scrambledSince, tracker.zero == nil || !schedule.unplaced.isEmpty { throw .scrambled(tracker.pid, offset: scrambledSince) }
    guard let zero = tracker.zero, let end = tracker.end else { throw .noAccessUnits }
    let (programmeEnd, duration) = (end - zero, frameDuration)
    existing = ExistingTags()
    let copies =
      isListed ? try copies { (schedule) throws(EventError) in try schedule.finish(at: programmeEnd, frameDuration: duration) } : []
    try insert(copies, zero: zero, before: nil, offset: offset, emit)
    window.flush(emit)
    report.end = programmeEnd
    report.replacedPackets = window.replaced
    report.addedPackets = window.added
    return report
  }

  // MARK: Tags

  private mutating func insert(
    _ copies: [EventSchedule.TimedCopy], zero: MediaTime, before next: Span<UInt8>?, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    for copy in copies {
      do throws(ParseError) {
        // The sum may lie beyond a wrap of the clock; the header takes what fits 33 bits.
        let time = UInt64(bitPattern: (zero + copy.time).ticks)
        waiting.append((copy.time, try PESHeader.timedID3Packet(copy.tag, presentationTime: time)))
      } catch {
        throw .event(.tag(error))
      }
      report.copies += 1
      if copy.copy.copy == 1 { report.events += 1 }
    }
    try emitWaiting(before: next, offset: offset, emit)
  }

  private mutating func emitWaiting(
    before next: Span<UInt8>?, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    guard !waiting.isEmpty, !existing.isInsideTag else { return }
    for (time, unit) in waiting {
      let packets = TransportPacket.packets(carrying: unit, pid: stampedMap.pid, counter: &counter)
      let pieces = stride(from: 0, to: packets.count, by: TransportPacket.size).map { Array(packets[$0..<$0 + TransportPacket.size]) }
      guard window.place(pieces, before: next, emit) else { throw .noNullPacket(at: time, offset: offset) }
    }
    waiting = []
  }

  /// Passes a packet of the ID3 stream that the program had before, with the continuity counter that it has among the inserted ones. Missing
  /// packets stay a gap in the counters, so that readers still notice them; of packets that come twice the second becomes a null packet.
  private mutating func passExisting(
    _ header: TransportPacket, _ unit: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    guard stampedMap.isReused else { throw .pidClash(stampedMap.pid, offset: offset) }
    if header.hasPayload {
      if let last = existingCounter, header.adaptation?.isDiscontinuous != true {
        guard header.continuityCounter != last else { return window.passNull(insteadOf: unit, emit) }
        counter = (counter &+ header.continuityCounter &- last &- 1) & 0x0F
      }
      existingCounter = header.continuityCounter
    }
    let packet = unit.extracting(framing.packetRange)
    let payload = packet.extracting(header.payload)
    for case .packet(let unit) in existingPackets.push(header, payload: payload, offset: offset) {
      try checkGame(unit)
      guard let zero = tracker.zero, let time = try? PESHeader(unit.bytes.span).presentationTime else { continue }
      schedule.pass(tracker.unwrapper.peek(time) - zero)
    }
    if header.startsUnit {
      existing.startPacket(payload)
      try emitWaiting(before: unit, offset: offset, emit)
    }
    existing.push(header, payload: payload)
    window.close(emit)
    var renumbered = [UInt8](copying: packet)
    renumbered[3] = renumbered[3] & 0xF0 | (header.hasPayload ? counter : (counter &+ 15) & 0x0F)
    if header.hasPayload { counter = (counter + 1) & 0x0F }
    window.pass(renumbered, insteadOf: unit, emit)
    try emitWaiting(before: nil, offset: offset, emit)
  }

  /// Throws where a PES packet of the input carries an event of a game that is being stamped: its copies would contradict the new ones.
  private func checkGame(_ unit: PESAssembler.Packet) throws(PacketStampingError) {
    guard let header = try? PESHeader(unit.bytes.span), let size = ID3Tag.encodedLength(unit.bytes.span.extracting(header.size...)),
      size <= unit.bytes.count - header.size, let tag = try? ID3Tag.decode(unit.bytes.span.extracting(header.size..<header.size + size))
    else { return }
    for case .success(let copy) in EventCopy.copies(in: tag) where games.contains(copy.event.gameID) {
      throw .alreadyStamped(copy.event.gameID, offset: unit.offset)
    }
  }
}
