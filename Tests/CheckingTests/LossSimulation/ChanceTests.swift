import Basics
import Testing

@testable import LossSimulation

/// Probabilities and gaps: the same everywhere, and as often as they should be.
@Suite struct ChanceTests {
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
