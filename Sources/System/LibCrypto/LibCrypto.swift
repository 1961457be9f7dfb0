// Unsafe: OpenSSL's functions are found by their C names.

import LibC

/// Why something could not be done with OpenSSL's libcrypto.
package struct LibCryptoError: Error, Equatable, CustomStringConvertible {
  /// What is missing and what to do, or what failed, in words.
  package var description: String
}

/// OpenSSL's libcrypto, which is installed with libcurl. It is opened when it is needed first, and never closed.
@safe struct LibCrypto: @unchecked Sendable {
  // Unsafe: what dlopen returned. It is only handed to dlsym.
  private let library: UnsafeMutableRawPointer

  static let opened = open()

  /// Opens the library; the first of the names that is there counts.
  static func open(_ names: [String] = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib"]) -> LibCrypto? {
    for name in names {
      // The name is lent to C for the call.
      if let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) { return unsafe LibCrypto(library: library) }
    }
    return nil
  }

  /// The function of a name; `nil` if this version of the library has none.
  ///
  /// Unsafe: the type must be that of the library's header, a C function.
  @unsafe func function<Function>(_ name: String, _ type: Function.Type = Function.self) -> Function? {
    unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: type) }
  }

  /// The error if the library, or a function of it, is missing.
  static func missing(for purpose: String) -> LibCryptoError {
    LibCryptoError(description: "\(purpose) needs OpenSSL's libcrypto (Debian: libssl3)")
  }
}
