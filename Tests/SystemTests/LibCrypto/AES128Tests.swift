import Testing

@testable import LibCrypto

/// AES-128 in CBC mode, with the vectors of NIST SP 800-38A, F.2.1 and F.2.2.
@Suite struct AES128Tests {
  private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
  private static let vector = bytes("000102030405060708090a0b0c0d0e0f")
  private static let encrypted = bytes(
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7")
  private static let plain = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

  @Test func decryptsThePublishedVectors() throws {
    #expect(try AES128.decrypt(Self.encrypted, key: Self.key, vector: Self.vector) == Self.plain)
    #expect(try AES128.decrypt([], key: Self.key, vector: Self.vector) == [])
  }

  @Test func encryptsThePublishedVectors() throws {
    #expect(try AES128.encrypt(Self.plain, key: Self.key, vector: Self.vector) == Self.encrypted)
    #expect(try AES128.encrypt([], key: Self.key, vector: Self.vector) == [])
    #expect(try AES128.encrypt(Array(Self.plain.dropLast()), key: Self.key, vector: Self.vector) == nil)
    #expect(try AES128.encrypt(Self.plain, key: [], vector: Self.vector) == nil)
  }

  /// A message in parts: each part's vector is the last encrypted block before it.
  @Test(arguments: [16, 32, 48]) func decryptsInParts(split: Int) throws {
    let vector = Array(Self.encrypted[(split - 16)..<split])
    #expect(try AES128.decrypt(Array(Self.encrypted[split...]), key: Self.key, vector: vector) == Array(Self.plain[split...]))
  }

  @Test func refusesOtherLengths() throws {
    #expect(try AES128.decrypt(Array(Self.encrypted.dropLast()), key: Self.key, vector: Self.vector) == nil)
    #expect(try AES128.decrypt(Self.encrypted, key: Array(Self.key.dropLast()), vector: Self.vector) == nil)
    #expect(try AES128.decrypt(Self.encrypted, key: Self.key, vector: []) == nil)
  }
}
