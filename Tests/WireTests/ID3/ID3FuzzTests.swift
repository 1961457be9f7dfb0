import Basics
import ID3
import Testing

@Suite struct ID3FuzzTests {
  private static let seeds = ID3DecodingTests.cases.map(\.bytes) + frameCases.map { tagBytes($0.bytes) }

  /// Changes some bytes of a tag, and makes its size right again, so that the frames are read.
  private static func mutate(_ bytes: inout [UInt8], using generator: inout SeededNumbers) {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let index = Int.random(in: 3..<bytes.count, using: &generator)
      switch UInt8.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2 where index >= 10: bytes.insert([0, 0xFF, 0xD8, 0x54].randomElement(using: &generator) ?? 0, at: index)
      case 3 where index >= 10: bytes.remove(at: index)
      default: bytes[index] &+= 1
      }
    }
    if Bool.random(using: &generator), bytes.count >= 10 { bytes.replaceSubrange(6..<10, with: synchsafe(bytes.count - 10)) }
  }

  @Test(arguments: 0..<UInt64(seeds.count)) func whatIsReadIsWrittenBackEqual(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    for _ in 0..<500 {
      var bytes = Self.seeds[Int(seed)]
      Self.mutate(&bytes, using: &generator)
      let tag: ID3Tag
      do {
        tag = try decode(bytes)
      } catch {
        #expect((0...bytes.count).contains(error.offset))
        continue
      }
      if tag.version == 4 {
        #expect(try decode(try tag.encode()) == tag)
      } else if let encoded = try? tag.encode() {
        #expect(try decode(encoded).frames.map(\.id) == tag.frames.map(\.id))
      }
    }
  }
}
