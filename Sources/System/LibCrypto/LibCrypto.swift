import LibC

/// Why something could not be done with OpenSSL's libcrypto.
package struct LibCryptoError: Error, Equatable, CustomStringConvertible {
  /// What is missing and what to do, or what failed, in words.
  package var description: String
}

/// OpenSSL's libcrypto, which is installed with libcurl.
enum LibCrypto {
  static let opened = SharedLibrary(["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib"])

  /// The error if the library, or a function of it, is missing.
  static func missing(for purpose: String) -> LibCryptoError {
    LibCryptoError(description: "\(purpose) needs OpenSSL's libcrypto (Debian: libssl3)")
  }
}
