import Basics
import HLSPlaylist

/// The encryption of a presentation's segments: AES-128 in CBC mode with PKCS7 padding, over whole segments (RFC 8216bis, 4.4.4.4, METHOD=AES-128).
///
/// Initialization segments are not encrypted. The key is written nowhere.
public struct SegmentEncryption: Sendable {
  /// Where players load the key, as EXT-X-KEY states it.
  public var keyURI: String
  /// Encrypts blocks of 16 bytes with an initialization vector of 16 bytes, without padding; `nil` if that fails.
  public var encrypt: @Sendable (_ blocks: [UInt8], _ vector: [UInt8]) -> [UInt8]?

  /// An encryption with a key that players load from a URI.
  public init(keyURI: String, encrypt: @escaping @Sendable (_ blocks: [UInt8], _ vector: [UInt8]) -> [UInt8]?) {
    (self.keyURI, self.encrypt) = (keyURI, encrypt)
  }

  /// The key of a segment, with an initialization vector that no other segment of the presentation has.
  func key(of segment: Int, in playlist: String) -> EncryptionKey {
    let numbers = [playlist.bytesHash, UInt64(clamping: segment)]
    var key = EncryptionKey(method: .aes128, uri: keyURI)
    key.initializationVector = numbers.flatMap { value in (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    return key
  }

  /// Returns a whole segment as it is encrypted with a key that ``key(of:in:)`` has made.
  ///
  /// - Throws: `notEncrypted` if that fails.
  func encrypted(_ segment: [UInt8], by key: EncryptionKey) throws(StampingError) -> [UInt8] {
    var cipher = SegmentCipher(self, vector: key.initializationVector(mediaSequence: 0))
    guard let start = cipher.push(segment.span), let end = cipher.finish() else { throw .notEncrypted }
    return start + end
  }
}

/// Encrypts one segment, piece by piece.
struct SegmentCipher {
  private let encryption: SegmentEncryption
  private var vector: [UInt8]
  /// The bytes that do not fill a block yet.
  private var held: [UInt8] = []

  private static let blockSize = 16

  init(_ encryption: SegmentEncryption, vector: [UInt8]) { (self.encryption, self.vector) = (encryption, vector) }

  /// Returns the next encrypted bytes, possibly none; `nil` if encrypting fails.
  mutating func push(_ bytes: Span<UInt8>) -> [UInt8]? {
    held.append(copying: bytes)
    let whole = held.count / Self.blockSize * Self.blockSize
    guard whole > 0 else { return [] }
    guard let encrypted = encryption.encrypt(Array(held.prefix(whole)), vector), encrypted.count == whole else { return nil }
    vector = Array(encrypted.suffix(Self.blockSize))
    held.removeFirst(whole)
    return encrypted
  }

  /// Returns the last block, with the padding; `nil` if encrypting fails.
  mutating func finish() -> [UInt8]? {
    // Blocks that could not be encrypted are still held.
    guard held.count < Self.blockSize else { return nil }
    let padding = Self.blockSize - held.count
    return push([UInt8](repeating: UInt8(padding), count: padding).span)
  }
}
