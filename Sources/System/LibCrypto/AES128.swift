// Unsafe: OpenSSL's functions are called by their C names; each call states what C reads and writes.

import LibC

/// AES-128 in CBC mode (NIST SP 800-38A, 6.2) by OpenSSL's libcrypto.
package enum AES128 {
  /// Decrypts whole blocks and removes no padding.
  ///
  /// - Parameters:
  ///   - blocks: The encrypted bytes, a multiple of 16.
  ///   - key: 16 bytes.
  ///   - vector: The initialization vector, 16 bytes; for later blocks of one message, the last encrypted block before them.
  /// - Returns: The same number of bytes; `nil` if a length is wrong.
  /// - Throws: `LibCryptoError` if libcrypto is missing or has no memory.
  package static func decrypt(_ blocks: [UInt8], key: [UInt8], vector: [UInt8]) throws(LibCryptoError) -> [UInt8]? {
    try convert(blocks, key: key, vector: vector, .decrypting)
  }

  /// Encrypts whole blocks and adds no padding.
  ///
  /// - Parameters:
  ///   - blocks: The bytes, a multiple of 16.
  ///   - key: 16 bytes.
  ///   - vector: The initialization vector, 16 bytes; for later blocks of one message, the last encrypted block before them.
  /// - Returns: The same number of bytes; `nil` if a length is wrong.
  /// - Throws: `LibCryptoError` if libcrypto is missing or has no memory.
  package static func encrypt(_ blocks: [UInt8], key: [UInt8], vector: [UInt8]) throws(LibCryptoError) -> [UInt8]? {
    try convert(blocks, key: key, vector: vector, .encrypting)
  }

  private enum Direction: String {
    case encrypting
    case decrypting
  }

  private static func convert(
    _ blocks: [UInt8], key: [UInt8], vector: [UInt8], _ direction: Direction
  ) throws(LibCryptoError) -> [UInt8]? {
    guard key.count == 16, vector.count == 16, blocks.count % 16 == 0, let count = Int32(exactly: blocks.count) else { return nil }
    guard count > 0 else { return [] }
    guard let functions = direction == .encrypting ? Functions.encryption : Functions.decryption else {
      throw LibCrypto.missing(for: "\(direction.rawValue) AES-128")
    }
    return try functions.convert(blocks, count, key, vector)
  }

  /// The functions of `openssl/evp.h`, whose types have not changed since OpenSSL 1.1.
  @safe private struct Functions: @unchecked Sendable {
    // Unsafe: pointers to functions of a library that is never closed.
    private let newContext: @convention(c) () -> OpaquePointer?
    private let freeContext: @convention(c) (OpaquePointer?) -> Void
    private let cipher: @convention(c) () -> OpaquePointer?
    private let start:
      @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) -> Int32
    private let setPadding: @convention(c) (OpaquePointer?, Int32) -> Int32
    private let update:
      @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?, UnsafePointer<UInt8>?, Int32) -> Int32

    static let encryption = LibCrypto.opened.flatMap { try? Functions($0, "EVP_EncryptInit_ex", "EVP_EncryptUpdate") }
    static let decryption = LibCrypto.opened.flatMap { try? Functions($0, "EVP_DecryptInit_ex", "EVP_DecryptUpdate") }

    private init(_ library: SharedLibrary, _ start: String, _ update: String) throws(SharedLibrary.FunctionMissing) {
      unsafe newContext = try library.function("EVP_CIPHER_CTX_new")
      unsafe freeContext = try library.function("EVP_CIPHER_CTX_free")
      unsafe cipher = try library.function("EVP_aes_128_cbc")
      unsafe self.start = try library.function(start)
      unsafe setPadding = try library.function("EVP_CIPHER_CTX_set_padding")
      unsafe self.update = try library.function(update)
    }

    func convert(_ blocks: [UInt8], _ count: Int32, _ key: [UInt8], _ vector: [UInt8]) throws(LibCryptoError) -> [UInt8] {
      // Unsafe: made here, freed at the end, and given to no one else.
      guard let context = unsafe newContext() else { throw LibCryptoError(description: "no memory for AES-128") }
      defer { unsafe freeContext(context) }
      var converted = [UInt8](repeating: 0, count: blocks.count)
      var written: Int32 = 0
      // C reads 16 bytes of the key and of the vector, which the caller has counted, and `count` bytes of the blocks. Without padding it
      // writes as many as it reads.
      guard unsafe start(context, cipher(), nil, key, vector) == 1, unsafe setPadding(context, 0) == 1,
        unsafe update(context, &converted, &written, blocks, count) == 1, written == count
      else { throw LibCryptoError(description: "libcrypto cannot use AES-128") }
      return converted
    }
  }
}
