import Basics
package import LibCrypto

/// A password as it is kept: a key that scrypt has made of it, with salt and cost, `scrypt$15$8$3$SALT$KEY`.
package struct Password: Equatable, Sendable {
  /// What is kept.
  package let text: String

  /// The fewest and the most bytes of a password.
  package static let lengths = 8...256

  /// What is kept of a new password. This takes a moment by intention.
  ///
  /// - Throws: `LibCryptoError`.
  package init(new password: String, cost: Scrypt.Cost = .usual) throws(LibCryptoError) {
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let key = try Scrypt.key(password: Array(password.utf8), salt: salt, cost: cost)
    text = "scrypt$\(cost.logN)$\(cost.r)$\(cost.p)$\(Base64.encode(salt))$\(Base64.encode(key))"
  }

  /// What was kept.
  package init(kept text: String) { self.text = text }

  /// Whether a password is the right one.
  package func isRight(_ password: String) -> Bool {
    // scrypt takes a password followed by NUL for the same one.
    guard !password.utf8.contains(0) else { return false }
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let logN = UInt8(parts[1]), let r = UInt8(parts[2]), let p = UInt8(parts[3]),
      let salt = Base64.decode(Array(parts[4].utf8)), let key = Base64.decode(Array(parts[5].utf8))
    else { return false }
    let given = try? Scrypt.key(password: Array(password.utf8), salt: salt, cost: .init(logN: logN, r: r, p: p))
    return given?.isSecretlyEqual(to: key) ?? false
  }
}
