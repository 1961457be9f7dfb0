import Basics
import EventSchedule
import GameEvents
import TransportStream

/// Writes tags as timed ID3: PES packets on their own PID, merged with the existing packets of the program on it.
struct ID3Writer: CarriageWriter {
  private(set) var pid: PID
  /// The existing stream of the program on the PID.
  var existing: ExistingStream
  /// The continuity counter of the next packet with a payload.
  private var counter: UInt8 = 0
  /// Whether the latest packet was one of the input, so that it may be repeated.
  private(set) var canRepeat = false
  /// Whether the counters of the next tag do not continue the previous ones, which its first packet will signal.
  private var isDiscontinuous: Bool

  /// - Parameter previous: The writer of the stream's tags so far. Continuity counters continue if the PID is the same.
  init(pid: PID, games: Set<GameID>, following previous: ID3Writer? = nil) {
    (self.pid, existing, isDiscontinuous) = (pid, ExistingStream(games: games), previous?.isDiscontinuous ?? false)
    if let previous, previous.pid == pid { counter = previous.counter }
  }

  /// Starts with the first continuity counter of the existing packets, which are then numbered as before once the new ones are removed.
  mutating func start(at counter: UInt8) { self.counter = counter & 0x0F }

  /// Moves later tags to another PID.
  mutating func move(to pid: PID) { (self.pid, counter, existing) = (pid, 0, ExistingStream(games: [])) }

  func addInterests(to filter: inout PacketFilter) { filter[pid] = .all }

  func payload(of copy: PlacedCopy) throws(EventError) -> [UInt8] {
    // The time may be past a wrap of the clock. The header takes its lowest 33 bits.
    let time = UInt64(bitPattern: copy.presentationTime.ticks)
    do throws(ParseError) { return try PESHeader.timedID3Packet(copy.copy.tag, presentationTime: time) } catch { throw .tag(error) }
  }

  mutating func packets(carrying payload: [UInt8]) -> [[UInt8]] {
    defer { (isDiscontinuous, canRepeat) = (false, false) }
    let bytes = TransportPacket.packets(carrying: payload, pid: pid, counter: &counter, isDiscontinuous: isDiscontinuous)
    return TransportPacket.split(bytes)
  }

  mutating func finish() throws(PacketStampingError) { try existing.finish() }

  mutating func announceDiscontinuity() { isDiscontinuous = true }

  // MARK: Tags of the input on the same PID

  /// Returns a packet of the input with its continuity counter among the new packets.
  mutating func renumbered(_ packet: Span<UInt8>) -> [UInt8] {
    canRepeat = true
    return TransportPacket.renumbered(packet, counter: &counter)
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

  /// Returns the PMT without the streams of these PIDs and the pointers to them.
  static func removed(_ pids: Set<PID>, from pmt: ProgramMapTable) -> ProgramMapTable {
    func isRemoved(_ stream: ProgramMapTable.ElementaryStream) -> Bool {
      stream.isTimedID3 && pids.contains(stream.pid) && stream.pid != pmt.pcrPID
    }
    func services(_ streams: [ProgramMapTable.ElementaryStream]) -> Set<UInt8> {
      Set(streams.flatMap(\.descriptors).compactMap { MetadataDescriptor($0) }.filter(\.isID3).map(\.serviceID))
    }
    var stripped = pmt
    stripped.streams.removeAll(where: isRemoved)
    guard stripped.streams.count < pmt.streams.count else { return pmt }
    let gone = services(pmt.streams.filter(isRemoved)).subtracting(services(stripped.streams))
    stripped.descriptors.removeAll { descriptor in
      MetadataPointerDescriptor(descriptor).map { $0.isID3 && gone.contains($0.serviceID) } ?? false
    }
    return stripped
  }
}
