import Basics
import Testing
import TransportStream

@testable import StreamDoctor

@Suite struct PMTIndexTests {
  private func map(_ number: UInt16, _ pids: [PID]) -> ProgramMapTable {
    ProgramMapTable(programNumber: number, version: 0, pcrPID: 0x1FFF, streams: pids.map { .init(type: .metadata, pid: $0) })
  }

  /// The expectation searches all PMTs.
  @Test(arguments: [1, 2, 3]) func knowsWhoListsAPID(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed, purpose: 1)
    var index = PMTIndex()
    var expected: [UInt16: ProgramMapTable] = [:]
    for _ in 0..<200 {
      let number = UInt16(numbers.below(6))
      switch numbers.below(8) {
      case 0:
        index[number] = nil
        expected[number] = nil
      case 1:
        let kept = Set((0..<3).map { _ in UInt16(numbers.below(6)) })
        index.keep(kept)
        expected = expected.filter { kept.contains($0.key) }
      default:
        let map = map(number, (0..<numbers.below(5)).map { _ in PID(numbers.below(7)) })
        index[number] = map
        expected[number] = map
      }
      for number in 0..<6 { #expect(index[UInt16(number)] == expected[UInt16(number)]) }
      for pid in PID(0)..<7 {
        let users = expected.keys.sorted().filter { expected[$0]?.streams.contains { $0.pid == pid } ?? false }
        #expect(index.programs(of: pid) == users)
        #expect(index.first(with: pid) == users.first.flatMap { expected[$0] })
      }
    }
  }
}
