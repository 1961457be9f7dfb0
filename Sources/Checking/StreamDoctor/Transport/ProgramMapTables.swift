import TransportStream

/// The latest map of each program, and which programs list a PID.
struct ProgramMapTables: Sendable {
  private var maps: [UInt16: ProgramMapTable] = [:]
  /// The numbers of the programs that list a PID, in their order: hundreds of programs may list hundreds of PIDs, again and again.
  private var programs: [PID: [UInt16]] = [:]

  /// The map of a program.
  subscript(number: UInt16) -> ProgramMapTable? {
    get { maps[number] }
    set {
      for pid in Self.pids(of: maps[number]) { programs[pid]?.removeAll { $0 == number } }
      maps[number] = newValue
      for pid in Self.pids(of: newValue) {
        let place = programs[pid]?.firstIndex { $0 > number } ?? programs[pid]?.endIndex ?? 0
        programs[pid, default: []].insert(number, at: place)
      }
    }
  }

  /// The numbers of the programs that list a PID, in their order.
  func programs(of pid: PID) -> [UInt16] { programs[pid] ?? [] }

  /// The first program's map that lists a PID.
  func first(with pid: PID) -> ProgramMapTable? { programs[pid]?.first.flatMap { maps[$0] } }

  /// Forgets the maps of programs that are not among `numbers`.
  mutating func keep(_ numbers: Set<UInt16>) {
    for number in Array(maps.keys) where !numbers.contains(number) { self[number] = nil }
  }

  private static func pids(of map: ProgramMapTable?) -> Set<PID> { Set(map?.streams.map { $0.pid } ?? []) }
}
