import Testing

@testable import Basics

@Suite struct DigestTests {
  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The examples of FIPS 180-4 and of NIST's test vectors.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
  ])
  func publishedExamples(message: String, sha256: String, sha1: String) {
    #expect(hexadecimal(SHA256.hash(Array(message.utf8))) == sha256)
    #expect(hexadecimal(SHA1.hash(Array(message.utf8))) == sha1)
  }

  /// A million times "a", which is FIPS 180-4's long example.
  @Test func longMessage() {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(hexadecimal(SHA256.hash(message)) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(hexadecimal(SHA1.hash(message)) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
  }

  /// The lengths around a block's end, where the padding takes another block: digests of digests, computed by Python's hashlib.
  @Test func everyLengthOfPadding() {
    var chain = [UInt8]()
    for length in 0...130 { chain = SHA256.hash(chain + [UInt8](repeating: UInt8(length), count: length)) }
    #expect(hexadecimal(chain) == "aab5e43e0d12ba2b6c213f09839c2e9c357cfeef906ce89850ef2842afc9782d")
    chain = []
    for length in 0...130 { chain = SHA1.hash(chain + [UInt8](repeating: UInt8(length), count: length)) }
    #expect(hexadecimal(chain) == "c5e065db29e9cbeda2033c81574b1ac810a9b3ec")
  }

  /// RFC 4231, test cases 1, 2 and 6.
  @Test(arguments: [
    ([UInt8](repeating: 0x0B, count: 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (Array("Jefe".utf8), "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
      [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func authenticationCodes(key: [UInt8], message: String, expected: String) {
    #expect(hexadecimal(SHA256.authenticationCode(of: Array(message.utf8), key: key)) == expected)
  }
}

/// Comparing without telling where the difference is.
@Suite struct SecretComparisonTests {
  @Test func comparingSecretly() {
    let bytes: [UInt8] = [0, 1, 0x80, 0xFF]
    #expect(bytes.isSecretlyEqual(to: [0, 1, 0x80, 0xFF]) && [UInt8]().isSecretlyEqual(to: []))
    for place in bytes.indices {
      for bit in UInt8(0)..<8 {
        var other = bytes
        other[place] ^= 1 << bit
        #expect(!bytes.isSecretlyEqual(to: other) && !other.isSecretlyEqual(to: bytes))
      }
      let part = Array(bytes[..<place])
      #expect(!bytes.isSecretlyEqual(to: part) && !part.isSecretlyEqual(to: bytes))
    }
  }
}
