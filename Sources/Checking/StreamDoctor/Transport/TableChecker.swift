import Basics
import TransportStream

/// Checks the PAT and the PMTs.
struct TableChecker: Sendable {
  /// Whether the current segment has a PAT and a PMT.
  private(set) var hasPAT = false
  private(set) var hasPMT = false

  private var pat: ProgramAssociationTable?
  /// The latest PMT of each program.
  private var pmts = PMTIndex()
  private var assemblers: [PID: SectionAssembler] = [ProgramAssociationTable.pid: SectionAssembler()]
  private var checksums: [PID: SectionChecksums] = [:]
  /// Whether PMTs must not change, as in segments without a discontinuity between them.
  private var isSettled = false

  /// Whether packets of this PID carry tables.
  func follows(_ pid: PID) -> Bool { assemblers[pid] != nil }

  /// The PMT of the first program.
  var firstPMT: ProgramMapTable? { pat?.programs.first.flatMap { pmts[$0.number] } }

  /// The first program's PMT that lists a PID.
  func pmt(of pid: PID) -> ProgramMapTable? { pmts.first(with: pid) }

  /// Starts a segment. If it continues the previous one, it must have the same PMTs.
  mutating func startSegment(isContinuous: Bool) {
    if !isContinuous { self = TableChecker() }
    (hasPAT, hasPMT) = (false, false)
    isSettled = isContinuous
    for pid in Array(assemblers.keys) { assemblers[pid]?.reset() }
  }

  /// Checks a packet of a PID that carries tables; returns whether a PMT is new or has changed.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, at offset: Int, _ log: inout FindingLog) -> Bool {
    var isChanged = false
    for bytes in assemblers[header.pid]?.push(header, payload: payload) ?? [] {
      guard bytes[0] == ProgramAssociationTable.tableID || bytes[0] == ProgramMapTable.tableID else { continue }
      let checksum = checksums[header.pid, default: SectionChecksums()].check(bytes)
      if checksum != .right { log.add(.tableCRC, at: offset, "a wrong checksum in a section on PID \(header.pid)") }
      guard checksum != .damaged, let section = try? Section(unchecked: bytes.span), section.isCurrent else { continue }
      if header.pid == ProgramAssociationTable.pid {
        update((try? ProgramAssociationTable(section)) ?? pat)
      } else if let pmt = try? ProgramMapTable(section), isListed(pmt, on: header.pid), update(pmt, at: offset, &log) {
        isChanged = true
      }
    }
    return isChanged
  }

  private func isListed(_ pmt: ProgramMapTable, on pid: PID) -> Bool {
    pat?.programs.contains { $0.number == pmt.programNumber && $0.pmtPID == pid } ?? false
  }

  private mutating func update(_ table: ProgramAssociationTable?) {
    guard let table else { return }
    hasPAT = true
    guard table != pat else { return }
    pat = table
    let pids = [ProgramAssociationTable.pid] + table.programs.prefix(ProgramTables.largestProgramCount).map { $0.pmtPID }
    assemblers = assemblers.filter { pids.contains($0.key) }
    for pid in pids where assemblers[pid] == nil { assemblers[pid] = SectionAssembler() }
    pmts.keep(Set(table.programs.map { $0.number }))
  }

  private mutating func update(_ pmt: ProgramMapTable, at offset: Int, _ log: inout FindingLog) -> Bool {
    hasPMT = true
    let previous = pmts[pmt.programNumber]
    pmts[pmt.programNumber] = pmt
    // Some multiplexers increment the version in each segment although the map is the same.
    var same = previous
    same?.version = pmt.version
    guard pmt != same else { return false }
    if let previous {
      if isSettled {
        log.add(.pmtChanges, at: offset, Self.change(from: previous, to: pmt))
      } else if pmt.version == previous.version {
        log.add(.pmtVersion, at: offset, "another map of program \(pmt.programNumber) with version \(pmt.version) as before")
      }
    }
    check(pmt, at: offset, &log)
    return true
  }

  private static func change(from previous: ProgramMapTable, to pmt: ProgramMapTable) -> String {
    let (before, after) = (previous.timedID3Streams.map { $0.pid }, pmt.timedID3Streams.map { $0.pid })
    if before != after { return "timed ID3 on \(name(after)) instead of \(name(before))" }
    return "another map, of version \(pmt.version) instead of \(previous.version)"
  }

  private static func name(_ pids: [PID]) -> String {
    pids.isEmpty ? "no PID" : "PID " + pids.map { "\($0)" }.joined(separator: ", ")
  }

  private func check(_ pmt: ProgramMapTable, at offset: Int, _ log: inout FindingLog) {
    let streams = pmt.streams.filter { $0.type == .metadata && $0.isTimedID3 }
    let uses = Dictionary(pmt.streams.map { ($0.pid, 1) }, uniquingKeysWith: +)
    for stream in pmt.streams where stream.type == .metadata && uses[stream.pid, default: 0] > 1 {
      log.add(.pidClash, at: offset, "PID \(stream.pid) for several streams of the program")
    }
    for stream in streams {
      guard let other = pmts.programs(of: stream.pid).first(where: { $0 != pmt.programNumber }) else { continue }
      log.add(.pidClash, at: offset, "PID \(stream.pid) in the maps of the programs \(other) and \(pmt.programNumber)")
    }
    guard !streams.isEmpty else { return }
    if streams.count > 1 { log.add(.onePID, at: offset, "timed ID3 on \(Self.name(streams.map { $0.pid }))") }
    let services = checkMetadata(streams, at: offset, &log)
    checkPointer(pmt, services, at: offset, &log)
  }

  /// Checks the descriptors of ID3 streams; returns their service ids.
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

  private func checkPointer(_ pmt: ProgramMapTable, _ services: [UInt8], at offset: Int, _ log: inout FindingLog) {
    let pointers = pmt.descriptors.filter { MetadataPointerDescriptor($0)?.isID3 == true }
    guard let descriptor = pointers.first, let pointer = MetadataPointerDescriptor(descriptor) else {
      return log.add(.pmtPointer, at: offset, "no metadata_pointer_descriptor of ID3 in program \(pmt.programNumber)")
    }
    if pointer.programNumber != pmt.programNumber {
      let number = pointer.programNumber.map { "program \($0)" } ?? "no program"
      log.add(.pmtProgram, at: offset, "\(number) in the pointer of program \(pmt.programNumber)")
    } else if descriptor != pointer.descriptor {
      log.add(.pmtForm, at: offset, "metadata_pointer_descriptor 25 \(Self.form(descriptor))")
    }
    let pointed = pointers.compactMap { MetadataPointerDescriptor($0)?.serviceID }
    if let service = services.first(where: { !pointed.contains($0) }) {
      log.add(.pmtService, at: offset, "service \(service) of the stream and \(pointer.serviceID) of the pointer")
    }
  }

  private static func form(_ descriptor: Descriptor) -> String {
    hexadecimal([UInt8(truncatingIfNeeded: descriptor.data.count)] + descriptor.data)
  }
}
