import Basics
import Testing

/// Numbers and orders: the same everywhere, and as evenly spread as they should be.
@Suite struct SeededNumbersTests {
  @Test func numbersDependOnSeedAndPurposeAlone() {
    var numbers = SeededNumbers(seed: 1, purpose: 0)
    let first = (0..<3).map { _ in numbers.next() }
    #expect(first == [5_948_053_812_914_333_585, 10_371_359_604_880_545_516, 14_441_401_676_596_576_120])
    #expect((0..<3).map { numbers[$0] } == first)
    #expect(SeededNumbers(seed: 1, purpose: 1)[0] != first[0])
    #expect(SeededNumbers(seed: 2, purpose: 0)[0] != first[0])
  }

  @Test func numbersBelowABound() {
    var numbers = SeededNumbers(seed: 3, purpose: 1)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<7_000 { counts[numbers.below(7)] += 1 }
    #expect(counts.allSatisfy { (850...1_150).contains($0) })
    #expect(numbers.below(1) == 0 && numbers.below(0) == 0 && numbers.below(-3) == 0)
    #expect((0..<100).allSatisfy { _ in (0..<Int.max).contains(numbers.below(.max)) })
  }

  @Test func shufflingKeepsAllAndDependsOnTheSeed() {
    var numbers = SeededNumbers(seed: 5, purpose: 0)
    #expect(numbers.shuffled([Int]()) == [] && numbers.shuffled([1]) == [1])
    let shuffled = numbers.shuffled(Array(0..<100))
    #expect(shuffled != Array(0..<100) && shuffled.sorted() == Array(0..<100))
    var again = SeededNumbers(seed: 5, purpose: 0)
    #expect(again.shuffled(Array(0..<100)) == shuffled)
  }

  @Test func everyOrderIsAsLikelyAsTheOthers() {
    var numbers = SeededNumbers(seed: 8, purpose: 0)
    var counts: [[Int]: Int] = [:]
    for _ in 0..<6_000 { counts[numbers.shuffled([1, 2, 3]), default: 0] += 1 }
    #expect(counts.count == 6 && counts.values.allSatisfy { (850...1_150).contains($0) })
  }
}
