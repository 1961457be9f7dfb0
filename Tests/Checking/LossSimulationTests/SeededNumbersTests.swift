import Testing

@testable import LossSimulation

/// Numbers, probabilities and gaps: the same everywhere, and as often as they should be.
@Suite struct SeededNumbersTests {
  @Test func numbersDependOnSeedAndPurposeAlone() {
    var numbers = SeededNumbers(seed: 1, purpose: 0)
    let first = (0..<3).map { _ in numbers.next() }
    #expect(first == [5_948_053_812_914_333_585, 10_371_359_604_880_545_516, 14_441_401_676_596_576_120])
    #expect((0..<3).map { numbers[$0] } == first)
    #expect(SeededNumbers(seed: 1, purpose: 1)[0] != first[0])
    #expect(SeededNumbers(seed: 2, purpose: 0)[0] != first[0])
  }

  @Test func chances() {
    #expect(!Chance(0).includes(0) && Chance(1).includes(.max))
    #expect(Chance(0.5).includes(.max / 2) && !Chance(0.5).includes(.max / 2 + 1))
  }

  @Test func gapsOfCertaintyAndOfNothing() {
    for number: UInt64 in [0, 1 << 40, .max] { #expect(Gaps(1).gap(number) == 0) }
    #expect(Gaps(0).gap(0) == (1 << 62) - 1)
  }

  /// The mean gap is (1 - p) / p.
  @Test(arguments: [0.5, 0.01, 0.0001]) func gapsHaveTheirMean(probability: Double) {
    var numbers = SeededNumbers(seed: 7, purpose: 0)
    let gaps = Gaps(probability)
    let count = 20_000
    let mean = (0..<count).reduce(0.0) { sum, _ in sum + Double(gaps.gap(numbers.next())) } / Double(count)
    let expected = (1 - probability) / probability
    #expect(abs(mean - expected) < 0.04 * expected)
  }
}
