import Basics
import EventSchedule
import TransportStream

// Access units, before which tags go, and the ends of segments and of the stream.
extension TagInserter {
  /// Receives a packet of the stream that tells the time, and places the tags that go before its access unit.
  mutating func pushReference(
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
    window.advance(to: follower.clock, after: outcome == .unchanged ? run.count : 0, &sink)
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
  func position(_ offset: Int) -> TagPlacer.Position {
    .init(offset: offset, latestTime: follower.latestTime, isInsideTag: placer.carriages.id3.existing.isInsideTag)
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
