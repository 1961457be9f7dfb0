import ByteCursor
import EventSchedule
import GameEvents
import ID3
import MediaTime
import TransportStream

/// Puts the tags of a schedule between the packets of a stream whose program is known.
struct TagInserter: Sendable {
  private(set) var schedule: EventSchedule
  private let program: ProgramAssociation.Program
  private let stampedMap: StampedMap
  private var tables = ProgramTables()
  private var tracker: AccessUnitTracker
  private var rewriter: MapRewriter
  private var existing = ExistingTags()
  /// The PES packets of the ID3 stream that the program had, to see whether they carry a game of the schedule.
  private var existingPackets = PESAssembler()
  private let games: Set<GameID>
  /// The counter of the latest packet of the ID3 stream that the program had, as it came.
  private var existingCounter: UInt8?
  /// PES packets of tags that wait until a tag of the input on the same PID is complete.
  private var waiting: [[UInt8]] = []
  private var counter: UInt8 = 0
  private var report = PacketStamper.Report()
  private var frameDuration = MediaTime.zero
  private var isSegmentStarting = false

  init(_ beginning: Beginning) throws(PacketStampingError) {
    let programs = beginning.tables.association?.programs ?? []
    guard programs.count < 2 else { throw .severalPrograms(programs.count) }
    guard let program = programs.first, let map = beginning.tables.maps[program.number] else { throw .noProgram }
    guard let reference = map.referenceStream else { throw .noAccessUnits }
    self.program = program
    schedule = beginning.schedule
    games = beginning.schedule.games
    stampedMap = try StampedMap(for: map, usedPIDs: beginning.usedPIDs)
    tracker = AccessUnitTracker(reference)
    rewriter = MapRewriter(stampedMap, program: program)
  }

  /// Starts a segment with the next access unit.
  mutating func startSegment() { isSegmentStarting = true }

  /// Ends a segment at a time of the programme, and emits the tags of events between its last access unit and that.
  mutating func endSegment(at end: MediaTime, _ emit: (Span<UInt8>) -> Void) throws(PacketStampingError) {
    guard let zero = tracker.zero else { return }
    try insert(try copies { (schedule) throws(EventError) in try schedule.endSegment(at: end) }, zero: zero, emit)
  }

  /// Takes packets of the input, the first of which starts at `offset`, and emits them with what goes before them.
  ///
  /// What lies between two changes is emitted in one piece: a stream has thousands of packets a second, and a change about ten times.
  mutating func push(_ packets: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void) throws(PacketStampingError) {
    var emitted = 0
    var start = 0
    while start < packets.count {
      let end = start + TransportPacket.size
      let packet = packets.extracting(start..<end)
      if concerns(packet), let header = try? TransportPacket(packet), !header.hasError {
        let isKept = try take(header, packet, offset: offset + start) { changed in
          if emitted < start { emit(packets.extracting(emitted..<start)) }
          emitted = start
          emit(changed)
        }
        if !isKept {
          if emitted < start { emit(packets.extracting(emitted..<start)) }
          emitted = end
        }
      }
      start = end
    }
    if emitted < start { emit(packets.extracting(emitted..<start)) }
  }

  /// Whether a packet can mean anything here. Of the stream that tells the time only the starts of access units do, and jumps of its clock.
  private func concerns(_ packet: Span<UInt8>) -> Bool {
    let pid = TransportPacket.pid(of: packet)
    if pid == program.mapPID || pid == stampedMap.pid || pid == ProgramAssociation.pid { return true }
    return pid == tracker.pid && AccessUnitTracker.concerns(packet)
  }

  /// Takes a packet, and emits what goes before it or, where that is not the packet itself, in its place.
  ///
  /// - Returns: Whether the packet itself is to be emitted afterwards.
  private mutating func take(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) -> Bool {
    if tables.follows(header.pid) { try followTables(header, packet, offset: offset) }
    switch header.pid {
    case program.mapPID:
      let packets = try rewriter.push(header, packet)
      if !packets.isEmpty { emit(packets.span) }
      return false
    case stampedMap.pid:
      try passExisting(header, packet, offset: offset, emit)
      return false
    case tracker.pid:
      if let unit = tracker.push(header, payload: packet.extracting(header.payload)), let zero = tracker.zero {
        try pass(unit, zero: zero, emit)
      }
      return true
    default: return true
    }
  }

