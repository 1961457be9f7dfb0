import Testing

@testable import LibCrypto

/// Keys from passwords, with the vectors of RFC 7914, 12: the first half of each, since a key of 64 bytes begins with the one of 32.
@Suite struct ScryptTests {
  struct Vector: Sendable {
    var password: [UInt8]
    var salt: [UInt8]
    var cost: Scrypt.Cost
    var key: [UInt8]

    init(_ password: String, _ salt: String, _ cost: Scrypt.Cost, _ key: String) {
      (self.password, self.salt, self.cost, self.key) = (Array(password.utf8), Array(salt.utf8), cost, bytes(key))
    }
  }

  /// The fourth vector takes a gigabyte.
  static let vectors = [
    Vector("", "", Scrypt.Cost(logN: 4, r: 1, p: 1), "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"),
    Vector(
      "password", "NaCl", Scrypt.Cost(logN: 10, r: 8, p: 16), "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"),
    Vector(
      "pleaseletmein", "SodiumChloride", Scrypt.Cost(logN: 14, r: 8, p: 1),
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"),
  ]

  @Test(arguments: vectors) func thePublishedVectors(_ vector: Vector) throws {
    #expect(try Scrypt.key(password: vector.password, salt: vector.salt, cost: vector.cost) == vector.key)
  }

  /// Each part of it matters: other passwords, salts and costs make other keys.
  @Test func everythingMatters() throws {
    let cost = Scrypt.Cost(logN: 4, r: 2, p: 2)
    var keys: Set<[UInt8]> = []
    for (password, salt) in [("a", "salt"), ("b", "salt"), ("a", "Salt"), ("", "salt"), ("a", ""), ("as", "alt")] {
      let (password, salt) = (Array(password.utf8), Array(salt.utf8))
      let key = try Scrypt.key(password: password, salt: salt, cost: cost)
      keys.insert(key)
      #expect(key.count == 32)
      // Always the same.
      #expect(try Scrypt.key(password: password, salt: salt, cost: cost) == key)
    }
    for other in [Scrypt.Cost(logN: 5, r: 2, p: 2), Scrypt.Cost(logN: 4, r: 1, p: 2), Scrypt.Cost(logN: 4, r: 2, p: 1)] {
      keys.insert(try Scrypt.key(password: [0x61], salt: Array("salt".utf8), cost: other))
    }
    #expect(keys.count == 9)
    // HMAC pads its key with zeros: a password with NUL behind it is the same one, and has to be refused by who takes it.
    let (plain, padded) = (Array("a".utf8), Array("a\0".utf8))
    let key = try Scrypt.key(password: plain, salt: [1], cost: cost)
    #expect(try Scrypt.key(password: padded, salt: [1], cost: cost) == key)
  }

  /// What OWASP recommends fits the memory that is allowed for it.
  @Test func theUsualCost() throws {
    #expect(Scrypt.Cost.usual == Scrypt.Cost(logN: 15, r: 8, p: 3))
    #expect(try Scrypt.key(password: [1], salt: [2], cost: .usual).count == 32)
  }

  /// Costs that are none of scrypt.
  @Test(arguments: [Scrypt.Cost(logN: 0, r: 8, p: 1), Scrypt.Cost(logN: 4, r: 0, p: 1), Scrypt.Cost(logN: 4, r: 8, p: 0)])
  func wrongCosts(_ cost: Scrypt.Cost) {
    #expect(throws: LibCryptoError(description: "libcrypto cannot make a key of a password")) {
      try Scrypt.key(password: [1], salt: [2], cost: cost)
    }
  }
}
