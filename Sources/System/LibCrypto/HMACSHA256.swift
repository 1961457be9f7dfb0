// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// HMAC with SHA-256 (RFC 2104, FIPS 180-4) by OpenSSL's libcrypto, for servers that check a hundred thousand codes a second. Readers
/// have `SHA256.authenticationCode`, which needs no library.
package struct HMACSHA256: Sendable {
  /// The bytes of a code.
  package static let length = 32
  private let functions: Functions
  private let key: [UInt8]

  /// Codes under a key.
  ///
  /// - Throws: `LibCryptoError` if libcrypto is missing.
  package init(key: [UInt8]) throws(LibCryptoError) {
    guard let functions = Functions.found else { throw LibCrypto.missing(for: "authentication codes") }
    (self.functions, self.key) = (functions, key)
  }

  /// The code of a message; `nil` if libcrypto fails.
  package func code(of message: [UInt8]) -> [UInt8]? { functions.code(of: message, key) }

  /// The functions of `openssl/hmac.h` and `openssl/evp.h`.
  @safe private struct Functions: @unchecked Sendable {
    // Unsafe: pointers to functions of a library that is never closed.
    private let digest: @convention(c) () -> OpaquePointer?
    private let code:
      @convention(c) (
        OpaquePointer?, UnsafePointer<UInt8>?, Int32, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?,
        UnsafeMutablePointer<UInt32>?
      ) -> UnsafeMutablePointer<UInt8>?

    static let found = LibCrypto.opened.flatMap { try? Functions($0) }

    private init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
      unsafe digest = try library.function("EVP_sha256")
      unsafe code = try library.function("HMAC")
    }

    func code(of message: [UInt8], _ key: [UInt8]) -> [UInt8]? {
      guard let length = Int32(exactly: key.count) else { return nil }
      var output = [UInt8](repeating: 0, count: HMACSHA256.length)
      var written: UInt32 = 0
      // C reads the bytes of the key and of the message, and writes 32.
      guard unsafe code(digest(), key, length, message, message.count, &output, &written) != nil, Int(written) == output.count else {
        return nil
      }
      return output
    }
  }
}