  /// Emits the tags that go before an access unit.
  private mutating func pass(
    _ unit: AccessUnitTracker.AccessUnit, zero: MediaTime, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    frameDuration = unit.frameDuration
    existing.passUnit()
    if isSegmentStarting {
      schedule.startSegment(at: unit.presentationTime - zero)
      isSegmentStarting = false
    }
    let copies = try copies { (schedule) throws(EventError) in
      try schedule.copies(before: .init(time: unit.presentationTime - zero, duration: unit.frameDuration))
    }
    try insert(copies, zero: zero, emit)
  }

  /// Emits what is left at the end of the stream.
  mutating func finish(_ emit: (Span<UInt8>) -> Void) throws(PacketStampingError) -> PacketStamper.Report {
    let unfinished = try rewriter.flush()
    emit(unfinished.span)
    guard let zero = tracker.zero, let end = tracker.end else { throw .noAccessUnits }
    let (programmeEnd, duration) = (end - zero, frameDuration)
    existing = ExistingTags()
    let copies = try copies { (schedule) throws(EventError) in try schedule.finish(at: programmeEnd, frameDuration: duration) }
    try insert(copies, zero: zero, emit)
    report.end = programmeEnd
    return report
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

  // MARK: Tags

  private mutating func insert(
    _ copies: [EventSchedule.TimedCopy], zero: MediaTime, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    for copy in copies {
      do throws(ParseError) {
        // The sum may lie beyond a wrap of the clock; the header takes what fits 33 bits.
        let time = UInt64(bitPattern: (zero + copy.time).ticks)
        waiting.append(try PESHeader.timedID3Packet(copy.tag, presentationTime: time))
      } catch {
        throw .event(.tag(error))
      }
      report.copies += 1
      if copy.copy.copy == 1 { report.events += 1 }
    }
    emitWaiting(emit)
  }

  private mutating func emitWaiting(_ emit: (Span<UInt8>) -> Void) {
    guard !existing.isInsideTag else { return }
    for unit in waiting {
      let packets = TransportPacket.packets(carrying: unit, pid: stampedMap.pid, counter: &counter)
      emit(packets.span)
    }
    waiting = []
  }

  /// Passes a packet of the ID3 stream that the program had before, with the continuity counter that it has among the inserted ones. Missing
  /// packets stay a gap in the counters, so that readers still notice them; of packets that come twice the second is left out.
  private mutating func passExisting(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, _ emit: (Span<UInt8>) -> Void
  ) throws(PacketStampingError) {
    guard stampedMap.isReused else { throw .pidClash(stampedMap.pid, offset: offset) }
    if header.hasPayload {
      if let last = existingCounter, header.adaptation?.isDiscontinuous != true {
        guard header.continuityCounter != last else { return }
        counter = (counter &+ header.continuityCounter &- last &- 1) & 0x0F
      }
      existingCounter = header.continuityCounter
    }
    let payload = packet.extracting(header.payload)
    for case .packet(let unit) in existingPackets.push(header, payload: payload, offset: offset) {
      try checkGame(unit)
      guard let zero = tracker.zero, let time = try? PESHeader(unit.bytes.span).presentationTime else { continue }
      schedule.pass(tracker.unwrapper.peek(time) - zero)
    }
    if header.startsUnit {
      existing.startPacket(payload)
      emitWaiting(emit)
    }
    existing.push(header, payload: payload)
    var renumbered = [UInt8](copying: packet)
    renumbered[3] = renumbered[3] & 0xF0 | (header.hasPayload ? counter : (counter &+ 15) & 0x0F)
    if header.hasPayload { counter = (counter + 1) & 0x0F }
    emit(renumbered.span)
    emitWaiting(emit)
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

  // MARK: Tables

  private mutating func followTables(_ header: TransportPacket, _ packet: Span<UInt8>, offset: Int) throws(PacketStampingError) {
    for change in tables.push(header, payload: packet.extracting(header.payload)) {
      switch change {
      case .association(let table):
        guard table.programs == [program] else { throw .severalPrograms(max(table.programs.count, 2)) }
      case .map(let map):
        if !stampedMap.isReused, map.streams.contains(where: { $0.pid == stampedMap.pid }) {
          throw .pidClash(stampedMap.pid, offset: offset)
        }
        guard let reference = map.referenceStream else { throw .noAccessUnits }
        if reference.pid != tracker.pid || reference.type != tracker.type {
          tracker = AccessUnitTracker(reference, following: tracker)
        }
      case .damaged: continue
      }
    }
  }
}
