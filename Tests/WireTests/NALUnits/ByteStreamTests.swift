import Basics
import NALUnits
import Testing

/// The NAL units of byte streams.
@Suite struct ByteStreamTests {
  private func units(_ bytes: [UInt8]) -> [[UInt8]] {
    var units: [[UInt8]] = []
    ByteStream.forEachUnit(in: bytes.span) { units.append(Array(bytes[$0])) }
    return units
  }

  @Test(
    arguments: [
      ([], []), ([0, 0, 1], []), ([0, 0, 1, 9], [[9]]), ([7, 0, 0, 0, 1, 9, 0xF0, 0, 0, 1, 0x65, 1, 2], [[9, 0xF0], [0x65, 1, 2]]),
      // Zero bytes after a unit belong to none, and three bytes that are no start code belong to it.
      ([0, 0, 1, 9, 0, 0, 0, 0, 0, 1, 6, 0, 0, 2, 0, 3, 0, 0], [[9], [6, 0, 0, 2, 0, 3]]), ([0, 0, 1, 0, 0, 1, 5], [[5]]), ([1, 2, 3], []),
    ] as [([UInt8], [[UInt8]])])
  func units(_ bytes: [UInt8], _ expected: [[UInt8]]) { #expect(units(bytes) == expected) }

  /// Whatever the bytes are, the units lie in them in order, and start codes lie in none of them.
  @Test func anyBytes() {
    var generator = SeededNumbers(seed: 4)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...3, using: &generator) }
      var end = 0
      ByteStream.forEachUnit(in: bytes.span) { range in
        #expect(range.lowerBound >= end + 3 && range.upperBound <= bytes.count && !range.isEmpty && bytes[range.upperBound - 1] != 0)
        let unit = Array(bytes[range])
        #expect(!unit.indices.dropLast(2).contains { Array(unit[$0..<$0 + 3]) == [0, 0, 1] }, "\(bytes)")
        end = range.upperBound
      }
    }
  }
}
