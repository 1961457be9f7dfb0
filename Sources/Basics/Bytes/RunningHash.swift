/// The FNV-1a hash of bytes that arrive in pieces, with 64 bits: the same on every platform and in every run. It finds equal contents, and is no
/// protection against people who look for collisions.
package struct RunningHash: Equatable, Sendable {
  /// The hash of the bytes so far.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  /// Adds bytes.
  package mutating func add(_ bytes: Span<UInt8>) {
    var hash = value
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* Self.prime }
    value = hash
  }

  /// Adds a number in one step.
  package mutating func add(_ number: UInt64) { value = (value ^ number) &* Self.prime }

  private static let prime: UInt64 = 0x100_0000_01B3
}
