import Basics
import Testing

@Suite struct JSONFuzzTests {
  private static let seeds =
    roundTrips.map { [UInt8]($0.text.utf8) } + [
      [UInt8](#"{"eventType":"askQuestion","guid":"0b9f","sequence":7,"at":65.000000,"answers":["a","ü","\u00e9"],"seal":null}"#.utf8)
    ]

  /// Bytes that mean something in JSON or in UTF-8, so that mutations reach deep.
  private static let alphabet =
    [UInt8]("{}[]\",:\\u0123456789abcdefn-+.eE tr \n".utf8) + [0x00, 0x1F, 0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF0, 0xFF]

  private static func mutate(_ bytes: inout [UInt8], using generator: inout SeededNumbers) {
    let byte = alphabet.randomElement(using: &generator) ?? 0
    guard let index = bytes.indices.randomElement(using: &generator) else { return bytes.append(byte) }
    switch UInt8.random(in: 0..<5, using: &generator) {
    case 0: bytes[index] = byte
    case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: bytes.insert(byte, at: index)
    case 3: bytes.remove(at: index)
    default:
      let end = Int.random(in: index...bytes.count, using: &generator)
      bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count, using: &generator))
    }
  }

  @Test(arguments: 0..<UInt64(seeds.count)) func whatIsReadIsWrittenBackEqual(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    for _ in 0..<600 {
      var bytes = Self.seeds[Int(seed)]
      for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&bytes, using: &generator) }
      do {
        let value = try JSONValue(parsing: bytes.span)
        let text = value.text
        #expect(try JSONValue(parsing: text) == value)
        #expect(try JSONValue(parsing: text).text == text)
      } catch {
        #expect((0...bytes.count).contains(error.offset))
      }
    }
  }
}
