import Basics
import EventReading
import TransportStream

/// Reads the metadata of the programs of a transport stream.
struct TransportMetadata: Sendable {
  private var framer = PacketFramer()
  private var tables = ProgramTables()
  /// The programs that are read, in the order of their numbers.
  private var programs: [ProgramMetadata] = []
  /// The program of each PID that is read, by its index.
  private var roles: [PID: Int] = [:]
  private var start: ProgrammeTimeline.Start

  /// The maximum number of programs that are read.
  private static let mostPrograms = 64

  init(startingAt start: ProgrammeTimeline.Start) { self.start = start }

  /// The programme time at which the video ends so far.
  var end: MediaTime? { programs.compactMap { $0.timeline.videoEnd }.max() }

  mutating func push(_ chunk: Span<UInt8>) -> [TimedMetadata] { read(chunk, isLast: false) }

  mutating func skip(_ duration: MediaTime) -> [TimedMetadata] {
    var found = flush()
    tables.interrupt()
    start.skip(duration)
    for index in programs.indices { programs[index].skip(duration, into: &found) }
    return found
  }

  mutating func finish() -> [TimedMetadata] {
    var found = flush()
    for index in programs.indices { programs[index].finish(into: &found) }
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
    } else if let program, programs.indices.contains(program) {
      programs[program].push(header, payload: payload, offset: offset, into: &found)
    }
  }

  private mutating func change(_ changes: [ProgramTables.Change], _ found: inout [TimedMetadata]) {
    for change in changes {
      switch change {
      case .programAssociation(let table):
        func isListed(_ program: ProgramMetadata) -> Bool { table.programs.contains { $0.number == program.map.programNumber } }
        for index in programs.indices where !isListed(programs[index]) { programs[index].finish(into: &found) }
        if let end, !programs.contains(where: isListed) { start = ProgrammeTimeline.Start(time: end, videoTime: end) }
        programs.removeAll { !isListed($0) }
      case .map(let map):
        let place = programs.firstIndex { $0.map.programNumber >= map.programNumber } ?? programs.endIndex
        if place < programs.endIndex, programs[place].map.programNumber == map.programNumber {
          programs[place].update(map)
        } else if programs.count < Self.mostPrograms {
          programs.insert(ProgramMetadata(map, startingAt: start), at: place)
        }
      case .damaged: break
      }
    }
    roles = [:]
    for (index, program) in programs.enumerated() { for pid in program.pids { roles[pid] = index } }
  }
}
