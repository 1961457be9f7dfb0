import Basics
import EventReading
import TransportStream

/// Reads the metadata of the programs of a transport stream.
struct TransportMetadata: Sendable {
  private var framer = PacketFramer()
  private var tables = ProgramTables()
  /// The programs that are read.
  private var programs: FollowedPrograms<ProgramMetadata>
  /// The program of each PID that is read, by its index.
  private var roles: [PID: Int] = [:]

  init(startingAt start: ProgrammeTimeline.Start) { programs = FollowedPrograms(startingAt: start) }

  /// The programme time at which the video ends so far.
  var end: MediaTime? { programs.all.compactMap { $0.timeline.videoEnd }.max() }

  mutating func push(_ chunk: Span<UInt8>) -> [TimedMetadata] { read(chunk, isLast: false) }

  mutating func skip(_ duration: MediaTime) -> [TimedMetadata] {
    var found = flush()
    tables.interrupt()
    programs.skip(duration)
    for index in programs.all.indices { programs.all[index].skip(duration, into: &found) }
    return found
  }

  mutating func finish() -> [TimedMetadata] {
    var found = flush()
    for index in programs.all.indices { programs.all[index].finish(into: &found) }
    return found
  }

  private mutating func flush() -> [TimedMetadata] {
    let nothing: [UInt8] = []
    return read(nothing.view, isLast: true)
  }

  private mutating func read(_ chunk: Span<UInt8>, isLast: Bool) -> [TimedMetadata] {
    var found: [TimedMetadata] = []
    var framer = framer
    var filter = PacketFilter(.all)
    framer.read(chunk, isLast: isLast, filter: &filter) { unit, offset, framing, _ in
      read(unit.extracting(framing.packetRange), offset: offset + framing.packetStart, &found)
    } passed: { _, _ in
    } skip: { _ in
    }
    self.framer = framer
    return found
  }

  private mutating func read(_ packet: Span<UInt8>, offset: Int, _ found: inout [TimedMetadata]) {
    let pid = TransportPacket.pid(of: packet)
    let program = roles[pid]
    guard program != nil || tables.follows(pid), let header = try? TransportPacket(packet), !header.hasError else { return }
    let payload = packet.extracting(header.payload)
    if tables.follows(pid) {
      let changes = tables.push(header, payload: payload)
      if !changes.isEmpty { change(changes, &found) }
    } else if let program, programs.all.indices.contains(program) {
      programs.all[program].push(header, payload: payload, offset: offset, into: &found)
    }
  }

  private mutating func change(_ changes: [ProgramTables.Change], _ found: inout [TimedMetadata]) {
    for change in changes {
      switch change {
      case .programAssociation(let table): programs.follow(table) { $0.finish(into: &found) }
      case .map(let map): programs.follow(map) { ProgramMetadata(map, startingAt: $0) }
      case .damaged: break
      }
    }
    roles = [:]
    for (index, program) in programs.all.enumerated() { for pid in program.pids { roles[pid] = index } }
  }
}
