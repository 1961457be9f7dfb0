import Basics

/// A key of Ed25519, as OpenSSL writes it: PEM (RFC 7468) around PKCS #8 or SubjectPublicKeyInfo (RFC 8410). The other formats of keys of 32
/// bytes are read too.
package enum SignatureKey {
  /// Which of the two keys of a pair is wanted.
  package enum Kind: Sendable {
    /// The private key, for signing.
    case signing
    /// The public key, for checking signatures.
    case checking

    fileprivate var label: String {
      switch self {
      case .signing: "PRIVATE KEY"
      case .checking: "PUBLIC KEY"
      }
    }
  }

  /// Reads a key.
  ///
  /// - Returns: Its 32 bytes.
  /// - Throws: ``SignatureKeyError`` for anything else. The error does not contain the text.
  package static func bytes(_ kind: Kind, fileContents: [UInt8]) throws(SignatureKeyError) -> [UInt8] {
    let other: Kind = kind == .signing ? .checking : .signing
    if let der = pem(kind.label, in: fileContents) {
      guard let key = kind == .signing ? privateKey(in: der) : publicKey(in: der) else { throw .otherAlgorithm }
      return key
    }
    guard pem(other.label, in: fileContents) == nil else { throw .otherKey(wanted: kind) }
    // A damaged PEM text may happen to have as many bytes as a key.
    guard !fileContents.starts(with: "-----BEGIN".utf8), let key = KeyText.key(in: fileContents) else {
      throw .unreadable(kind, byteCount: fileContents.count)
    }
    return key
  }

  /// The bytes of a PEM text with this label; `nil` if it has none.
  private static func pem(_ label: String, in text: [UInt8]) -> [UInt8]? {
    let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let begin = lines.firstIndex(where: { $0.elementsEqual("-----BEGIN \(label)-----".utf8) }),
      let end = lines[begin...].firstIndex(where: { $0.elementsEqual("-----END \(label)-----".utf8) })
    else { return nil }
    return Base64.decode(Array(lines[(begin + 1)..<end].joined()))
  }

  /// AlgorithmIdentifier: a sequence of the object identifier 1.3.101.112.
  private static let algorithm: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]

  /// OneAsymmetricKey: a version (0, or 1 if the public key follows), the algorithm, and an octet string in an octet string.
  private static func privateKey(in der: [UInt8]) -> [UInt8]? {
    let head = 16
    guard der.count >= head + KeyText.length, der[0] == 0x30, Int(der[1]) == der.count - 2, der[2] == 0x02, der[3] == 0x01, der[4] <= 1,
      der[5..<12].elementsEqual(algorithm), der[12..<head].elementsEqual([0x04, 0x22, 0x04, 0x20])
    else { return nil }
    return Array(der[head..<head + KeyText.length])
  }

  /// SubjectPublicKeyInfo: the algorithm, and a bit string with no unused bits.
  private static func publicKey(in der: [UInt8]) -> [UInt8]? {
    let head = [0x30, 0x2A] + algorithm + [0x03, 0x21, 0x00]
    guard der.count == head.count + KeyText.length, der.starts(with: head) else { return nil }
    return Array(der[head.count...])
  }
}

/// A text is not a key for signatures. The error does not contain the text, which may be secret.
package enum SignatureKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is the other key of a pair.
  case otherKey(wanted: SignatureKey.Kind)
  /// It is a key of another algorithm, or damaged.
  case otherAlgorithm
  /// It is no key.
  case unreadable(SignatureKey.Kind, byteCount: Int)

  /// What was found and what is required.
  package var description: String {
    switch self {
    case .otherKey(.signing): "this is a public key; signing needs the private one"
    case .otherKey(.checking): "this is a private key, which nobody but its owner should have; checking needs the public one"
    case .otherAlgorithm: "this is no key of Ed25519; make one with openssl genpkey -algorithm ed25519"
    case .unreadable(.signing, let count):
      "the private key is not readable (\(count) bytes); write what openssl genpkey -algorithm ed25519 writes, or the key's 32 bytes"
    case .unreadable(.checking, let count):
      "the public key is not readable (\(count) bytes); write what openssl pkey -pubout writes, or the key's 32 bytes"
    }
  }
}
