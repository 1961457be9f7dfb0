import Basics
import EventSchedule
import TransportStream

/// The start of a stream, kept until its programs and PIDs are known.
struct StreamProbe: Sendable {
  /// The number of bytes that are kept, and the maximum number while a PMT is missing.
  static let size = 1 << 20
  static let largestSize = 16 << 20
  /// The maximum number of programs that are tracked. The requested one is among them.
  static let mostPrograms = 64

  let schedule: EventSchedule
  let options: PacketStamper.Options
  private(set) var framing = PacketFramer.Framing.plain
  /// The packets with the timestamps before them or the parity after them.
  private(set) var units: [UInt8] = []
  private(set) var offsets: [Int] = []
  private var tables = ProgramTables()
  private var conditionalAccess = ConditionalAccess()
  /// The programs that were listed, including former ones, and the latest PMT of each.
  private var programs: [ProgramAssociationTable.Program] = []
  private var programNumbers: Set<UInt16> = []
  private var pmts: [UInt16: ProgramMapTable] = [:]
  /// The PID of the latest table that could not be used.
  private var damagedTable: PID?
  private var tablePIDs: Set<PID> = []
  private(set) var usedPIDs: Set<PID> = []
  /// The continuity counter of the first packet with a payload of each PID.
  private(set) var firstCounters: [PID: UInt8] = [:]
  /// The PIDs with unscrambled payloads.
  private var clearPIDs: Set<PID> = []
  private var scrambledPIDs: Set<PID> = []

  /// Whether the stream is live. Then former programs no longer count, and examined packets are not kept.
  private let isLive: Bool

  init(_ schedule: EventSchedule, _ options: PacketStamper.Options, isLive: Bool = false) {
    (self.schedule, self.options, self.isLive) = (schedule, options, isLive)
  }

  /// Whether enough of the stream is known.
  var isComplete: Bool { units.count >= Self.size && (hasPMTs && !awaitsTags || units.count >= Self.largestSize) }

  /// Whether a map announces timed ID3 of which no packet has come. Its first continuity counter determines those of the events.
  private var awaitsTags: Bool {
    let maps = options.program.map { number in pmts[number].map { [$0] } ?? [] } ?? Array(pmts.values)
    return maps.contains { map in map.timedID3Streams.first.map { firstCounters[$0.pid] == nil } ?? false }
  }

  /// Whether the program is known, which is all that a live stream needs.
  var hasProgram: Bool { hasPMTs && (options.program != nil || programs.count == 1) }

  /// Whether the program is listed, and only its PMT is missing.
  var awaitsMap: Bool {
    let isListed = options.program.map { number in programs.contains { $0.number == number } } ?? !programs.isEmpty
    return isListed && !hasPMTs
  }

  /// Whether the PMTs of all programs that are listed are known.
  var knowsMaps: Bool { options.program == nil && hasPMTs }

  /// Drops the packets so far. What was learned from them stays.
  mutating func release() { (units, offsets) = ([], []) }

  private var hasPMTs: Bool {
    if let number = options.program { return pmts[number] != nil }
    return !programs.isEmpty && programs.allSatisfy { pmts[$0.number] != nil }
  }

  /// Appends a packet with the timestamp before it or the parity after it.
  mutating func append(_ unit: Span<UInt8>, offset: Int, _ framing: PacketFramer.Framing) {
    self.framing = framing
    units.append(copying: unit)
    offsets.append(offset)
    let packet = unit.extracting(framing.packetRange)
    let pid = TransportPacket.pid(of: packet)
    usedPIDs.insert(pid)
    guard packet[1] & 0x80 == 0 else { return }
    if packet[3] & 0x10 != 0 {
      if firstCounters[pid] == nil { firstCounters[pid] = packet[3] & 0x0F }
      if packet[3] & 0xC0 == 0 { clearPIDs.insert(pid) } else { scrambledPIDs.insert(pid) }
    }
    guard tables.follows(pid) || pid == ConditionalAccess.pid, let header = try? TransportPacket(packet) else { return }
    if pid == ConditionalAccess.pid { conditionalAccess.push(header, payload: packet.extracting(header.payload)) }
    for change in tables.push(header, payload: packet.extracting(header.payload)) {
      switch change {
      case .programAssociation(let pat):
        tablePIDs.formUnion(pat.entries.map { $0.pmtPID })
        if isLive { keep(pat.programs) }
        for program in pat.programs { record(program) }
      case .map(let pmt): if programNumbers.contains(pmt.programNumber) { pmts[pmt.programNumber] = pmt }
      case .damaged: damagedTable = pid
      }
    }
  }

  /// Drops programs that are no longer listed, or whose PMT has moved to another PID.
  private mutating func keep(_ listed: [ProgramAssociationTable.Program]) {
    for gone in programs where !listed.contains(gone) { pmts[gone.number] = nil }
    programs.removeAll { !listed.contains($0) }
    programNumbers = Set(programs.map(\.number))
  }

  private mutating func record(_ program: ProgramAssociationTable.Program) {
    let isWanted = programs.count < Self.mostPrograms || program.number == options.program
    guard isWanted, programNumbers.insert(program.number).inserted else { return }
    programs.append(program)
  }

  /// The program that the events belong to.
  ///
  /// - Throws: `noProgram`, `wrongChecksum`, `severalPrograms` or `unknownProgram`.
  func program() throws(PacketStampingError) -> (ProgramAssociationTable.Program, ProgramMapTable) {
    let missing = damagedTable.map { PacketStampingError.wrongChecksum($0) } ?? .noProgram
    guard let first = programs.first else { throw missing }
    if let number = options.program {
      guard let program = programs.first(where: { $0.number == number }) else { throw .unknownProgram(number, summaries) }
      guard let pmt = pmts[number] else { throw missing }
      return (program, pmt)
    }
    guard programs.count == 1 else { throw .severalPrograms(summaries) }
    guard let pmt = pmts[first.number] else { throw missing }
    return (first, pmt)
  }

  private var summaries: [ProgramSummary] { programs.map { ProgramSummary(number: $0.number, pmt: pmts[$0.number]) } }

  /// The PIDs that are used or that tables announce.
  var knownPIDs: Set<PID> {
    let announced = pmts.values.flatMap { $0.announcedPIDs }
    return usedPIDs.union(announced).union(tablePIDs).union(conditionalAccess.pids)
  }

  /// The PIDs whose payloads are all scrambled, so that they cannot tell the time.
  var unreadablePIDs: Set<PID> { scrambledPIDs.subtracting(clearPIDs) }
}
