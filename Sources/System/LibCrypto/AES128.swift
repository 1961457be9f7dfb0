// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// OpenSSL's libcrypto, or what was to be done with it, failed.
package struct CipherError: Error, Equatable, CustomStringConvertible {
  /// What is missing and what to do, or what failed, in words.
  package var description: String
}

/// AES-128 in CBC mode (NIST SP 800-38A, 6.2) by OpenSSL's libcrypto, which libcurl brings along. It is opened when it is needed first.
package enum AES128 {
  /// Decrypts whole blocks and removes no padding.
  ///
  /// - Parameters:
  ///   - blocks: The encrypted bytes, a multiple of 16.
  ///   - key: 16 bytes.
  ///   - vector: The initialization vector, 16 bytes; for later parts of one message, the last encrypted block before them.
  /// - Returns: The same number of bytes; `nil` where a length is another.
  /// - Throws: `CipherError` where libcrypto is missing or has no memory.
  package static func decrypt(_ blocks: [UInt8], key: [UInt8], vector: [UInt8]) throws(CipherError) -> [UInt8]? {
    guard key.count == 16, vector.count == 16, blocks.count % 16 == 0, let count = Int32(exactly: blocks.count) else { return nil }
    guard count > 0 else { return [] }
    return try LibCrypto.opened.get().decrypt(blocks, count, key, vector)
  }
}

/// libcrypto's functions, with the types of its header `openssl/evp.h`. They exist only once the library was found.
@safe struct LibCrypto: @unchecked Sendable {
  private typealias NewContext = @convention(c) () -> OpaquePointer?
  private typealias FreeContext = @convention(c) (OpaquePointer?) -> Void
  private typealias Cipher = @convention(c) () -> OpaquePointer?
  private typealias Start =
    @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> Int32
  private typealias SetPadding = @convention(c) (OpaquePointer?, Int32) -> Int32
  private typealias Update =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?, UnsafePointer<UInt8>?, Int32
    ) -> Int32

  // Unsafe: pointers to functions of a library that is never closed.
  private let newContext: NewContext
  private let freeContext: FreeContext
  private let cipher: Cipher
  private let start: Start
  private let setPadding: SetPadding
  private let update: Update

  static let opened = open()

  /// Opens the library; the first of the names that is there counts.
  static func open(_ names: [String] = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib"]) -> Result<LibCrypto, CipherError> {
    for name in names {
      // The name is lent to C for the call.
      guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
      // The types are those of the header, which have not changed since OpenSSL 1.1.
      if let functions = unsafe LibCrypto(library) { return .success(functions) }
    }
    return .failure(CipherError(description: "decrypting AES-128 needs OpenSSL's libcrypto (Debian: libssl3)"))
  }

  private init?(_ library: UnsafeMutableRawPointer) {
    guard let newContext = unsafe dlsym(library, "EVP_CIPHER_CTX_new"), let freeContext = unsafe dlsym(library, "EVP_CIPHER_CTX_free"),
      let cipher = unsafe dlsym(library, "EVP_aes_128_cbc"), let start = unsafe dlsym(library, "EVP_DecryptInit_ex"),
      let setPadding = unsafe dlsym(library, "EVP_CIPHER_CTX_set_padding"), let update = unsafe dlsym(library, "EVP_DecryptUpdate")
    else { return nil }
    // Unsafe: each is the function of that name, whose type is the header's.
    unsafe self.newContext = unsafeBitCast(newContext, to: NewContext.self)
    unsafe self.freeContext = unsafeBitCast(freeContext, to: FreeContext.self)
    unsafe self.cipher = unsafeBitCast(cipher, to: Cipher.self)
    unsafe self.start = unsafeBitCast(start, to: Start.self)
    unsafe self.setPadding = unsafeBitCast(setPadding, to: SetPadding.self)
    unsafe self.update = unsafeBitCast(update, to: Update.self)
  }

  func decrypt(_ blocks: [UInt8], _ count: Int32, _ key: [UInt8], _ vector: [UInt8]) throws(CipherError) -> [UInt8] {
    // Unsafe: made here, freed at the end, and given to no one else.
    guard let context = unsafe newContext() else { throw CipherError(description: "no memory for AES-128") }
    defer { unsafe freeContext(context) }
    var plain = [UInt8](repeating: 0, count: blocks.count)
    var written: Int32 = 0
    // C reads 16 bytes of the key and of the vector, which the caller has counted, and `count` bytes of the blocks. Without padding it
    // writes as many as it reads.
    guard unsafe start(context, cipher(), nil, key, vector) == 1, unsafe setPadding(context, 0) == 1,
      unsafe update(context, &plain, &written, blocks, count) == 1, written == count
    else { throw CipherError(description: "libcrypto cannot decrypt AES-128") }
    return plain
  }
}
