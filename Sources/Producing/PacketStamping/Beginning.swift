import ByteCursor
import EventSchedule
import TransportStream

/// The beginning of a stream, kept to find out what it consists of.
struct Beginning: Sendable {
  /// How much is kept at least, and at most as long as a program map is missing, in bytes.
  static let size = 1 << 20
  static let largestSize = 16 << 20

  let schedule: EventSchedule
  let options: PacketStamper.Options
  private(set) var framing = PacketFramer.Framing.plain
  /// The packets with what stands in front of them or behind.
  private(set) var units: [UInt8] = []
  private(set) var offsets: [Int] = []
  private(set) var tables = ProgramTables()
  private(set) var usedPIDs: Set<PID> = []
  /// The PIDs with payloads that are not scrambled.
  private var clearPIDs: Set<PID> = []
  private var scrambledPIDs: Set<PID> = []

  init(_ schedule: EventSchedule, _ options: PacketStamper.Options) {
    self.schedule = schedule
    self.options = options
  }

  /// Whether enough of the stream is known.
  var isComplete: Bool { units.count >= (hasMaps ? Self.size : Self.largestSize) }

  private var hasMaps: Bool {
    guard let programs = tables.association?.programs, !programs.isEmpty else { return false }
    if let number = options.program { return tables.maps[number] != nil }
    return programs.allSatisfy { tables.maps[$0.number] != nil }
  }

  /// Takes a packet with what stands in front of it or behind.
  mutating func append(_ unit: Span<UInt8>, offset: Int, _ framing: PacketFramer.Framing) {
    self.framing = framing
    units.append(copying: unit)
    offsets.append(offset)
    let packet = unit.extracting(framing.packetRange)
    let pid = TransportPacket.pid(of: packet)
    usedPIDs.insert(pid)
    guard packet[1] & 0x80 == 0 else { return }
    if packet[3] & 0x10 != 0 {
      if packet[3] & 0xC0 == 0 { clearPIDs.insert(pid) } else { scrambledPIDs.insert(pid) }
    }
    guard tables.follows(pid), let header = try? TransportPacket(packet) else { return }
    _ = tables.push(header, payload: packet.extracting(header.payload))
  }

  /// The program that the events belong to.
  ///
  /// - Throws: `noProgram`, `severalPrograms` or `unknownProgram`.
  func program() throws(PacketStampingError) -> (ProgramAssociation.Program, ProgramMap) {
    let programs = tables.association?.programs ?? []
    guard let first = programs.first else { throw .noProgram }
    if let number = options.program {
      guard let program = programs.first(where: { $0.number == number }) else { throw .unknownProgram(number, summaries(programs)) }
      guard let map = tables.maps[number] else { throw .noProgram }
      return (program, map)
    }
    guard programs.count == 1 else { throw .severalPrograms(summaries(programs)) }
    guard let map = tables.maps[first.number] else { throw .noProgram }
    return (first, map)
  }

  private func summaries(_ programs: [ProgramAssociation.Program]) -> [ProgramSummary] {
    programs.map { ProgramSummary(number: $0.number, map: tables.maps[$0.number]) }
  }

  /// The PIDs that are used or that tables announce.
  var knownPIDs: Set<PID> {
    let maps = tables.maps.values
    let announced = maps.flatMap { $0.streams.map { $0.pid } + [$0.clockPID] }
    return usedPIDs.union(announced).union((tables.association?.entries ?? []).map { $0.mapPID })
  }

  /// The PIDs all of whose payloads are scrambled: what they carry cannot tell the time.
  var unreadablePIDs: Set<PID> { scrambledPIDs.subtracting(clearPIDs) }
}
