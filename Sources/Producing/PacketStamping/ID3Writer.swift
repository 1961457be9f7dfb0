import Basics
import EventSchedule
import GameEvents
import TransportStream

/// Writes tags as timed ID3: PES packets on their own PID, merged with the existing packets of the program on it.
struct ID3Writer: CarriageWriter {
  private(set) var pid: PID
  /// The existing stream of the program on the PID.
  var existing: ExistingStream
  /// PES packets of tags that wait for a place in the stream.
  private var waiting: [(copy: PlacedCopy, packet: [UInt8])] = []
  /// The continuity counter of the next packet with a payload.
  private var counter: UInt8 = 0
  /// Whether the counters of the next tag do not continue the previous ones, which its first packet will signal.
  private var isDiscontinuous: Bool

  /// - Parameter previous: The writer of the stream's tags so far. Continuity counters continue if the PID is the same.
  init(pid: PID, games: Set<GameID>, following previous: ID3Writer? = nil) {
    (self.pid, existing, isDiscontinuous) = (pid, ExistingStream(games: games), previous?.isDiscontinuous ?? false)
    if let previous, previous.pid == pid { counter = previous.counter }
  }

  /// Moves later tags to another PID.
  mutating func move(to pid: PID) { (self.pid, counter, existing) = (pid, 0, ExistingStream(games: [])) }

  func addInterests(to filter: inout PacketFilter) { filter[pid] = .all }

  mutating func queue(_ copies: [PlacedCopy], before unit: CarryingUnit?) throws(EventError) {
    for copy in copies {
      do throws(ParseError) {
        // The time may be past a wrap of the clock. The header takes its lowest 33 bits.
        let time = UInt64(bitPattern: copy.presentationTime.ticks)
        waiting.append((copy, try PESHeader.timedID3Packet(copy.copy.tag, presentationTime: time)))
      } catch {
        throw .tag(error)
      }
    }
  }

  mutating func finish() throws(PacketStampingError) { try existing.finish() }

  mutating func announceDiscontinuity() { isDiscontinuous = true }

  var isWaiting: Bool { !waiting.isEmpty }

  mutating func takePackets() -> [(copy: PlacedCopy, packets: [[UInt8]])] {
    defer { waiting = [] }
    return waiting.map { copy, packet in
      defer { isDiscontinuous = false }
      let bytes = TransportPacket.packets(carrying: packet, pid: pid, counter: &counter, isDiscontinuous: isDiscontinuous)
      return (copy, TransportPacket.split(bytes))
    }
  }

  // MARK: Tags of the input on the same PID

  /// Returns a packet of the input with its continuity counter among the new packets.
  mutating func renumbered(_ packet: Span<UInt8>, hasPayload: Bool) -> [UInt8] {
    defer { if hasPayload { counter = TransportPacket.counter(behind: counter) } }
    return TransportPacket.counted([UInt8](copying: packet), hasPayload ? counter : TransportPacket.counter(before: counter))
  }

  /// Leaves a gap in the continuity counters for missing packets of the input, so that readers still notice the loss.
  mutating func skipCounters(_ gap: UInt8) { counter = (counter &+ gap) & 0x0F }
}

// MARK: The PMT

extension ID3Writer {
  /// Returns the PMT with the stream and both descriptors. The version number is unchanged.
  static func announced(in pmt: ProgramMapTable, on pid: PID) -> ProgramMapTable {
    var stamped = pmt
    let service: UInt8
    if let index = stamped.streams.firstIndex(where: { $0.pid == pid && $0.isTimedID3 }) {
      let known = stamped.streams[index].descriptors.compactMap { MetadataDescriptor($0) }.first { $0.isID3 }
      service = known?.serviceID ?? freeService(pmt)
      if known == nil { stamped.streams[index].descriptors.append(MetadataDescriptor(serviceID: service).descriptor) }
    } else {
      service = freeService(pmt)
      stamped.streams.append(
        ProgramMapTable.ElementaryStream(type: .metadata, pid: pid, descriptors: [MetadataDescriptor(serviceID: service).descriptor]))
    }
    let pointers = pmt.descriptors.compactMap { MetadataPointerDescriptor($0) }
    if !pointers.contains(where: { $0.isID3 && $0.serviceID == service }) {
      stamped.descriptors.append(MetadataPointerDescriptor(serviceID: service, programNumber: pmt.programNumber).descriptor)
    }
    return stamped
  }

  /// The lowest service number that no other metadata stream of the program has.
  private static func freeService(_ pmt: ProgramMapTable) -> UInt8 {
    let used = pmt.streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0)?.serviceID }
    return (0...UInt8.max).first { !used.contains($0) } ?? 0
  }

  /// Returns the PMT without the streams of these PIDs and the pointers to them; `nil` if it has none of them.
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable? {
    func isRemoved(_ stream: ProgramMapTable.ElementaryStream) -> Bool {
      stream.isTimedID3 && pids.contains(stream.pid) && stream.pid != pmt.pcrPID
    }
    func services(_ streams: [ProgramMapTable.ElementaryStream]) -> Set<UInt8> {
      Set(streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0) }.filter(\.isID3).map(\.serviceID))
    }
    var stripped = pmt
    stripped.streams.removeAll(where: isRemoved)
    guard stripped.streams.count < pmt.streams.count else { return nil }
    let gone = services(pmt.streams.filter(isRemoved)).subtracting(services(stripped.streams))
    stripped.descriptors.removeAll { descriptor in
      MetadataPointerDescriptor(descriptor).map { $0.isID3 && gone.contains($0.serviceID) } ?? false
    }
    return stripped
  }
}
