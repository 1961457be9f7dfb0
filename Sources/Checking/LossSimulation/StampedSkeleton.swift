package import Basics
package import EventSchedule
import GameEvents
import ID3
import TransportStream

/// The packets of a stamped transport stream that carry its tables and its tags: everything that decides which events arrive through a loss.
///
/// It computes within microseconds which events arrive and how late, with the same result as a reader of the whole stream.
package struct StampedSkeleton: ByteSink, Sendable {
  /// Memory does not fail.
  package typealias Failure = Never

  /// A packet of a table or of a tag.
  private struct Part: Sendable {
    /// The index of the packet in the stream.
    var index: Int
    var header: TransportPacket
    /// Whether a section or a PES packet ends in it.
    var ends = false
    /// The index of the PES packet that it belongs to.
    var tagPacket = 0
  }

  /// The copies in a PES packet: the indices of their events in the cue sheet, and their delays.
  private struct TagPacket: Sendable {
    var copies: [(event: Int, age: MediaTime)] = []
  }

  private let indices: [GUID: Int]
  private var tables = ProgramTables()
  private var patSections = SectionAssembler()
  private var pmtSections = SectionAssembler()
  private var assembler = TimedMetadataAssembler()
  private var program: ProgramAssociationTable.Program?
  private var metadataPID: PID?
  private var pats: [Part] = []
  private var pmts: [Part] = []
  private var tags: [Part] = []
  private var tagPackets: [TagPacket] = []

  /// Starts before the first packet of a stream with the events of a cue sheet.
  package init(_ events: [PlannedEvent]) {
    indices = Dictionary(events.enumerated().map { ($1.event.guid, $0) }) { first, _ in first }
  }

  /// The number of packets.
  package private(set) var packetCount = 0
  /// The number of packets that carry tags.
  package var tagPacketCount: Int { tags.count }

  /// Adds whole packets of the stream.
  package mutating func write(_ packets: Span<UInt8>) {
    var start = 0
    while start + TransportPacket.size <= packets.count {
      let packet = packets.extracting(start..<start + TransportPacket.size)
      let pid = TransportPacket.pid(of: packet)
      if pid == metadataPID || tables.follows(pid), let header = try? TransportPacket(packet), header.hasPayload {
        add(Part(index: packetCount, header: header), packet.extracting(header.payload))
      }
      packetCount += 1
      start += TransportPacket.size
    }
  }

  private mutating func add(_ part: Part, _ payload: Span<UInt8>) {
    var part = part
    let header = part.header
    guard header.pid != metadataPID else { return addTag(part, payload) }
    _ = tables.push(header, payload: payload)
    if header.pid == ProgramAssociationTable.pid {
      part.ends = !patSections.push(header, payload: payload).isEmpty
      pats.append(part)
      program = tables.programAssociation?.programs.first
    } else if header.pid == program?.pmtPID {
      part.ends = !pmtSections.push(header, payload: payload).isEmpty
      pmts.append(part)
      metadataPID = metadataPID ?? program.flatMap { tables.maps[$0.number]?.timedID3Streams.first?.pid }
    }
  }

  private mutating func addTag(_ part: Part, _ payload: Span<UInt8>) {
    var part = part
    if part.header.startsUnit { tagPackets.append(TagPacket()) }
    for event in assembler.push(part.header, payload: payload, offset: 0) {
      switch event {
      case .packet: part.ends = true
      case .tag(let tag):
        let copies = (try? ID3Tag.decode(tag.bytes.span)).map { EventCopy.copies(in: $0) } ?? []
        for case .success(let copy) in copies {
          if let index = indices[copy.event.guid] { tagPackets[tagPackets.count - 1].copies.append((index, copy.age)) }
        }
      case .cutOff, .rest, .damaged: break
      }
    }
    part.tagPacket = tagPackets.count - 1
    if part.tagPacket >= 0 { tags.append(part) }
  }

  /// The delay after which each event is known, if the stream passes through a loss; `nil` for events that do not arrive.
  package func delays(_ loss: PacketLoss, seed: UInt64) -> [MediaTime?] {
    var delays = [MediaTime?](repeating: nil, count: indices.count)
    var patLosses = LossProcess(loss, seed: seed)
    guard let pat = Self.firstWhole(pats, after: -1, &patLosses) else { return delays }
    // A process needs ascending indices, so each kind of packet has its own.
    var pmtLosses = LossProcess(loss, seed: seed)
    guard let pmt = Self.firstWhole(pmts, after: pat, &pmtLosses) else { return delays }
    var losses = LossProcess(loss, seed: seed)
    var follower = ReassemblyFollower(isOfSections: false)
    for part in tags where part.index > pmt && !losses.isLost(part.index) {
      guard follower.completes(part.tagPacket, with: part.header, ends: part.ends) else { continue }
      for copy in tagPackets[part.tagPacket].copies where delays[copy.event] == nil { delays[copy.event] = copy.age }
    }
    return delays
  }

  /// The index of the packet that ends the first complete table after a packet.
  private static func firstWhole(_ parts: [Part], after first: Int, _ losses: inout LossProcess) -> Int? {
    var follower = ReassemblyFollower(isOfSections: true)
    var section = 0
    for part in parts where part.index > first && !losses.isLost(part.index) {
      if part.header.startsUnit { section = part.index }
      if follower.completes(section, with: part.header, ends: part.ends) { return part.index }
    }
    return nil
  }
}

/// Follows the sections or PES packets of a PID with lost packets, as readers do by their continuity counters.
private struct ReassemblyFollower {
  /// Readers treat a section's packet with the previous counter as a duplicate; a PES packet's only if the payload is the same, too.
  private let isOfSections: Bool
  private var counter = ContinuityCounter()
  private var current: Int?

  init(isOfSections: Bool) { self.isOfSections = isOfSections }

  /// Records a packet; returns whether its section or PES packet is complete.
  mutating func completes(_ index: Int, with header: TransportPacket, ends: Bool) -> Bool {
    switch counter.push(header) {
    case .stalled where isOfSections: return false
    case .stalled, .lost: current = nil
    case .withoutPayload, .first, .next, .discontinuity, .duplicate: break
    }
    if header.startsUnit { current = index }
    if current != index { current = nil }
    return ends && current != nil
  }
}
