/// A probability that is compared with random numbers of 64 bits.
struct Chance: Equatable, Sendable {
  /// The highest number within the probability; `nil` if there is none.
  private let highest: UInt64?

  /// A probability from 0 to 1.
  init(_ probability: Double) {
    let scaled = probability * 18_446_744_073_709_551_616
    highest = scaled < 1 ? nil : scaled >= 18_446_744_073_709_551_616 ? .max : UInt64(scaled) - 1
  }

  /// Whether a number is within the probability.
  @inline(__always)
  func includes(_ number: UInt64) -> Bool { highest.map { number <= $0 } ?? false }
}

/// The number of trials that fail before one succeeds, where each succeeds with the same probability.
///
/// A gap takes one random number. It does not use the logarithm, because its last digit differs between platforms.
struct Gaps: Sendable {
  /// The probabilities that 1, 2, 4, 8 ... trials in a row fail.
  private let powers: [Double]

  /// The smallest number that is drawn. Smaller powers do not matter.
  private static let smallest = 1 / 9_007_199_254_740_992.0
  /// More powers would make gaps that do not fit `Int`.
  private static let mostPowers = 62

  /// The gaps between trials that succeed with a probability from 0 to 1.
  init(_ probability: Double) {
    var powers: [Double] = []
    var power = 1 - probability
    while power >= Self.smallest, powers.count < Self.mostPowers {
      powers.append(power)
      power *= power
    }
    self.powers = powers
  }

  /// The gap for a random number.
  func gap(_ number: UInt64) -> Int {
    // From the smallest number above 0 to 1.
    let drawn = Double((number >> 11) + 1) * Self.smallest
    var reached = 1.0
    var gap = 0
    for index in powers.indices.reversed() {
      let next = reached * powers[index]
      guard next >= drawn else { continue }
      reached = next
      gap |= 1 << index
    }
    return gap
  }
}
