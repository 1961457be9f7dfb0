// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// Digests of the SHA-2 family (FIPS 180-4) by OpenSSL's libcrypto.
package enum MessageDigest: String, CaseIterable, Sendable {
  case sha256, sha384, sha512

  /// The digest of some bytes.
  ///
  /// - Throws: `LibCryptoError` if libcrypto is missing, or fails.
  package func digest(of bytes: [UInt8]) throws(LibCryptoError) -> [UInt8] {
    typealias Kind = @convention(c) () -> OpaquePointer?
    typealias Digest =
      @convention(c) (
        UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?, OpaquePointer?, OpaquePointer?
      )
      -> Int32
    guard let library = LibCrypto.opened, let kind: Kind = unsafe try? library.function("EVP_\(rawValue)"),
      let digest: Digest = unsafe try? library.function("EVP_Digest")
    else { throw LibCrypto.missing(for: "a digest") }
    var output = [UInt8](repeating: 0, count: Self.longest)
    var count: UInt32 = 0
    // C reads the bytes, and writes as many as the digest has.
    guard unsafe digest(bytes, bytes.count, &output, &count, kind(), nil) == 1, Int(count) <= output.count else {
      throw LibCryptoError(description: "a digest cannot be made")
    }
    return Array(output.prefix(Int(count)))
  }

  /// The number of bytes of the longest one (EVP_MAX_MD_SIZE).
  private static let longest = 64
}
