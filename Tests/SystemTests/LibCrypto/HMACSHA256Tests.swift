import Basics
import Testing

@testable import LibCrypto

/// HMAC with SHA-256, with the vectors of RFC 4231, 4.
@Suite struct HMACSHA256Tests {
  struct Vector: Sendable {
    var key: [UInt8]
    var message: [UInt8]
    var code: [UInt8]

    init(_ key: [UInt8], _ message: [UInt8], _ code: String) { (self.key, self.message, self.code) = (key, message, bytes(code)) }
  }

  private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  static let vectors = [
    Vector(
      repeated(0x0B, 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      repeated(0xAA, 20), repeated(0xDD, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      (1...25).map { UInt8($0) }, repeated(0xCD, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    // Of the fifth vector the RFC gives the first half only.
    Vector(
      repeated(0x0C, 20), Array("Test With Truncation".utf8), "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      repeated(0xAA, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      repeated(0xAA, 131),
      Array(
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
          .utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: vectors) func thePublishedVectors(_ vector: Vector) throws {
    let code = try #require(try HMACSHA256(key: vector.key).code(of: vector.message))
    #expect(code.count == HMACSHA256.length && Array(code.prefix(vector.code.count)) == vector.code)
  }

  /// The library and what readers have say the same, for keys and messages of every length around that of a block, none among them.
  @Test func theSameAsReadersHave() throws {
    var numbers = SeededNumbers(seed: 4231)
    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) } }
    let lengths = [0, 1, 31, 32, 55, 56, 63, 64, 65, 127, 128, 129, 200]
    for keyLength in lengths {
      let key = random(keyLength)
      let codes = try HMACSHA256(key: key)
      for length in lengths {
        let message = random(length)
        #expect(codes.code(of: message) == SHA256.authenticationCode(of: message, key: key), "\(keyLength) and \(length) bytes")
      }
    }
  }

  /// Many threads may use one key.
  @Test func manyAtOnce() async throws {
    let codes = try HMACSHA256(key: [1, 2, 3])
    let found = await withTaskGroup(of: [UInt8]?.self, returning: Set<[UInt8]>.self) { group in
      for number in UInt8(0)..<200 { group.addTask { codes.code(of: [number]) } }
      var found: Set<[UInt8]> = []
      for await code in group { if let code { found.insert(code) } }
      return found
    }
    #expect(found == Set((UInt8(0)..<200).map { SHA256.authenticationCode(of: [$0], key: [1, 2, 3]) }))
  }
}
