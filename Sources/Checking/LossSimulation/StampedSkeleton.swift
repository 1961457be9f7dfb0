public import Basics
public import EventSchedule
import GameEvents
import ID3
import TransportStream

/// What a lost packet can change of the events that a stamped transport stream gives: where the packets of its tables and its tags lie.
///
/// It tells within microseconds which events arrive through a loss, and how late, as the reader would tell after reading the whole stream.
public struct StampedSkeleton: ByteSink, Sendable {
  public typealias Failure = Never

  /// A packet of a table or of a tag.
  private struct Part: Sendable {
    /// Which packet of the stream it is, counted from 0.
    var index: Int
    var counter: UInt8
    /// Whether a section or a PES packet starts in it, and whether one ends there.
    var starts: Bool
    var ends: Bool
    var isDiscontinuous: Bool
    /// Which of the PES packets it belongs to.
    var unit: Int
  }

  /// The copies in a PES packet: the places of their events in the cue sheet, and how late they come.
  private struct Unit: Sendable {
    var copies: [(event: Int, age: MediaTime)] = []
  }

  private let places: [GUID: Int]
  private var tables = ProgramTables()
  private var mapSections = SectionAssembler()
  private var patSections = SectionAssembler()
  private var assembler = PESAssembler()
  private var index = 0
  private var program: ProgramAssociationTable.Program?
  private var metadataPID: PID?
  private var associations: [Part] = []
  private var maps: [Part] = []
  private var tags: [Part] = []
  private var units: [Unit] = []

  /// A skeleton of nothing so far, for the events of a cue sheet.
  public init(_ events: [PlannedEvent]) {
    places = Dictionary(events.enumerated().map { ($1.event.guid, $0) }) { first, _ in first }
  }

  /// How many packets came.
  public var packetCount: Int { index }
  /// How many of them carry tags.
  public var tagPacketCount: Int { tags.count }

  /// Adds whole packets of the stream.
  public mutating func write(_ packets: Span<UInt8>) {
    var start = 0
    while start + TransportPacket.size <= packets.count {
      let packet = packets.extracting(start..<start + TransportPacket.size)
      let pid = TransportPacket.pid(of: packet)
      if pid == metadataPID || tables.follows(pid), let header = try? TransportPacket(packet), header.hasPayload {
        take(header, packet.extracting(header.payload))
      }
      index += 1
      start += TransportPacket.size
    }
  }

  private mutating func take(_ header: TransportPacket, _ payload: Span<UInt8>) {
    var part = Part(
      index: index, counter: header.continuityCounter, starts: header.startsUnit, ends: false,
      isDiscontinuous: header.adaptation?.isDiscontinuous == true, unit: units.count)
    guard header.pid != metadataPID else {
      if header.startsUnit { units.append(Unit()) }
      part.unit = units.count - 1
      for case .packet(let packet) in assembler.push(header, payload: payload, offset: 0) {
        part.ends = true
        note(packet.bytes)
      }
      if part.unit >= 0 { tags.append(part) }
      return
    }
    _ = tables.push(header, payload: payload)
    if header.pid == ProgramAssociationTable.pid {
      part.ends = !patSections.push(header, payload: payload).isEmpty
      associations.append(part)
      program = tables.association?.programs.first
    } else if header.pid == program?.pmtPID {
      part.ends = !mapSections.push(header, payload: payload).isEmpty
      maps.append(part)
      metadataPID = metadataPID ?? program.flatMap { tables.maps[$0.number]?.timedID3Streams.first?.pid }
    }
  }

  /// Takes note of the copies in the PES packet that has just ended.
  private mutating func note(_ packet: [UInt8]) {
    guard let header = try? PESHeader(packet.span), let size = ID3Tag.encodedLength(packet.span.extracting(header.size...)),
      size <= packet.count - header.size, let tag = try? ID3Tag.decode(packet.span.extracting(header.size..<header.size + size))
    else { return }
    for case .success(let copy) in EventCopy.copies(in: tag) {
      if let place = places[copy.event.guid] { units[units.count - 1].copies.append((place, copy.age)) }
    }
  }

  /// How late each event is known, after its time, where the stream passes through a loss; `nil` for events that do not arrive.
  public func delays(_ loss: PacketLoss, seed: UInt64) -> [MediaTime?] {
    var delays = [MediaTime?](repeating: nil, count: places.count)
    var tableLosses = LossProcess(loss, seed: seed)
    guard let association = Self.firstWhole(associations, after: -1, &tableLosses) else { return delays }
    // Asked from the beginning again: packets are asked for in their order.
    var mapLosses = LossProcess(loss, seed: seed)
    guard let map = Self.firstWhole(maps, after: association, &mapLosses) else { return delays }
    var losses = LossProcess(loss, seed: seed)
    var follower = Follower(isOfSections: false)
    for part in tags where part.index > map && !losses.isLost(part.index) {
      guard follower.completes(part.counter, part.isDiscontinuous, starts: part.starts, ends: part.ends, unit: part.unit) else { continue }
      for copy in units[part.unit].copies where delays[copy.event] == nil { delays[copy.event] = copy.age }
    }
    return delays
  }

  /// The packet with which the first table ends that arrives whole, of those after a packet.
  private static func firstWhole(_ parts: [Part], after first: Int, _ losses: inout LossProcess) -> Int? {
    var follower = Follower(isOfSections: true)
    var section = 0
    for part in parts where part.index > first && !losses.isLost(part.index) {
      if part.starts { section = part.index }
      if follower.completes(part.counter, part.isDiscontinuous, starts: part.starts, ends: part.ends, unit: section) { return part.index }
    }
    return nil
  }
}

/// Puts units together from the packets of a PID that arrive, as readers do by their continuity counters.
private struct Follower {
  /// Of sections, a packet with the counter of the one before is taken for the same sent twice; of PES packets only with the same payload.
  private let isOfSections: Bool
  private var lastCounter: UInt8?
  private var unit: Int?

  init(isOfSections: Bool) { self.isOfSections = isOfSections }

  /// Takes a packet; returns whether a unit has arrived whole with it.
  mutating func completes(_ counter: UInt8, _ isDiscontinuous: Bool, starts: Bool, ends: Bool, unit newUnit: Int) -> Bool {
    if let lastCounter, !isDiscontinuous {
      guard counter != lastCounter || !isOfSections else { return false }
      if counter != (lastCounter + 1) & 0x0F { unit = nil }
    }
    lastCounter = counter
    if starts { unit = newUnit }
    if unit != newUnit { unit = nil }
    return ends && unit != nil
  }
}
