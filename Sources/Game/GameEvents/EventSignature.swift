import Basics

/// Checks a signature: whether `signature`, 64 bytes, is the Ed25519 signature (RFC 8032) of `message` under the public key that the reader trusts.
///
/// With CryptoKit or swift-crypto it is `{ key.isValidSignature($1, for: $0) }`.
public typealias SignatureCheck = @Sendable (_ message: [UInt8], _ signature: [UInt8]) -> Bool

/// Makes the signature of a message, ``GameEvent/signedBytes``; `nil` if that fails.
public typealias EventSigner = @Sendable (_ message: [UInt8]) -> EventSignature?

/// The signature of an event's author: an Ed25519 signature (RFC 8032) of ``GameEvent/signedBytes``, the same in all copies of the event.
public struct EventSignature: Equatable, Sendable {
  /// The 64 bytes of the signature.
  public let bytes: [UInt8]

  /// How many bytes a signature has.
  public static let length = 64
  /// The key in a copy's JSON.
  static let key = "signature"

  /// A signature of 64 bytes; `nil` for any other number.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Reads a signature in base64; `nil` if that is not 64 bytes.
  init?(base64 text: String) {
    guard let bytes = Base64.decode(text.bytes) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes in base64, as in the stream.
  public var text: String { Base64.encode(bytes) }
}

extension GameEvent {
  /// The bytes that a signature covers: the JSON of a copy without the members `copy`, `copies`, `age`, `signature` and `crc`.
  ///
  /// They are the same for all copies of an event. The time of a copy is not signed.
  public var signedBytes: [UInt8] { CopyTemplate(self).signedBytes }
}

extension EventCopy {
  /// Requires that the copy is signed.
  ///
  /// - Throws: ``EventError/unsigned`` or ``EventError/wrongSignature``.
  func requireSignature(_ isRight: SignatureCheck) throws(EventError) {
    guard let signature else { throw .unsigned }
    guard isRight(event.signedBytes, signature.bytes) else { throw .wrongSignature }
  }
}
