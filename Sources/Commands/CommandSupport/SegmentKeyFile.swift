import Basics
import LibCrypto

/// A file with the key that segments are encrypted with (RFC 8216bis, 4.4.4.4).
package struct SegmentKeyFile {
  let path: String

  private static let largest = 4_096
  private static let length = 16

  package init(path: String) { self.path = path }

  /// The key: the file's 16 bytes, or 32 hexadecimal digits. `nil` if it has something else.
  ///
  /// - Throws: If the file cannot be read.
  package func key() throws(CommandFailure) -> [UInt8]? { Self.key(try SmallFile(path: path).bytes(limit: Self.largest)) }

  /// The key of a file with these bytes.
  package static func key(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count != length else { return bytes }
    var digits = bytes[...]
    while let last = digits.last, [0x0A, 0x0D, 0x20].contains(last) { digits.removeLast() }
    guard digits.count == 2 * length else { return nil }
    return [UInt8](hexadecimal: digits)
  }

  /// A function that encrypts blocks of 16 bytes with a key and an initialization vector.
  ///
  /// - Throws: If OpenSSL's libcrypto is missing.
  package static func encryption(_ key: [UInt8]) throws(CommandFailure) -> @Sendable ([UInt8], [UInt8]) -> [UInt8]? {
    let block = [UInt8](repeating: 0, count: length)
    _ = try orFail(AES128.encrypt(block, key: key, vector: block)) { (error: LibCryptoError) in
      CommandFailure("\(error)", status: CommandFailure.libraryMissing)
    }
    return { blocks, vector in (try? AES128.encrypt(blocks, key: key, vector: vector)) ?? nil }
  }
}
