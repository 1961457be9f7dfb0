// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// Keys from passwords by scrypt (RFC 7914), by OpenSSL's libcrypto.
package enum Scrypt {
  /// How much work a key is: 2^`logN` steps on blocks of `128 * r` bytes, `p` times.
  package struct Cost: Equatable, Sendable {
    package var logN: UInt8
    package var r: UInt8
    package var p: UInt8

    package init(logN: UInt8, r: UInt8, p: UInt8) { (self.logN, self.r, self.p) = (logN, r, p) }

    /// What OWASP recommends: 32 MiB of memory.
    package static let usual = Cost(logN: 15, r: 8, p: 3)
  }

  /// The key of a password, 32 bytes.
  ///
  /// - Throws: `LibCryptoError` if libcrypto is missing, or there is no memory for this cost.
  package static func key(password: [UInt8], salt: [UInt8], cost: Cost) throws(LibCryptoError) -> [UInt8] {
    typealias Derive =
      @convention(c) (
        UnsafePointer<CChar>?, Int, UnsafePointer<UInt8>?, Int, UInt64, UInt64, UInt64, UInt64, UnsafeMutablePointer<UInt8>?, Int
      ) -> Int32
    guard let library = LibCrypto.opened, let derive: Derive = unsafe try? library.function("EVP_PBE_scrypt") else {
      throw LibCrypto.missing(for: "passwords")
    }
    var key = [UInt8](repeating: 0, count: 32)
    let memory = UInt64(128) << UInt64(min(cost.logN, 24)) * UInt64(cost.r) + (4 << 20)
    // C reads the bytes of the password and of the salt, and writes 32.
    let result = unsafe password.withUnsafeBytes { bytes in
      unsafe derive(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, salt, salt.count, 1 << UInt64(min(cost.logN, 24)),
        UInt64(cost.r), UInt64(cost.p), memory, &key, key.count)
    }
    guard result == 1 else { throw LibCryptoError(description: "libcrypto cannot make a key of a password") }
    return key
  }
}
