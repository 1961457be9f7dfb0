import Basics
import GameEvents
import Testing

@Suite struct SequenceSetTests {
  @Test(arguments: 0..<UInt64(20)) func behavesAsASetOfIntegers(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    var set = SequenceSet()
    var expected: Set<Int> = []
    for _ in 0..<300 {
      let lower = Int.random(in: -20...60, using: &generator)
      if Bool.random(using: &generator) {
        let range = lower...(lower + Int.random(in: 0...6, using: &generator))
        set.insert(range)
        expected.formUnion(range)
      } else {
        #expect(set.remove(lower) == (expected.remove(lower) != nil))
      }
      #expect(set.count == expected.count)
      #expect(set.isEmpty == expected.isEmpty)
      #expect((-25...75).allSatisfy { set.contains($0) == expected.contains($0) })
      #expect(set.ranges.flatMap { Array($0) } == expected.sorted())
      #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }

  @Test func rangesThatTouchAreOne() {
    var set = SequenceSet()
    for number in [5, 1, 3, 2, 4] { set.insert(number...number) }
    #expect(set.ranges == [1...5])
    #expect(set.remove(3) == true)
    #expect(set.ranges == [1...2, 4...5])
  }

  @Test func theEndsOfTheIntegersAreHeld() {
    var set = SequenceSet()
    set.insert(Int.max...Int.max)
    set.insert(Int.min...Int.min)
    set.insert((Int.max - 1)...(Int.max - 1))
    set.insert((Int.min + 1)...(Int.min + 1))
    #expect(set.ranges == [Int.min...(Int.min + 1), (Int.max - 1)...Int.max])
    #expect(set.count == 4)
    set.insert(Int.min...Int.max)
    #expect(set.ranges == [Int.min...Int.max])
    #expect(set.count == .max)
    #expect(set.remove(.max) == true)
    #expect(set.remove(.min) == true)
    #expect(set.ranges == [(Int.min + 1)...(Int.max - 1)])
    #expect(set.count == .max)
  }

  @Test func theLowestGoFirst() {
    var set = SequenceSet()
    for number in stride(from: 1, through: 19, by: 2) { set.insert(number...number) }
    set.dropLowest(keeping: 3)
    #expect(set.ranges == [15...15, 17...17, 19...19])
    set.dropLowest(keeping: 5)
    #expect(set.count == 3)
    set.dropLowest(keeping: -1)
    #expect(set.isEmpty)
  }
}
