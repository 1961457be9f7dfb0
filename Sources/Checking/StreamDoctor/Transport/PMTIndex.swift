import TransportStream

/// The latest PMT of each program, and which programs list a PID.
struct PMTIndex: Sendable {
  private var pmts: [UInt16: ProgramMapTable] = [:]
  /// The numbers of the programs that list a PID, in ascending order. It avoids frequent searches through hundreds of programs with hundreds of PIDs.
  private var programs: [PID: [UInt16]] = [:]

  /// The PMT of a program.
  subscript(number: UInt16) -> ProgramMapTable? {
    get { pmts[number] }
    set {
      for pid in Self.pids(of: pmts[number]) { programs[pid]?.removeAll { $0 == number } }
      pmts[number] = newValue
      for pid in Self.pids(of: newValue) {
        let place = programs[pid]?.firstIndex { $0 > number } ?? programs[pid]?.endIndex ?? 0
        programs[pid, default: []].insert(number, at: place)
      }
    }
  }

  /// The numbers of the programs that list a PID, in ascending order.
  func programs(of pid: PID) -> [UInt16] { programs[pid] ?? [] }

  /// The first program's PMT that lists a PID.
  func first(with pid: PID) -> ProgramMapTable? { programs[pid]?.first.flatMap { pmts[$0] } }

  /// Removes the PMTs of programs that are not among `numbers`.
  mutating func keep(_ numbers: Set<UInt16>) {
    for number in Array(pmts.keys) where !numbers.contains(number) { self[number] = nil }
  }

  private static func pids(of pmt: ProgramMapTable?) -> Set<PID> { Set(pmt?.streams.map { $0.pid } ?? []) }
}
