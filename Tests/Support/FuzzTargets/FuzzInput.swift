import Basics

/// Takes an input apart: first some bytes that say how it is fed, then what is fed.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next byte; 0 behind the end.
  mutating func next() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next bytes, as many as there are.
  mutating func next(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}

extension [UInt8] {
  /// The bytes in pieces whose sizes depend on a seed: of one byte each for 0, else mostly small.
  func pieces(seed: UInt8) -> [[UInt8]] {
    var generator = SeededNumbers(seed: UInt64(seed))
    var pieces: [[UInt8]] = []
    var position = 0
    while position < count {
      let largest = seed == 0 ? 1 : seed % 4 == 0 ? 1_000 : 40
      let end = Swift.min(position + Int.random(in: 1...largest, using: &generator), count)
      pieces.append(Array(self[position..<end]))
      position = end
    }
    return pieces
  }
}
