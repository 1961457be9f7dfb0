import Basics
package import LibCrypto

/// A password in the form in which it is stored: a key that scrypt derives from it, with salt and cost, `scrypt$15$8$3$SALT$KEY`.
package struct Password: Equatable, Sendable {
  /// The stored form.
  package let text: String

  /// The minimum and maximum size of a password in bytes.
  package static let lengths = 8...256

  /// Derives the stored form of a new password. This is slow by intention.
  ///
  /// - Throws: `LibCryptoError`.
  package init(new password: String, cost: Scrypt.Cost = .usual) throws(LibCryptoError) {
    let salt = [UInt8].random(16)
    let key = try Scrypt.key(password: Array(password.utf8), salt: salt, cost: cost)
    text = "scrypt$\(cost.logN)$\(cost.r)$\(cost.p)$\(Base64.encode(salt))$\(Base64.encode(key))"
  }

  /// A password in its stored form.
  package init(kept text: String) { self.text = text }

  /// Whether a password is the right one.
  package func isRight(_ password: String) -> Bool {
    // To scrypt, a password and the same password followed by NUL are equal.
    guard !password.utf8.contains(0) else { return false }
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let logN = UInt8(parts[1]), let r = UInt8(parts[2]), let p = UInt8(parts[3]),
      let salt = Base64.decode(Array(parts[4].utf8)), let key = Base64.decode(Array(parts[5].utf8))
    else { return false }
    let given = try? Scrypt.key(password: Array(password.utf8), salt: salt, cost: .init(logN: logN, r: r, p: p))
    return given?.isSecretlyEqual(to: key) ?? false
  }
}
