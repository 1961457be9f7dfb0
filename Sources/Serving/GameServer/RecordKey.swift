import Basics
import GameHosting
package import LibCrypto
import PublicRecord

/// The secret of a server's public records: the key of their signatures, and that of pseudonyms and salts.
package struct RecordKey: Sendable {
  private let signingKey: [UInt8]
  private let secret: [UInt8]
  /// The public key of the signatures: 32 bytes.
  package let publicKey: [UInt8]

  /// - Parameter secret: What the server has stored, at least 32 bytes. The two keys follow from it, so that neither tells the other.
  /// - Throws: `LibCryptoError` if libcrypto is missing.
  package init(secret: [UInt8]) throws(LibCryptoError) {
    signingKey = SHA256.authenticationCode(of: Array("signatures".utf8), key: secret)
    self.secret = SHA256.authenticationCode(of: Array("pseudonyms".utf8), key: secret)
    publicKey = try Ed25519.publicKey(of: signingKey)
  }

  /// What a game needs to keep a record.
  func recording(of game: String) -> Recording {
    let secrets = RecordSecrets(secret: secret, game: game)
    return Recording(secrets: secrets, publicKey: publicKey) { [signingKey] (message) throws(RecordSigningError) in
      do throws(LibCryptoError) {
        return try Ed25519.sign(message, privateKey: signingKey)
      } catch {
        throw RecordSigningError("\(error)")
      }
    }
  }
}
