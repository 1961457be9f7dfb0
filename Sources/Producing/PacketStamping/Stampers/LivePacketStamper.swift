package import Basics
package import EventSchedule
package import GameEvents
package import NALUnits
package import TransportStream

/// Inserts events into a live transport stream. Only the PMT and tags change.
///
/// If the rate must be kept, tags replace the next null packets, with the times of the access units at which they were due. A packet is added only if
/// the PCR comes near a tag's time without null packets, or if the clock jumps.
///
/// Unlike ``PacketStamper``, it holds nothing back once the program is known, and no change of the stream ends it. If it cannot continue with the
/// tables that it knows, packets are passed unchanged until it knows the new ones.
package struct LivePacketStamper: Sendable {
  /// What an operator should know about the stream.
  package enum Notice: Equatable, Sendable {
    /// Events cannot be inserted at present, for this reason.
    case interrupted(PacketStampingError)
    /// Events are inserted from here on.
    case resumed(program: UInt16, eventPID: PID)
    /// The stream that tells the time has no SEI messages, so that tags do not go there.
    case withoutMessages(StreamType)
    /// A packet was added although the rate must be kept, because there were too few null packets. Reported once.
    case exceededRate

    fileprivate static func resumed(_ follower: ProgramFollower) -> Notice {
      .resumed(program: follower.program.number, eventPID: follower.carriagePIDs.id3.pid)
    }
  }

  /// A video that tells the time.
  package struct Video: Equatable, Sendable {
    package var pid: PID
    package var codec: NALUnitCodec
  }

  private let options: PacketStamper.Options
  private let start: MediaTime
  private let segments: SegmentClock
  private var probe: StreamProbe?
  private var inserter: TagInserter?
  /// The inserter that was used until the stream changed.
  private var previous: TagInserter?
  private var filter = PacketFilter(.all)
  private var waiting: [PlannedEvent] = []
  private let sign: EventSigner?
  /// Whether another stream decides times, segments and copies.
  private let isTold: Bool
  /// Whether the stream continues one of an earlier process, and has not signalled it yet.
  private var isContinuation: Bool
  private var byteCount = 0
  /// The number of bytes that were searched for the program.
  private var probedCount = 0
  /// Why nothing can be inserted, once that was reported.
  private var interruption: PacketStampingError?
  private var notices: [Notice] = []
  /// What the inserter has written, until it is handed on.
  private var buffer: [UInt8] = []
  /// The numbers of added packets and replaced null packets before the program was searched for again.
  private var earlierCounts = (added: 0, replaced: 0)
  private var hasExceededRate = false
  /// The PIDs of the PMT and of the stream that tells the time, as the output knows them.
  private var followedPIDs: (pmt: PID, leading: PID?)?
  private var outlet: LiveOutlet

  /// The number of bytes after which the program's PMT is no longer awaited. From then on no packets are held during the search.
  private static let largestProbe = 1 << 20

  /// A stamper at the start of a stream.
  ///
  /// - Parameters:
  ///   - schedule: The resumed events.
  ///   - start: The time on the timeline of the first random-access point.
  ///   - segments: Decides where segments start.
  ///   - sign: Signs each event; `nil` for no signatures.
  ///   - isContinuation: Whether the stream continues one of an earlier process, after which readers may receive it.
  package init(
    _ schedule: EventSchedule, _ options: PacketStamper.Options, from start: MediaTime, _ segments: SegmentClock, sign: EventSigner? = nil,
    isContinuation: Bool = false
  ) {
    (self.options, self.start, self.segments, self.sign, self.isContinuation) = (options, start, segments, sign, isContinuation)
    isTold = false
    outlet = LiveOutlet(options.carriages)
    probe = StreamProbe(schedule, options, isLive: true)
  }

  /// A stamper for a rendition of a live stream that follows another. It decides nothing itself: each access unit gets what `tell` receives for it.
  package init(told options: PacketStamper.Options) {
    (self.options, start, segments, sign) = (options, .zero, SegmentClock(duration: .zero), nil)
    (isTold, isContinuation) = (true, false)
    outlet = LiveOutlet(options.carriages)
    probe = StreamProbe(EventSchedule([], policy: CopyPolicy()), options, isLive: true)
  }

  /// Receives an event for the next access unit. If it has an `at`, it is not inserted earlier. It never overtakes the events before it.
  package mutating func add(_ event: PlannedEvent) {
    if inserter == nil { waiting.append(event) } else { inserter?.placer.add(event) }
  }

  /// Makes the next access unit start a segment with a discontinuity, because the input was interrupted.
  package mutating func interrupt() {
    inserter?.interrupt()
    previous?.interrupt()
  }

  /// The numbers of packets that were added, and of null packets that were replaced.
  package var counts: (added: Int, replaced: Int) {
    let (added, replaced) = inserter?.counts ?? (0, 0)
    return (earlierCounts.added + added, earlierCounts.replaced + replaced)
  }

  /// Writes the tags that wait for null packets, because the stream ends or is interrupted.
  package mutating func finish(into output: inout some LiveOutput & ~Copyable) {
    inserter?.addOwed(before: nil, &buffer)
    hand(on: &output)
    outlet.release(&output)
  }

  /// Returns what an operator should know, once.
  package mutating func takeNotices() -> [Notice] { notices.take() }

  /// The video that tells the time; `nil` while it is unknown, or if it is not H.264 or HEVC.
  package var video: Video? { inserter?.follower.carryingUnit(at: nil).map { Video(pid: $0.pid, codec: $0.codec) } }

  /// Returns the decoding time, in 90 kHz ticks of 33 bits, if an access unit of the stream that tells the time starts in a packet.
  package func decodingTime(_ packet: Span<UInt8>) -> UInt64? { timestamps(packet)?.decoding }

  /// Returns the presentation and decoding times, in 90 kHz ticks of 33 bits, if an access unit of the stream that tells the time starts in a packet.
  package func timestamps(_ packet: Span<UInt8>) -> (presentation: UInt64, decoding: UInt64)? { inserter?.timestamps(packet) }

  /// Receives what the leading stream decided for the access unit that the next packet starts; `nil` if it decided nothing, and the access unit is
  /// left out.
  package mutating func tell(_ unit: ToldUnit?, into output: inout some LiveOutput & ~Copyable) {
    do throws(PacketStampingError) { try inserter?.tell(unit, &buffer) } catch { report(error) }
    hand(on: &output)
  }

  /// Receives the next packet of 188 bytes.
  package mutating func push(_ packet: Span<UInt8>, into output: inout some LiveOutput & ~Copyable) {
    defer { byteCount += packet.count }
    guard inserter != nil else { return search(packet, &output) }
    guard filter.wants(packet) else { return outlet.write(packet, &output) }
    insert(packet, offset: byteCount, &output)
  }

  private mutating func insert(_ packet: Span<UInt8>, offset: Int, _ output: inout some LiveOutput & ~Copyable) {
    let nothing: [UInt8] = []
    inserter?.addOverdue(before: packet, &buffer)
    hand(on: &output)
    do throws(PacketStampingError) {
      let outcome = try inserter?.push(packet, offset: offset, after: nothing.span, &filter, &buffer) ?? .unchanged
      announcePMT(&output)
      if let (unit, copies) = inserter?.takeAccessUnit() {
        outlet.release(&output)
        output.begin(unit, copies)
      }
      hand(on: &output)
      if outcome != .finished { outlet.write(packet, &output) }
      if options.keepsRate, !hasExceededRate, counts.added > 0 {
        hasExceededRate = true
        notices.append(.exceededRate)
      }
    } catch {
      // Keeps what the inserter has written for the packet so far. The packet itself is passed unchanged.
      inserter?.release(&buffer)
      hand(on: &output)
      outlet.write(packet, &output)
      report(error)
      restart()
      // The search begins with this packet, because it may contain the reason.
      probe?.append(packet, offset: offset, .plain)
      probe?.release()
    }
  }

  /// Writes what the inserter has produced to the output.
  private mutating func hand(on output: inout some LiveOutput & ~Copyable) {
    for unit in inserter?.placer.carriages.sei.units.take() ?? [] { outlet.expect(unit) }
    if let owed = inserter?.placer.newlyOwed.take(), !owed.isEmpty { output.expect(owed.span) }
    if !buffer.isEmpty {
      var written: [UInt8] = []
      swap(&written, &buffer)
      outlet.write(written.span, &output)
      // Keeps the memory for reuse.
      written.removeAll(keepingCapacity: true)
      swap(&written, &buffer)
    }
    if let placed = inserter?.placer.placed.take(), !placed.isEmpty { output.place(placed) }
    if let clash = inserter?.clash.take(), let inserter { notices += [.interrupted(clash), .resumed(inserter.follower)] }
  }

  /// Tells the output where the PMT is, before its packets.
  private mutating func announcePMT(_ output: inout some LiveOutput & ~Copyable) {
    guard let inserter, case let pids = (pmt: inserter.follower.program.pmtPID, leading: inserter.follower.tracker?.pid),
      followedPIDs.map({ $0 != pids }) ?? true
    else { return }
    followedPIDs = pids
    output.follow(pmtPID: pids.pmt, leadingPID: pids.leading)
  }

  private mutating func report(_ error: PacketStampingError) {
    guard interruption == nil else { return }
    interruption = error
    notices.append(.interrupted(error))
  }

  /// Examines the stream again. Its timeline and events are kept.
  private mutating func restart() {
    guard let inserter else { return }
    earlierCounts = counts
    probe = StreamProbe(inserter.placer.schedule, options, isLive: true)
    probedCount = 0
    previous = inserter
    self.inserter = nil
  }

  /// Searches for the program. Packets are held only from the PAT that lists it to its PMT.
  private mutating func search(_ packet: Span<UInt8>, _ output: inout some LiveOutput & ~Copyable) {
    probe?.append(packet, offset: byteCount, .plain)
    probedCount += packet.count
    guard let probe, !probe.hasProgram else { return startInserting(&output) }
    let isOverdue = probedCount >= Self.largestProbe
    if interruption == nil, isOverdue || probe.knowsMaps {
      do throws(PacketStampingError) { _ = try probe.program() } catch { report(error) }
    }
    guard isOverdue || !probe.awaitsMap else { return }
    outlet.write(probe.units.span, &output)
    self.probe?.release()
  }

  private mutating func startInserting(_ output: inout some LiveOutput & ~Copyable) {
    guard let probe = probe.take() else { return }
    do throws(PacketStampingError) {
      var inserter = try TagInserter(probe, liveFrom: start, segments, following: previous)
      (inserter.placer.sign, inserter.isTold) = (sign, isTold)
      if isContinuation { inserter.announceDiscontinuity() }
      isContinuation = false
      for event in waiting { inserter.placer.add(event) }
      waiting = []
      filter = inserter.filter
      notices.append(.resumed(inserter.follower))
      if options.carriages.contains(.messages), let type = inserter.streamWithoutSEI { notices.append(.withoutMessages(type)) }
      self.inserter = inserter
      previous = nil
      interruption = nil
    } catch {
      report(error)
      outlet.write(probe.units.span, &output)
      self.probe = StreamProbe(probe.schedule, options, isLive: true)
      return
    }
    announcePMT(&output)
    for (number, offset) in probe.offsets.enumerated() {
      let start = number * TransportPacket.size
      let packet = probe.units.span.extracting(start..<start + TransportPacket.size)
      // A packet that ends the insertion starts another search, which must not swallow the packets after it.
      if inserter != nil, filter.wants(packet) { insert(packet, offset: offset, &output) } else { outlet.write(packet, &output) }
    }
  }
}
