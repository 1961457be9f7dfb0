import Basics
import GameEvents
import TransportStream

/// Reads the programs of an MPEG transport stream.
///
/// Memory is bounded, whatever the stream holds.
struct TransportStreamReader: Sendable {
  /// The tables of the stream: its programs and what they consist of.
  private(set) var tables = ProgramTables()
  private var framer = PacketFramer()
  /// The programs that are read, in the order of their numbers.
  private var programs: [ProgramReader] = []
  /// What is done with the packets of the PIDs that mean something.
  private var roles: [PID: Role] = [ProgramAssociationTable.pid: .tables]
  /// The packets that mean something.
  private var filter = PacketFilter(.none)
  private var prefix: [UInt8] = []

  private enum Role: Sendable {
    case tables
    /// A packet of the program at this index.
    case program(Int)
  }

  /// Without packets in so many bytes from its start, an input is no transport stream.
  private static let detectionLimit = 65_536

  /// So many programs are read, the first ones whose maps come: each may hold tags.
  static let mostPrograms = 64

  private var programmeStart: ProgrammeStart

  /// Starts at the beginning of a stream.
  init(startingAt programmeStart: ProgrammeStart) {
    self.programmeStart = programmeStart
    filter[ProgramAssociationTable.pid] = .all
  }

  /// How the packets lie in the stream; `nil` until the first were found.
  var framing: PacketFramer.Framing? { framer.framing }

  /// How many bytes were pushed.
  var byteCount: Int { framer.byteCount }

  /// The programme time at which the picture (or the sound) ends so far, in the program that goes on longest.
  var end: MediaTime? { programs.compactMap { $0.end }.max() }

  /// The programme time at which the picture (or the sound) starts, in the program that starts first.
  var start: MediaTime? { programs.compactMap { $0.start }.min() }

  /// The stream time of the programme's zero, as the pictures tell it: the presentation time of the first random-access picture.
  var videoOrigin: MediaTime? { firstProgram?.videoOrigin }

  /// The stream time of the programme's zero, as the copies of events tell it, or else the pictures.
  var zero: MediaTime? { firstProgram?.clock.zero }

  private var firstProgram: ProgramReader? { programs.first }

  /// Takes the next bytes of the stream and returns what was found in them.
  ///
  /// - Throws: ``ReadingError`` where the input turns out to be no transport stream.
  mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    if framer.framing == nil, prefix.count < ReadingError.prefixLength {
      for index in 0..<min(chunk.count, ReadingError.prefixLength - prefix.count) { prefix.append(chunk[index]) }
    }
    var items: [StreamItem] = []
    var framer = framer
    var filter = filter
    framer.push(chunk, filter: &filter) { unit, offset, framing, filter in
      read(unit.extracting(framing.packetRange), offset: offset + framing.packetStart, &filter, &items)
    } passed: { _, _ in
    } skip: { skipped in
      note(skipped, &items)
    }
    (self.framer, self.filter) = (framer, filter)
    if framer.framing == nil, framer.byteCount > Self.detectionLimit { throw ReadingError.unrecognised(prefix) }
    return items
  }

  /// Ends the stream and returns what was still to come.
  ///
  /// - Throws: ``ReadingError`` where the input turns out to have been no transport stream.
  mutating func finish() throws(ReadingError) -> [StreamItem] {
    var items = flush()
    // Without an association nothing can be found, and what looked like packets may have been any periodic bytes.
    guard tables.association != nil else { throw ReadingError.unrecognised(prefix) }
    for index in programs.indices { programs[index].finish(into: &items) }
    return items
  }

  /// Starts a segment. As long as no packets were found, those that there are have to do.
  mutating func startSegment() -> [StreamItem] { flush() }

  /// Takes note that about `duration` of the stream is missing here.
  mutating func skip(_ duration: MediaTime) -> [StreamItem] {
    var items = flush()
    tables.interrupt()
    programmeStart.time += duration
    programmeStart.videoTime += duration
    for index in programs.indices { programs[index].skip(duration, into: &items) }
    return items
  }

  /// Decides about the bytes that are left, as at the end of the stream.
  private mutating func flush() -> [StreamItem] {
    var items: [StreamItem] = []
    var framer = framer
    var filter = filter
    framer.finish(filter: &filter) { unit, offset, framing, filter in
      read(unit.extracting(framing.packetRange), offset: offset + framing.packetStart, &filter, &items)
    } passed: { _, _ in
    } skip: { skipped in
      note(skipped, &items)
    }
    (self.framer, self.filter) = (framer, filter)
    return items
  }

  private func note(_ skipped: PacketFramer.Skipped, _ items: inout [StreamItem]) {
    items.append(.damage(Damage(offset: skipped.offset, reason: "\(skipped.count) bytes that belong to no packet")))
  }

  private mutating func read(_ packet: Span<UInt8>, offset: Int, _ filter: inout PacketFilter, _ items: inout [StreamItem]) {
    guard let role = roles[TransportPacket.pid(of: packet)] else { return }
    guard let header = try? TransportPacket(packet), !header.hasError else {
      items.append(.damage(Damage(offset: offset, reason: "damaged packet")))
      return
    }
    let payload = packet.extracting(header.payload)
    switch role {
    case .tables: readTables(header, payload, offset: offset, &filter, &items)
    case .program(let index): programs[index].push(header, payload: payload, offset: offset, into: &items)
    }
  }

  private mutating func readTables(
    _ header: TransportPacket, _ payload: Span<UInt8>, offset: Int, _ filter: inout PacketFilter, _ items: inout [StreamItem]
  ) {
    let changes = tables.push(header, payload: payload)
    guard !changes.isEmpty else { return }
    for change in changes {
      switch change {
      case .association(let table): programs.removeAll { program in !table.programs.contains { $0.number == program.map.programNumber } }
      case .map(let map):
        let place = programs.firstIndex { $0.map.programNumber >= map.programNumber } ?? programs.endIndex
        if place < programs.endIndex, programs[place].map.programNumber == map.programNumber {
          programs[place].update(map)
        } else if programs.count < Self.mostPrograms {
          programs.insert(ProgramReader(map, startingAt: programmeStart), at: place)
        }
      case .damaged(let reason): items.append(.damage(Damage(offset: offset, reason: reason)))
      }
    }
    roles = [:]
    filter = PacketFilter(.none)
    for (index, program) in programs.enumerated() {
      for (pid, interest) in program.interests {
        roles[pid] = .program(index)
        filter[pid] = interest
      }
    }
    for pid in tables.pids {
      roles[pid] = .tables
      filter[pid] = .all
    }
  }
}
