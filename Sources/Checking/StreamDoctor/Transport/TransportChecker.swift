import Basics
import TransportStream

/// Looks at a transport stream, or at the segments of one rendition one after another.
struct TransportChecker: Sendable {
  private(set) var tables = TableChecker()
  /// When picture and sound of the first program come.
  private(set) var pictures = PictureTimes()
  private var framer = PacketFramer()
  private var counters: [PID: UInt8] = [:]
  private var packets: [PID: PacketChecker] = [:]
  private var times = TagTimes()

  /// What every tag starts with.
  private static let identifier = Array("ID3".utf8)

  /// Takes note that a segment starts.
  ///
  /// - Parameter goesOn: Whether it goes on with the one before.
  mutating func startSegment(goesOn: Bool) {
    tables.startSegment(goesOn: goesOn)
    pictures.startSegment()
    framer = PacketFramer()
    guard !goesOn else { return }
    counters = [:]
    pictures.interrupt()
    times = TagTimes()
  }

  /// Takes the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var sightings: [TagObservation] = []
    var framer = framer
    framer.push(bytes) { packet, offset in
      read(packet, at: offset, &sightings, &log)
    } skip: { skipped in
      log.add(.packetSize, at: skipped.offset, "\(skipped.count) bytes that belong to no packet")
    }
    self.framer = framer
    return sightings
  }

  /// Ends a stream or a segment.
  mutating func endSegment(_ log: inout FindingLog) -> [TagObservation] {
    var sightings: [TagObservation] = []
    var framer = framer
    framer.finish { packet, offset in
      read(packet, at: offset, &sightings, &log)
    } skip: { skipped in
      log.add(.packetSize, at: skipped.offset, "\(skipped.count) bytes that belong to no packet")
    }
    self.framer = framer
    if let framing = framer.framing, framing != .plain { log.add(.packetSize, at: 0, "packets of \(framing.stride) bytes") }
    for pid in packets.keys.sorted() {
      let facts = facts(of: pid)
      let found = packets[pid]?.end(facts, &log) ?? []
      for tag in found { sightings.append(examine(tag, on: pid, &log)) }
    }
    times.finish(&log)
    return sightings
  }

  private mutating func read(_ packet: Span<UInt8>, at offset: Int, _ sightings: inout [TagObservation], _ log: inout FindingLog) {
    guard let header = try? TransportPacket(packet), !header.hasError, header.pid != TransportPacket.nullPID else { return }
    checkContinuity(header, at: offset, &log)
    let payload = packet.extracting(header.payload)
    if tables.follows(header.pid) {
      if tables.push(header, payload: payload, at: offset, &log) { pictures.follow(tables.firstMap) }
    } else if pictures.follows(header.pid) {
      if pictures.push(header, payload: payload) { times.passPicture(pictures.tracker, &log) }
    } else if isExamined(header, payload, at: offset, &log) {
      let facts = facts(of: header.pid)
      let found = packets[header.pid]?.push(header, payload: payload, at: offset, facts, &log) ?? []
      for tag in found { sightings.append(examine(tag, on: header.pid, &log)) }
    }
  }

  private mutating func checkContinuity(_ header: TransportPacket, at offset: Int, _ log: inout FindingLog) {
    let last = counters[header.pid]
    counters[header.pid] = header.continuityCounter
    guard header.hasPayload, let last, header.adaptation?.isDiscontinuous != true else { return }
    // A packet may be sent twice.
    guard header.continuityCounter != last, header.continuityCounter != (last + 1) & 0x0F else { return }
    log.add(.continuity, at: offset, "counter \(header.continuityCounter) after \(last) on PID \(header.pid)")
  }

  /// Whether packets of a PID are looked at: it carries timed ID3, or what starts here shows that it does.
  private mutating func isExamined(_ header: TransportPacket, _ payload: Span<UInt8>, at offset: Int, _ log: inout FindingLog) -> Bool {
    if packets[header.pid] != nil { return true }
    let stream = tables.map(of: header.pid)?.streams.first { $0.pid == header.pid }
    if stream?.isTimedID3 != true {
      guard tables.firstMap != nil, header.startsUnit, let pes = try? PESHeader(payload), pes.size + 3 <= payload.count,
        Self.identifier.indices.allSatisfy({ payload[pes.size + $0] == Self.identifier[$0] })
      else { return false }
      switch stream?.type {
      case .metadata?: log.add(.pmtMetadata, at: offset, "a metadata_descriptor of another format for PID \(header.pid)")
      case let type?: log.add(.streamType, at: offset, "stream_type \(TagChecker.hexadecimal([type.rawValue])) for PID \(header.pid)")
      case nil: log.add(.streamType, at: offset, "ID3 on PID \(header.pid), which is in no program map")
      }
    }
    packets[header.pid] = PacketChecker(pid: header.pid)
    return true
  }

  /// What the program map says about a PID.
  private func facts(of pid: PID) -> TagObservation.PacketFacts {
    var facts = TagObservation.PacketFacts()
    let map = tables.map(of: pid)
    let stream = map?.streams.first { $0.pid == pid }
    facts.isListed = stream?.type == .metadata
    facts.isFirstStream = facts.isListed && tables.firstMap?.streams.first { $0.type == .metadata }?.pid == pid
    facts.hasDescriptors =
      map?.descriptors.contains { MetadataPointerDescriptor($0)?.isID3 == true } == true
      && stream?.descriptors.contains { MetadataDescriptor($0)?.isID3 == true } == true
    facts.hasBasicCodecs = map?.streams.contains { $0.type == .h264 || $0.type == .aac } ?? false
    facts.isMuxed = (map?.streams.contains { $0.type.isVideo } ?? false) && (map?.streams.contains { $0.isAudio } ?? false)
    return facts
  }

  private mutating func examine(_ found: PacketChecker.Found, on pid: PID, _ log: inout FindingLog) -> TagObservation {
    var sighting = TagChecker.examine(found.bytes, at: found.offset, carrier: .packet(found.facts), &log)
    // Another program may have another clock.
    let isOfFirstProgram = tables.firstMap?.streams.contains { $0.pid == pid } ?? false
    if isOfFirstProgram, let timestamp = found.timestamp {
      sighting.time = times.take(timestamp, at: found.offset, pictures.tracker, &log)
    }
    return sighting
  }
}
