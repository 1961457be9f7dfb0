import Foundation
import Testing

@testable import Seals

/// Keys as OpenSSL writes them (`openssl genpkey -algorithm ed25519`, `openssl pkey -pubout`), and as 32 bytes.
@Suite struct SignatureKeyTests {
  /// The key of RFC 8410, 10.1 and 10.3; the second one with attributes and the public key.
  static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    -----END PRIVATE KEY-----

    """
  static let longPrivateKey = """
    -----BEGIN PRIVATE KEY-----
    MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
    Z9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PRIVATE KEY-----

    """
  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PUBLIC KEY-----

    """
  /// A key of X25519, which agrees on secrets and signs nothing.
  static let otherKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VuAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PUBLIC KEY-----

    """
  private static let privateBytes = "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842"
  private static let publicBytes = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"

  private func read(_ kind: SignatureKey.Kind, _ text: String) throws(SignatureKeyError) -> String {
    try SignatureKey.bytes(kind, fileContents: Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
  }

  @Test func keysAreRead() throws {
    for text in [
      Self.privateKey, Self.longPrivateKey, "made by hand\r\n" + Self.privateKey.replacing("\n", with: "\r\n"), Self.privateBytes,
    ] {
      #expect(try read(.signing, text) == Self.privateBytes)
    }
    for text in [Self.publicKey, Self.publicBytes + "\n", "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="] {
      #expect(try read(.checking, text) == Self.publicBytes)
    }
  }

  @Test func otherKeysAreRefused() {
    #expect(throws: SignatureKeyError.otherKey(wanted: .signing)) { try read(.signing, Self.publicKey) }
    #expect(throws: SignatureKeyError.otherKey(wanted: .checking)) { try read(.checking, Self.privateKey) }
    #expect(throws: SignatureKeyError.otherAlgorithm) { try read(.checking, Self.otherKey) }
    #expect(throws: SignatureKeyError.unreadable(.checking, byteCount: 5)) { try read(.checking, "hello") }
  }

  /// Whatever is cut off or changed gives a key of the same length or an error.
  @Test func damagedKeysAreRefused() {
    for (kind, text) in [(SignatureKey.Kind.signing, Self.longPrivateKey), (.checking, Self.publicKey)] {
      let whole = Array(text.utf8)
      for count in 0..<whole.count - 1 {
        #expect(throws: SignatureKeyError.self) { try SignatureKey.bytes(kind, fileContents: Array(whole[..<count])) }
      }
      for index in whole.indices {
        for byte: UInt8 in [0, 0x0A, 0x41, 0x2F, 0x3D, 0xFF] {
          var changed = whole
          changed[index] = byte
          if let key = try? SignatureKey.bytes(kind, fileContents: changed) { #expect(key.count == 32) }
        }
      }
    }
  }
}
