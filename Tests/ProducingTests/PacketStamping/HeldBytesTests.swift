import Basics
import Testing

@testable import PacketStamping

@Suite struct HeldBytesTests {
  /// Whatever is added, overwritten and released, in whatever order, it is what an array would hold.
  @Test(arguments: 0..<8 as Range<UInt64>) func holdsWhatAnArrayWould(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var (held, output) = (HeldBytes(), [UInt8]())
    var (expected, expectedOutput): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<400 {
      // Now more is added and now more is released, so that the memory grows, and its end is passed many times.
      let added = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      held.append(added.span)
      expected += added
      if let offset = expected.indices.randomElement(using: &random) {
        let new = [UInt8](repeating: 0xEE, count: Int.random(in: 0...min(204, expected.count - offset), using: &random))
        held.replace(from: offset, with: new.span)
        expected.replaceSubrange(offset..<offset + new.count, with: new)
      }
      let released = Bool.random(using: &random) ? Int.random(in: 0...min(3_000, expected.count), using: &random) : 0
      held.release(released, to: &output)
      expectedOutput += expected.prefix(released)
      expected.removeFirst(released)
      #expect(held.count == expected.count)
    }
    held.release(held.count, to: &output)
    #expect(output == expectedOutput + expected)
    #expect(held.count == 0)
  }

  /// More than the memory that there is at first, in one piece and from within the ring.
  @Test func growsToWhatItIsGiven() {
    var (held, output) = (HeldBytes(), [UInt8]())
    let small = [UInt8](repeating: 1, count: 50_000), large = [UInt8](repeating: 2, count: 300_000)
    for _ in 0..<3 {
      held.append(small.span)
      held.release(40_000, to: &output)
    }
    held.append(large.span)
    held.release(held.count, to: &output)
    #expect(output == small + small + small + large)
  }
}
