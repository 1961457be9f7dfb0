import Basics
import TransportStream

/// Checks a transport stream, or the segments of one rendition in their order.
struct TransportChecker: Sendable {
  private(set) var tables = TableChecker()
  /// When the video and the audio of the first program are presented.
  private(set) var units = AccessUnitTimes()
  private var tags: TagChecker
  private var framer = PacketFramer()
  private var counters: [PID: ContinuityCounter] = [:]
  private var packets: [PID: PESChecker] = [:]
  private var times = TagTimes()
  /// How far the clock has jumped since the latest tag; `nil` if it has not.
  private var clockJump: MediaTime?
  /// Whether the segment is one picture of a playlist of I-frames, which may end within a packet.
  private var isPicture = false
  /// Whether the first program has had a clock reference.
  private var hasClock = false

  /// The maximum interval between PCRs (0.1 s).
  private static let longestWithoutClock = MediaTime(ticks: 9_000)

  /// The first bytes of every tag.
  private static let identifier = Array("ID3".utf8)

  init(_ tags: TagChecker) { self.tags = tags }

  /// Starts a segment.
  ///
  /// - Parameters:
  ///   - isContinuous: Whether it continues the previous segment.
  ///   - keepsTables: Whether the tables before it apply to it, because they are those of its initialization segment.
  ///   - hasAdjacentBytes: Whether nothing was left out before it, unlike between the byte ranges of I-frames.
  ///   - isPicture: Whether it is a picture of a playlist of I-frames.
  mutating func startSegment(
    isContinuous: Bool, keepsTables: Bool, hasAdjacentBytes: Bool, isPicture: Bool, _ log: inout FindingLog
  ) {
    self.isPicture = isPicture
    tables.startSegment(isContinuous: isContinuous || keepsTables)
    units.startSegment()
    framer = PacketFramer()
    if !isContinuous || keepsTables || !hasAdjacentBytes { counters = [:] }
    guard !isContinuous else { return }
    clockJump = nil
    units.interrupt()
    times.finish(&log)
  }

