import Basics
import EventSchedule
import GameEvents
import TransportStream

extension TagInserter {
  /// Takes a packet of the stream that tells the time, and puts the tags in front of it that go before its access unit.
  mutating func takeReference(
    _ header: TransportPacket, _ packet: Span<UInt8>, offset: Int, after run: Span<UInt8>, _ filter: inout PacketFilter,
    _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) -> Outcome {
    var outcome = Outcome.unchanged
    if window.owesMap, header.startsUnit {
      try pass(run, &sink)
      outcome = .apart
      guard window.settleMap(at: clock, before: packet, &sink) else { throw .noNullPacketForMap(offset: offset) }
      try goByArrivedMap(&filter, &sink)
    }
    guard tracker?.pid == header.pid else { return outcome }
    if header.scrambling != 0, header.startsUnit {
      scrambledSince = scrambledSince ?? offset
      // Its time is not known, nor that of those behind it.
      if schedule.nextTime != nil { expectTag(true, &filter) }
    }
    let payload = packet.extracting(framing.packetRange).extracting(header.payload)
    guard let unit = tracker?.push(header, payload: payload) else { return outcome }
    scrambledSince = nil
    clock = unit.decodingTime - (tracker?.start ?? unit.decodingTime)
    longestDelay = max(longestDelay, unit.presentationTime - unit.decodingTime)
    window.advance(to: clock, behind: outcome == .unchanged ? run.count : 0, &sink)
    guard let zero = tracker?.zero, isListed else { return outcome }
    try roomSearch?.pass(unit.presentationTime - zero, freeCount: window.freeCount)
    guard roomSearch == nil else { return outcome }
    let copies = try copies(before: unit, zero: zero)
    if !copies.isEmpty || !waiting.isEmpty {
      if outcome == .unchanged { try pass(run, &sink) }
      outcome = .apart
      try insert(copies, zero: zero, before: packet, offset: offset, &sink)
    }
    expectTag(isTagExpected(after: unit, zero: zero), &filter)
    return outcome
  }

  /// Whether a tag may come so soon after an access unit that null packets have to be kept for it from here on.
  private func isTagExpected(after unit: AccessUnitTracker.AccessUnit, zero: MediaTime) -> Bool {
    guard roomSearch == nil else { return true }
    guard let next = schedule.nextTime else { return false }
    guard let longestStep = window.longestStep else { return true }
    return next <= unit.decodingTime - zero + longestDelay + OutputWindow.longestWait + longestStep + frameDuration
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
  mutating func endSegment(at end: MediaTime, offset: Int, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) {
    guard let zero = tracker?.zero else { return }
    let copies = try copies { (schedule) throws(EventError) in try schedule.endSegment(at: end) }
    try insert(copies, zero: zero, before: nil, offset: offset, &sink)
    window.flush(&sink)
  }

  /// Emits what is left at the end of the stream.
  mutating func finish(at offset: Int, _ sink: inout some ByteSink & ~Copyable) throws(PacketStampingError) -> PacketStamper.Report {
    window.completeMap(try rewriter.flush(), at: clock, &sink)
    guard window.settleMap(at: clock, before: nil, mayWait: false, &sink) else { throw .noNullPacketForMap(offset: offset) }
    if let tracker, let scrambledSince, tracker.zero == nil || !schedule.pending.isEmpty {
      throw .scrambled(tracker.pid, offset: scrambledSince)
    }
    guard let zero = tracker?.zero, let end = tracker?.end else { throw .noAccessUnits }
    if let roomSearch { throw roomSearch.failure }
    let (programmeEnd, duration) = (end - zero, frameDuration)
    existing = ExistingTags()
    let copies =
      isListed ? try copies { (schedule) throws(EventError) in try schedule.finish(at: programmeEnd, frameDuration: duration) } : []
    try insert(copies, zero: zero, before: nil, offset: offset, &sink)
    if let roomSearch { throw roomSearch.failure }
    window.flush(&sink)
    report.end = programmeEnd
    report.replacedPackets = window.replaced
    report.addedPackets = window.added
    return report
  }

  // MARK: Tags

  private mutating func insert(
    _ copies: [EventSchedule.TimedCopy], zero: MediaTime, before next: Span<UInt8>?, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) throws(PacketStampingError) {
    for copy in copies {
      do throws(ParseError) {
        // The sum may lie beyond a wrap of the clock; the header takes what fits 33 bits.
        let time = UInt64(bitPattern: (zero + copy.time).ticks)
        waiting.append((copy, try PESHeader.timedID3Packet(copy.tag, presentationTime: time)))
      } catch {
        throw .event(.tag(error))
      }
      report.copies += 1
      if copy.copy.copy == 1 { report.events += 1 }
    }
    emitWaiting(before: next, offset: offset, &sink)
  }

  /// The programme time of the latest access unit in the order of presentation.
  private var latestTime: MediaTime {
    guard let end = tracker?.end, let zero = tracker?.zero else { return .zero }
    return end - zero - frameDuration
  }

  /// Emits the tags that wait, unless a tag of the input on the same PID has begun and not ended.
  mutating func emitWaiting(
    before next: Span<UInt8>?, offset: Int, _ sink: inout some ByteSink & ~Copyable
  ) {
    guard !waiting.isEmpty, !existing.isInsideTag, roomSearch == nil else { return }
    for (copy, unit) in waiting {
      let packets = TransportPacket.packets(carrying: unit, pid: stampedMap.pid, counter: &counter)
      let pieces = stride(from: 0, to: packets.count, by: TransportPacket.size).map { Array(packets[$0..<$0 + TransportPacket.size]) }
      guard window.place(pieces, before: next, &sink) else {
        let tag = UnplacedTag(copy: copy.copy, time: copy.time, offset: offset, roomFrom: nil)
        // The copies of a burst that are still to come want room as well.
        let copyCount = max(1, copy.copy.copies - copy.copy.copy + 1)
        roomSearch = RoomSearch(tag, packetCount: pieces.count * copyCount, after: latestTime)
        return
      }
    }
    waiting = []
  }
}
