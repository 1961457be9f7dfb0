import Testing

@testable import LibCrypto

/// Ed25519, with the vectors of RFC 8032, 7.1.
@Suite struct Ed25519Tests {
  struct Vector: Sendable {
    var privateKey: [UInt8]
    var publicKey: [UInt8]
    var message: [UInt8]
    var signature: [UInt8]

    init(_ privateKey: String, _ publicKey: String, _ message: String, _ signature: String) {
      (self.privateKey, self.publicKey) = (bytes(privateKey), bytes(publicKey))
      (self.message, self.signature) = (bytes(message), bytes(signature))
    }
  }

  static let vectors = [
    Vector(
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    Vector(
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    Vector(
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
  ]

  @Test(arguments: vectors) func signsAndChecksThePublishedVectors(_ vector: Vector) throws {
    #expect(try Ed25519.sign(vector.message, privateKey: vector.privateKey) == vector.signature)
    #expect(Ed25519.isRight(vector.signature, of: vector.message, publicKey: vector.publicKey))
    #expect(try Ed25519.publicKey(of: vector.privateKey) == vector.publicKey)
  }

  /// Each bit of a signature matters, and so does the message and the key.
  @Test func refusesEverythingElse() {
    let vector = Self.vectors[1]
    for index in 0..<64 {
      for bit in 0..<8 {
        var other = vector.signature
        other[index] ^= 1 << UInt8(bit)
        #expect(!Ed25519.isRight(other, of: vector.message, publicKey: vector.publicKey))
      }
    }
    #expect(!Ed25519.isRight(vector.signature, of: [0x73], publicKey: vector.publicKey))
    #expect(!Ed25519.isRight(vector.signature, of: vector.message, publicKey: Self.vectors[0].publicKey))
  }

  @Test(arguments: [0, 31, 33, 63, 65]) func refusesOtherLengths(count: Int) {
    let (bytes, vector) = ([UInt8](repeating: 1, count: count), Self.vectors[0])
    #expect(!Ed25519.isRight(bytes, of: [], publicKey: vector.publicKey))
    #expect(!Ed25519.isRight(vector.signature, of: [], publicKey: bytes))
    #expect(throws: LibCryptoError(description: "libcrypto cannot sign")) { try Ed25519.sign([], privateKey: bytes) }
    #expect(throws: LibCryptoError(description: "libcrypto cannot make a public key")) { try Ed25519.publicKey(of: bytes) }
  }
}
