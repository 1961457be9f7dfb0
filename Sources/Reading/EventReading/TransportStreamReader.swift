import Basics
import GameEvents
import TransportStream

/// Reads the programs of an MPEG transport stream.
///
/// Memory is bounded, whatever the stream holds.
struct TransportStreamReader: Sendable {
  /// The tables of the stream: its programs and their elementary streams.
  private(set) var tables = ProgramTables()
  private var framer = PacketFramer()
  /// The programs that are read.
  private var programs: FollowedPrograms<ProgramReader>
  /// How the packets of a PID are used.
  private var roles: [PID: Role] = [ProgramAssociationTable.pid: .tables]
  /// The packets that are used.
  private var filter = PacketFilter(.none)
  private var prefix: [UInt8] = []

  private enum Role: Sendable {
    case tables
    /// A packet of the program at this index.
    case program(Int)
  }

  /// The initial parser of copies for each program.
  private let copyParser: CopyParser

  /// Starts at the beginning of a stream.
  init(startingAt start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    programs = FollowedPrograms(startingAt: start)
    copyParser = parser
    filter[ProgramAssociationTable.pid] = .all
  }

  /// The framing of the packets; `nil` until the first were found.
  var framing: PacketFramer.Framing? { framer.framing }

  /// The number of bytes that were pushed.
  var byteCount: Int { framer.byteCount }

  /// The timelines of the programs, in the order of their numbers.
  var timelines: [ProgrammeTimeline] { programs.all.map { $0.timeline } }

  /// Receives the next bytes of the stream and returns what was found in them.
  ///
  /// - Throws: ``ReadingError`` if the input turns out not to be a transport stream.
  mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    if framer.framing == nil, prefix.count < ReadingError.prefixLength {
      prefix.append(copying: chunk.extracting(first: ReadingError.prefixLength - prefix.count))
    }
    let items = read(chunk, isLast: false)
    if framer.isTransportStream == false { throw ReadingError.unrecognised(prefix) }
    return items
  }

  /// Ends the stream and returns the remaining items.
  ///
  /// - Throws: ``ReadingError`` if the input was not a transport stream.
  mutating func finish() throws(ReadingError) -> [StreamItem] {
    var items = flush()
    // Without a PAT nothing can be found, and what looked like packets may have been any periodic bytes.
    guard tables.programAssociation != nil else { throw ReadingError.unrecognised(prefix) }
    for index in programs.all.indices { programs.all[index].finish(into: &items) }
    return items
  }

  /// Starts a segment. Waiting bytes are read without more packets.
  mutating func startSegment() -> [StreamItem] { flush() }

  /// Records that about `duration` of the stream is missing here.
  mutating func skip(_ duration: MediaTime) -> [StreamItem] {
    var items = flush()
    tables.interrupt()
    programs.skip(duration)
    for index in programs.all.indices { programs.all[index].skip(duration, into: &items) }
    return items
  }

  /// Reads the bytes that are left, as at the end of the stream.
  private mutating func flush() -> [StreamItem] {
    let nothing: [UInt8] = []
    return read(nothing.view, isLast: true)
  }

  private mutating func read(_ chunk: Span<UInt8>, isLast: Bool) -> [StreamItem] {
    var items: [StreamItem] = []
    var framer = framer
    var filter = filter
    framer.read(chunk, isLast: isLast, filter: &filter) { unit, offset, framing, filter in
      read(unit.extracting(framing.packetRange), offset: offset + framing.packetStart, &filter, &items)
    } passed: { _, _ in
    } skip: { skipped in
      items.append(.damage(Damage(offset: skipped.offset, reason: "\(skipped.count) bytes that belong to no packet")))
    }
    (self.framer, self.filter) = (framer, filter)
    return items
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
    case .program(let index):
      programs.all[index].push(header, payload: payload, offset: offset, into: &items)
      if let interest = programs.all[index].changedInterest(in: header.pid, filter[header.pid]) { filter[header.pid] = interest }
    }
  }

  private mutating func readTables(
    _ header: TransportPacket, _ payload: Span<UInt8>, offset: Int, _ filter: inout PacketFilter, _ items: inout [StreamItem]
  ) {
    let changes = tables.push(header, payload: payload)
    guard !changes.isEmpty else { return }
    for change in changes {
      switch change {
      case .programAssociation(let table): programs.follow(table) { $0.finish(into: &items) }
      case .map(let map):
        let parser = copyParser
        programs.follow(map) { ProgramReader(map, startingAt: $0, parser) }
      case .damaged(let reason): items.append(.damage(Damage(offset: offset, reason: reason)))
      }
    }
    roles = [:]
    filter = PacketFilter(.none)
    for (index, program) in programs.all.enumerated() {
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
