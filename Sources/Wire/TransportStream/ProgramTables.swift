import Basics

/// Follows the PAT and the PMTs of a stream.
public struct ProgramTables: Sendable {
  /// What a packet changed.
  public enum Change: Equatable, Sendable {
    /// The PAT: the programs and the PIDs of their PMTs.
    case programAssociation(ProgramAssociationTable)
    /// The PMT of a program is new or has changed.
    case map(ProgramMapTable)
    /// A section could not be used.
    case damaged(reason: String)
  }

  /// The latest PAT.
  public private(set) var programAssociation: ProgramAssociationTable?
  /// The latest PMT of each program, by its number.
  public private(set) var maps: [UInt16: ProgramMapTable] = [:]

  private var patSections = PATSections()
  private var assemblers: [PID: SectionAssembler] = [ProgramAssociationTable.pid: SectionAssembler()]
  private var checksums: [PID: SectionChecksums] = [:]
  /// The PIDs whose last packet changed nothing, and would change nothing if it were repeated. Most tables are sent ten times a second, and such
  /// repeats are skipped quickly.
  private var settled: Set<PID> = []

  /// The number of programs that are followed: as many as fit into one section of a PAT.
  public static let largestProgramCount = 253

  /// Starts knowing no program.
  public init() {}

  /// Whether packets of this PID carry tables that are followed.
  public func follows(_ pid: PID) -> Bool { assemblers[pid] != nil }

  /// The PIDs that are followed.
  public var pids: [PID] { assemblers.keys.sorted() }

  /// Records that packets are missing here. Incomplete sections are discarded, the tables stay.
  public mutating func interrupt() {
    for pid in pids { assemblers[pid]?.reset() }
    settled = []
  }

  /// Receives a packet of a PID that is followed, and returns what it changed.
  ///
  /// A section with a wrong checksum is damaged, unless the PID has no other ones and it repeats.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> [Change] {
    let isSettled = settled.contains(header.pid)
    if isSettled, assemblers[header.pid]?.skipRepetition(header, payload: payload) == true { return [] }
    guard let sections = assemblers[header.pid]?.push(header, payload: payload) else { return [] }
    var changes: [Change] = []
    defer {
      if !changes.isEmpty {
        settled = []
      } else if !isSettled {
        settled.insert(header.pid)
      }
    }
    for bytes in sections where bytes[0] == ProgramAssociationTable.tableID || bytes[0] == ProgramMapTable.tableID {
      do throws(ParseError) {
        let isDamaged = checksums[header.pid, default: SectionChecksums()].check(bytes) == .damaged
        try receive(isDamaged ? Section(bytes.view) : Section(unchecked: bytes.view), from: header.pid, &changes)
      } catch {
        changes.append(.damaged(reason: "table on PID \(header.pid): \(error.reason)"))
      }
    }
    return changes
  }

  private mutating func receive(_ section: Section, from pid: PID, _ changes: inout [Change]) throws(ParseError) {
    guard section.isCurrent else { return }
    if pid == ProgramAssociationTable.pid {
      guard let table = try patSections.push(section), table != programAssociation else { return }
      programAssociation = table
      let mapPIDs = table.programs.prefix(Self.largestProgramCount).map { $0.pmtPID }
      assemblers = assemblers.filter { $0.key == ProgramAssociationTable.pid || mapPIDs.contains($0.key) }
      for pid in mapPIDs where assemblers[pid] == nil { assemblers[pid] = SectionAssembler() }
      checksums = checksums.filter { assemblers[$0.key] != nil }
      maps = maps.filter { map in table.programs.contains { $0.number == map.key } }
      changes.append(.programAssociation(table))
    } else if section.tableID == ProgramMapTable.tableID {
      let map = try ProgramMapTable(section)
      let isListed = programAssociation?.programs.contains { $0.number == map.programNumber && $0.pmtPID == pid } ?? false
      guard isListed, maps[map.programNumber] != map else { return }
      maps[map.programNumber] = map
      changes.append(.map(map))
    }
  }
}
