// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// Signatures by Ed25519 (RFC 8032) by OpenSSL's libcrypto, 1.1.1 or newer.
package enum Ed25519 {
  private static let keyLength = 32
  private static let signatureLength = 64

  /// The signature of a message: 64 bytes, always the same ones for a key and a message.
  ///
  /// - Parameter privateKey: 32 bytes.
  /// - Throws: `LibCryptoError` if libcrypto is missing or too old, or fails.
  package static func sign(_ message: [UInt8], privateKey: [UInt8]) throws(LibCryptoError) -> [UInt8] {
    guard let functions = Functions.found else { throw LibCrypto.missing(for: "signing") }
    guard let signature = functions.sign(message, privateKey) else { throw LibCryptoError(description: "libcrypto cannot sign") }
    return signature
  }

  /// The public key of a private one: 32 bytes.
  ///
  /// - Parameter privateKey: 32 bytes.
  /// - Throws: `LibCryptoError` if libcrypto is missing or too old, or fails.
  package static func publicKey(of privateKey: [UInt8]) throws(LibCryptoError) -> [UInt8] {
    guard let functions = Functions.found else { throw LibCrypto.missing(for: "signing") }
    guard let key = functions.publicKey(of: privateKey) else { throw LibCryptoError(description: "libcrypto cannot make a public key") }
    return key
  }

  /// Whether a signature is that of a message under a public key; `false` if libcrypto is missing: see `requireLibrary`.
  package static func isRight(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
    Functions.found?.verify(signature, message, publicKey) ?? false
  }

  /// Throws if libcrypto is missing or too old.
  package static func requireLibrary() throws(LibCryptoError) {
    guard Functions.found != nil else { throw LibCrypto.missing(for: "checking signatures") }
  }

  /// The functions of `openssl/evp.h`.
  @safe private struct Functions: @unchecked Sendable {
    private typealias NewKey = @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Start = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32

    /// EVP_PKEY_ED25519.
    private static let type: Int32 = 1087

    // Unsafe: pointers to functions of a library that is never closed.
    private let newPrivateKey: NewKey
    private let newPublicKey: NewKey
    private let readPublicKey: @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    private let freeKey: Free
    private let newContext: @convention(c) () -> OpaquePointer?
    private let freeContext: Free
    private let startSigning: Start
    private let sign:
      @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?, Int) -> Int32
    private let startVerifying: Start
    private let verify: @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int) -> Int32

    static let found = LibCrypto.opened.flatMap { try? Functions($0) }

    private init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
      unsafe newPrivateKey = try library.function("EVP_PKEY_new_raw_private_key")
      unsafe newPublicKey = try library.function("EVP_PKEY_new_raw_public_key")
      unsafe readPublicKey = try library.function("EVP_PKEY_get_raw_public_key")
      unsafe freeKey = try library.function("EVP_PKEY_free")
      unsafe newContext = try library.function("EVP_MD_CTX_new")
      unsafe freeContext = try library.function("EVP_MD_CTX_free")
      unsafe startSigning = try library.function("EVP_DigestSignInit")
      unsafe sign = try library.function("EVP_DigestSign")
      unsafe startVerifying = try library.function("EVP_DigestVerifyInit")
      unsafe verify = try library.function("EVP_DigestVerify")
    }

    func sign(_ message: [UInt8], _ privateKey: [UInt8]) -> [UInt8]? {
      // C reads 32 bytes of the key. What is made here is freed at the end, and given to no one else.
      guard privateKey.count == keyLength, let key = unsafe newPrivateKey(Self.type, nil, privateKey, keyLength) else { return nil }
      defer { unsafe freeKey(key) }
      guard let context = unsafe newContext() else { return nil }
      defer { unsafe freeContext(context) }
      var signature = [UInt8](repeating: 0, count: signatureLength)
      var length = signatureLength
      // C reads the message's bytes, and writes at most `length` bytes of the signature.
      guard unsafe startSigning(context, nil, nil, nil, key) == 1, unsafe sign(context, &signature, &length, message, message.count) == 1,
        length == signatureLength
      else { return nil }
      return signature
    }

    func publicKey(of privateKey: [UInt8]) -> [UInt8]? {
      // C reads 32 bytes of the key, which is freed at the end.
      guard privateKey.count == keyLength, let key = unsafe newPrivateKey(Self.type, nil, privateKey, keyLength) else { return nil }
      defer { unsafe freeKey(key) }
      var bytes = [UInt8](repeating: 0, count: keyLength)
      var length = keyLength
      // C writes at most `length` bytes.
      guard unsafe readPublicKey(key, &bytes, &length) == 1, length == keyLength else { return nil }
      return bytes
    }

    func verify(_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool {
      guard publicKey.count == keyLength, signature.count == signatureLength else { return false }
      // C reads the 32 bytes of the key, the 64 of the signature and the message's. What is made here is freed at the end.
      guard let key = unsafe newPublicKey(Self.type, nil, publicKey, keyLength) else { return false }
      defer { unsafe freeKey(key) }
      guard let context = unsafe newContext() else { return false }
      defer { unsafe freeContext(context) }
      guard unsafe startVerifying(context, nil, nil, nil, key) == 1 else { return false }
      return unsafe verify(context, signature, signatureLength, message, message.count) == 1
    }
  }
}
