package import PublicRecord

/// What a game needs to keep a public record.
package struct Recording: Sendable {
  /// The secrets from which pseudonyms and salts follow.
  package var secrets: RecordSecrets
  /// The public key of the signatures: 32 bytes.
  package var publicKey: [UInt8]
  /// Signs a message: always with the same 64 bytes.
  package var sign: RecordSigner

  package init(secrets: RecordSecrets, publicKey: [UInt8], sign: @escaping RecordSigner) {
    (self.secrets, self.publicKey, self.sign) = (secrets, publicKey, sign)
  }
}
