package import GameEvents
import LibCrypto
import Seals

/// A file with a key for signatures.
package struct SignatureKeyFile {
  let path: String

  package init(path: String) { self.path = path }

  private static let largest = 4_096

  /// Returns a signer with the private key of the file. Warns on standard error if the key is not secret.
  package func signer() throws(CommandFailure) -> EventSigner {
    let (key, isReadableByOthers) = try read(.signing)
    if isReadableByOthers { StandardError.write("\(path): others may read this private key; keep it to yourself with chmod 600") }
    return { message in (try? Ed25519.sign(message, privateKey: key)).flatMap { EventSignature(bytes: $0) } }
  }

  /// Returns a check of signatures with the public key of the file.
  package func check() throws(CommandFailure) -> SignatureCheck {
    let (key, _) = try read(.checking)
    return { message, signature in Ed25519.isRight(signature, of: message, publicKey: key) }
  }

  /// Returns the key, after checking that it can be used.
  private func read(_ kind: SignatureKey.Kind) throws(CommandFailure) -> (key: [UInt8], isReadableByOthers: Bool) {
    let (bytes, isReadableByOthers) = try SmallFile(path: path).contents(limit: Self.largest)
    let key = try orFail(SignatureKey.bytes(kind, fileContents: bytes)) { (error: SignatureKeyError) in
      CommandFailure(invalid: "\(path): \(error)")
    }
    try orFail(Ed25519.requireLibrary()) { (error: LibCryptoError) in
      CommandFailure(error.description, status: CommandFailure.libraryMissing)
    }
    return (key, isReadableByOthers)
  }
}
