/// Decrypts AES-128 in CBC mode with PKCS7 padding (RFC 8216, 4.3.2.4) as the bytes arrive. The last block is held back, because it may be
/// padding.
struct BlockDecryptor: Sendable {
  typealias Failure = HLSReader.Options.DecryptionFailure

  private let decrypt: HLSReader.Options.Decryption
  private let key: [UInt8]
  /// The encrypted block before the next one.
  private var vector: [UInt8]
  private var kept: [UInt8] = []

  private static let blockSize = 16

  init(key: [UInt8], vector: [UInt8], decrypt: @escaping HLSReader.Options.Decryption) {
    (self.key, self.vector, self.decrypt) = (key, vector, decrypt)
  }

  /// Decrypts the next bytes, and returns those that are certainly not padding.
  mutating func push(_ chunk: ArraySlice<UInt8>) throws(Failure) -> ArraySlice<UInt8> {
    kept += chunk
    let count = max(0, kept.count - 1) / Self.blockSize * Self.blockSize
    guard count > 0 else { return [] }
    let blocks = Array(kept[..<count])
    kept.removeFirst(count)
    return try plain(blocks)[...]
  }

  /// Ends the bytes, and returns the last ones without the padding.
  mutating func finish() throws(Failure) -> ArraySlice<UInt8> {
    guard kept.count == Self.blockSize else {
      throw Failure(reason: kept.isEmpty ? "there is nothing" : "the last block has \(kept.count) bytes instead of \(Self.blockSize)")
    }
    let blocks = kept
    kept = []
    let bytes = try plain(blocks)
    let padding = Int(bytes[Self.blockSize - 1])
    guard (1...Self.blockSize).contains(padding), bytes.suffix(padding).allSatisfy({ Int($0) == padding }) else {
      throw Failure(reason: "the padding is wrong, as with another key")
    }
    return bytes.dropLast(padding)
  }

  private mutating func plain(_ blocks: [UInt8]) throws(Failure) -> [UInt8] {
    guard let bytes = try decrypt(blocks, key, vector), bytes.count == blocks.count else { throw Failure(reason: "the cipher failed") }
    vector = Array(blocks.suffix(Self.blockSize))
    return bytes
  }
}
