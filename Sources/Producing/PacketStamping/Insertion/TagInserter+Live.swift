import Basics
import EventSchedule
import TransportStream

// A live stream: it starts and continues, its segments, and tags that wait for null packets.
extension TagInserter {
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

  /// Records an access unit of a live stream, which may start a segment.
  mutating func startLiveUnit(_ unit: AccessUnitTracker.AccessUnit, _ time: MediaTime, _ told: ToldUnit?) {
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
}
