/// Numbers that depend on a seed alone, the same on every platform (SplitMix64).
///
/// Each number can be computed from its place, without those before it.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
  @usableFromInline let seed: UInt64
  @usableFromInline var place: UInt64 = 0

  /// The numbers of a seed. Different purposes get different numbers from one seed.
  package init(seed: UInt64, purpose: UInt64 = 0) { self.seed = Self.mix(seed &+ Self.mix(purpose &+ 1)) }

  /// The number at a place.
  @inlinable
  package subscript(place: UInt64) -> UInt64 { Self.mix(seed &+ (place &+ 1) &* 0x9E37_79B9_7F4A_7C15) }

  /// The next number.
  @inlinable
  package mutating func next() -> UInt64 {
    defer { place &+= 1 }
    return self[place]
  }

  /// The next number from 0 up to, but not including, `bound`, each as likely as the others; 0 if there is none.
  package mutating func below(_ bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let bound = UInt64(bound)
    // Numbers above the last whole multiple of the bound would make small results more likely.
    let end = UInt64.max - UInt64.max % bound
    var number = next()
    while number >= end { number = next() }
    return Int(number % bound)
  }

  /// The elements in a random order (Fisher and Yates) that the next numbers decide.
  package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var shuffled = elements
    for index in shuffled.indices.dropFirst().reversed() { shuffled.swapAt(index, below(index + 1)) }
    return shuffled
  }

  @inlinable
  static func mix(_ state: UInt64) -> UInt64 {
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
