import Basics
import TransportStream

/// Looks at the program association and the program maps.
struct TableChecker: Sendable {
  /// The programs, in the order of the association.
  private(set) var association: ProgramAssociationTable?
  /// The latest map of each program.
  private var maps = ProgramMapTables()
  /// Whether the current resource has had each of the tables.
  private(set) var hasPAT = false
  private(set) var hasMap = false

  private var assemblers: [PID: SectionAssembler] = [ProgramAssociationTable.pid: SectionAssembler()]
  /// Whether maps must not change, as within a stretch of a presentation without a discontinuity.
  private var isSettled = false

  /// Whether packets of this PID carry tables.
  func follows(_ pid: PID) -> Bool { assemblers[pid] != nil }

  /// The map of the first program.
  var firstMap: ProgramMapTable? { association?.programs.first.flatMap { maps[$0.number] } }

  /// The map that a PID belongs to.
  func map(of pid: PID) -> ProgramMapTable? { maps.first(with: pid) }

  /// Takes note that a segment starts. Where it goes on with the one before, its maps must be the same; otherwise they may be any.
  mutating func startSegment(goesOn: Bool) {
    if !goesOn { self = TableChecker() }
    (hasPAT, hasMap) = (false, false)
    isSettled = goesOn
    for pid in Array(assemblers.keys) { assemblers[pid]?.reset() }
  }

  /// Takes a packet of a PID that is followed; returns whether a map is new or has changed.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, at offset: Int, _ log: inout FindingLog) -> Bool {
    var isChanged = false
    for bytes in assemblers[header.pid]?.push(header, payload: payload) ?? [] {
      guard bytes[0] == ProgramAssociationTable.tableID || bytes[0] == ProgramMapTable.tableID else { continue }
      guard CRC32MPEG2.checksum(bytes.span) == 0 else {
        log.add(.tableCRC, at: offset, "a wrong checksum in a section on PID \(header.pid)")
        continue
      }
      guard let section = try? Section(bytes.span), section.isCurrent else { continue }
      if header.pid == ProgramAssociationTable.pid {
        take((try? ProgramAssociationTable(section)) ?? association)
      } else if let map = try? ProgramMapTable(section), isListed(map, on: header.pid) {
        isChanged = take(map, at: offset, &log) || isChanged
      }
    }
    return isChanged
  }

  private func isListed(_ map: ProgramMapTable, on pid: PID) -> Bool {
    association?.programs.contains { $0.number == map.programNumber && $0.pmtPID == pid } ?? false
  }

  private mutating func take(_ table: ProgramAssociationTable?) {
    guard let table else { return }
    hasPAT = true
    guard table != association else { return }
    association = table
    let pids = [ProgramAssociationTable.pid] + table.programs.prefix(ProgramTables.largestProgramCount).map { $0.pmtPID }
    assemblers = assemblers.filter { pids.contains($0.key) }
    for pid in pids where assemblers[pid] == nil { assemblers[pid] = SectionAssembler() }
    maps.keep(Set(table.programs.map { $0.number }))
  }

  private mutating func take(_ map: ProgramMapTable, at offset: Int, _ log: inout FindingLog) -> Bool {
    hasMap = true
    let previous = maps[map.programNumber]
    guard map != previous else { return false }
    maps[map.programNumber] = map
    if let previous {
      if isSettled {
        log.add(.mapChanges, at: offset, Self.change(from: previous, to: map))
      } else if map.version == previous.version {
        log.add(.pmtVersion, at: offset, "another map of program \(map.programNumber) with version \(map.version) as before")
      }
    }
    check(map, at: offset, &log)
    return true
  }

  private static func change(from previous: ProgramMapTable, to map: ProgramMapTable) -> String {
    let (before, after) = (previous.timedID3Streams.map { $0.pid }, map.timedID3Streams.map { $0.pid })
    if before != after { return "timed ID3 on \(name(after)) instead of \(name(before))" }
    return "another map, of version \(map.version) instead of \(previous.version)"
  }

  private static func name(_ pids: [PID]) -> String {
    pids.isEmpty ? "no PID" : "PID " + pids.map { "\($0)" }.joined(separator: ", ")
  }

  private func check(_ map: ProgramMapTable, at offset: Int, _ log: inout FindingLog) {
    let streams = map.streams.filter { $0.type == .metadata && $0.isTimedID3 }
    let uses = Dictionary(map.streams.map { ($0.pid, 1) }, uniquingKeysWith: +)
    for stream in map.streams where stream.type == .metadata && uses[stream.pid, default: 0] > 1 {
      log.add(.pidClash, at: offset, "PID \(stream.pid) for several streams of the program")
    }
    for stream in streams {
      guard let other = maps.programs(of: stream.pid).first(where: { $0 != map.programNumber }) else { continue }
      log.add(.pidClash, at: offset, "PID \(stream.pid) in the maps of the programs \(other) and \(map.programNumber)")
    }
    guard !streams.isEmpty else { return }
    if streams.count > 1 { log.add(.onePID, at: offset, "timed ID3 on \(Self.name(streams.map { $0.pid }))") }
    let services = checkMetadata(streams, at: offset, &log)
    checkPointer(map, services, at: offset, &log)
  }

  /// Checks the descriptors of ID3 streams; returns their services.
  private func checkMetadata(_ streams: [ProgramMapTable.ElementaryStream], at offset: Int, _ log: inout FindingLog) -> [UInt8] {
    var services: [UInt8] = []
    for stream in streams {
      guard let descriptor = stream.descriptors.first(where: { MetadataDescriptor($0)?.isID3 == true }),
        let metadata = MetadataDescriptor(descriptor)
      else {
        log.add(.pmtMetadata, at: offset, "no metadata_descriptor of ID3 for PID \(stream.pid)")
        continue
      }
      services.append(metadata.serviceID)
      if descriptor != metadata.descriptor {
        log.add(.pmtForm, at: offset, "metadata_descriptor 26 \(Self.form(descriptor)) for PID \(stream.pid)")
      }
    }
    return services
  }

  private func checkPointer(_ map: ProgramMapTable, _ services: [UInt8], at offset: Int, _ log: inout FindingLog) {
    let pointers = map.descriptors.filter { MetadataPointerDescriptor($0)?.isID3 == true }
    guard let descriptor = pointers.first, let pointer = MetadataPointerDescriptor(descriptor) else {
      return log.add(.pmtPointer, at: offset, "no metadata_pointer_descriptor of ID3 in program \(map.programNumber)")
    }
    if pointer.programNumber != map.programNumber {
      let number = pointer.programNumber.map { "program \($0)" } ?? "no program"
      log.add(.pmtProgram, at: offset, "\(number) in the pointer of program \(map.programNumber)")
    } else if descriptor != pointer.descriptor {
      log.add(.pmtForm, at: offset, "metadata_pointer_descriptor 25 \(Self.form(descriptor))")
    }
    let pointed = pointers.compactMap { MetadataPointerDescriptor($0)?.serviceID }
    if let service = services.first(where: { !pointed.contains($0) }) {
      log.add(.pmtService, at: offset, "service \(service) of the stream and \(pointer.serviceID) of the pointer")
    }
  }

  private static func form(_ descriptor: Descriptor) -> String {
    TagChecker.hexadecimal([UInt8(truncatingIfNeeded: descriptor.data.count)] + descriptor.data)
  }
}