  /// Checks the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var observations: [TagObservation] = []
    var framer = framer
    framer.push(bytes) { packet, offset in
      read(packet, at: offset, &observations, &log)
    } skip: { skipped in
      log.add(.packetSize, at: skipped.offset, "\(skipped.count) bytes that belong to no packet")
    }
    self.framer = framer
    return observations
  }

  /// Ends a stream or a segment.
  mutating func endSegment(_ log: inout FindingLog) -> [TagObservation] {
    var observations: [TagObservation] = []
    var framer = framer
    framer.finish { packet, offset in
      read(packet, at: offset, &observations, &log)
    } skip: { skipped in
      guard !isPicture else { return }
      log.add(.packetSize, at: skipped.offset, "\(skipped.count) bytes that belong to no packet")
    }
    self.framer = framer
    if let framing = framer.framing, framing != .plain { log.add(.packetSize, at: 0, "packets of \(framing.stride) bytes") }
    for pid in packets.keys.sorted() {
      let facts = facts(of: pid)
      let found = packets[pid]?.end(facts, &log) ?? []
      for tag in found { observations.append(check(tag, on: pid, &log)) }
    }
    return observations
  }

  /// The PID on which the first program's clock is missing; `nil` if there was a clock reference, or none was expected.
  var missingClock: PID? {
    guard !hasClock, let pid = tables.firstPMT?.pcrPID, pid != TransportPacket.nullPID else { return nil }
    guard let start = units.tracker?.start, let end = units.tracker?.end, end - start > Self.longestWithoutClock else { return nil }
    return pid
  }

  /// Ends the stream, or the rendition.
  mutating func finish(_ log: inout FindingLog) { times.finish(&log) }

  private mutating func read(_ packet: Span<UInt8>, at offset: Int, _ observations: inout [TagObservation], _ log: inout FindingLog) {
    guard let header = try? TransportPacket(packet), !header.hasError, header.pid != TransportPacket.nullPID else { return }
    if !hasClock, header.adaptation?.pcr != nil, header.pid == tables.firstPMT?.pcrPID { hasClock = true }
    let payload = packet.extracting(header.payload)
    checkContinuity(header, payload, at: offset, &log)
    if tables.follows(header.pid) {
      if tables.push(header, payload: payload, at: offset, &log) { units.follow(tables.firstPMT) }
    } else if units.follows(header.pid) {
      if units.push(header, payload: payload) {
        if let jump = units.tracker?.lastJump { clockJump = (clockJump ?? .zero) + jump }
        times.recheck(units.tracker, &log)
        if let late = units.decodedLate {
          log.add(.decodingTime, at: offset, "decoded \(late.shortestDecimalSeconds) s after its presentation")
        }
      }
    } else if isChecked(header, payload, at: offset, &log) {
      let facts = facts(of: header.pid)
      let found = packets[header.pid]?.push(header, payload: payload, at: offset, facts, &log) ?? []
      for tag in found { observations.append(check(tag, on: header.pid, &log)) }
    }
  }

  private mutating func checkContinuity(_ header: TransportPacket, _ payload: Span<UInt8>, at offset: Int, _ log: inout FindingLog) {
    let last = counters[header.pid]?.last
    // Tables repeat, so only their content distinguishes a duplicate packet from a stalled counter.
    let step =
      tables.follows(header.pid)
      ? counters[header.pid, default: ContinuityCounter()].push(header, content: payload)
      : counters[header.pid, default: ContinuityCounter()].push(header)
    guard let last else { return }
    switch step {
    case .lost: log.add(.continuity, at: offset, "counter \(header.continuityCounter) after \(last) on PID \(header.pid)")
    case .stalled where tables.follows(header.pid):
      log.add(.continuity, at: offset, "counter \(last) again in a further packet of tables on PID \(header.pid)")
    default: break
    }
  }

  /// Whether packets of a PID are checked: the PMT lists it as timed ID3, or an ID3 tag starts in this packet.
  private mutating func isChecked(_ header: TransportPacket, _ payload: Span<UInt8>, at offset: Int, _ log: inout FindingLog) -> Bool {
    if packets[header.pid] != nil { return true }
    let stream = tables.pmt(of: header.pid)?.streams.first { $0.pid == header.pid }
    if stream?.isTimedID3 != true {
      guard tables.firstPMT != nil, header.startsUnit, let pes = try? PESHeader(payload), pes.size + 3 <= payload.count,
        Self.identifier.indices.allSatisfy({ payload[pes.size + $0] == Self.identifier[$0] })
      else { return false }
      switch stream?.type {
      case .metadata?: log.add(.pmtMetadata, at: offset, "a metadata_descriptor of another format for PID \(header.pid)")
      case let type?: log.add(.streamType, at: offset, "stream_type \(hexadecimal([type.rawValue])) for PID \(header.pid)")
      case nil: log.add(.streamType, at: offset, "ID3 on PID \(header.pid), which is in no program map")
      }
    }
    packets[header.pid] = PESChecker(pid: header.pid)
    return true
  }

  /// The facts of the PMT about a PID.
  private func facts(of pid: PID) -> TagObservation.PacketFacts {
    var facts = TagObservation.PacketFacts()
    let pmt = tables.pmt(of: pid)
    let stream = pmt?.streams.first { $0.pid == pid }
    facts.isListed = stream?.type == .metadata
    facts.isFirstStream = facts.isListed && tables.firstPMT?.streams.first { $0.type == .metadata }?.pid == pid
    facts.hasDescriptors =
      pmt?.descriptors.contains { MetadataPointerDescriptor($0)?.isID3 == true } == true
      && stream?.descriptors.contains { MetadataDescriptor($0)?.isID3 == true } == true
    facts.hasBasicCodecs = pmt?.streams.contains { $0.type == .h264 || $0.type == .aac } ?? false
    facts.isMuxed = (pmt?.streams.contains { $0.type.isVideo } ?? false) && (pmt?.streams.contains { $0.isAudio } ?? false)
    return facts
  }

  private mutating func check(_ found: PESChecker.Found, on pid: PID, _ log: inout FindingLog) -> TagObservation {
    var observation = tags.check(found.bytes, at: found.offset, carrier: .packet(found.facts), &log)
    // Another program may have another clock.
    let isOfFirstProgram = tables.firstPMT?.streams.contains { $0.pid == pid } ?? false
    if isOfFirstProgram, let timestamp = found.timestamp {
      observation.time = times.check(timestamp, at: found.offset, units.tracker, &log)
      observation.clockJump = clockJump
      clockJump = nil
    }
    return observation
  }
}
