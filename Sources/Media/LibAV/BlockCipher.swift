internal import CLibAV

/// Decrypts whole blocks of AES-128 in CBC mode (NIST SP 800-38A, 6.2) and takes no padding away.
///
/// - Parameters:
///   - blocks: The encrypted bytes, a multiple of 16.
///   - key: 16 bytes.
///   - vector: The initialisation vector, 16 bytes; for later parts of one message, the last encrypted block before them.
/// - Returns: As many bytes; `nil` where the lengths are others, or there is no memory.
/// - Throws: `AVError` where FFmpeg's libraries are missing.
public func decryptAES128(_ blocks: [UInt8], key: [UInt8], vector: [UInt8]) throws(AVError) -> [UInt8]? {
  guard key.count == 16, vector.count == 16, blocks.count % 16 == 0, let blockCount = Int32(exactly: blocks.count / 16) else { return nil }
  let libav = try LibAVFunctions.found(for: "decrypting AES-128")
  // Unsafe: allocated here, freed at the end, and given to no one else.
  guard let context = unsafe libav.av_aes_alloc() else { return nil }
  defer { unsafe libav.av_free(UnsafeMutableRawPointer(context)) }
  // The function reads 16 bytes of the key, which lives as long as the call.
  guard unsafe libav.av_aes_init(context, key, 128, 1) == 0 else { return nil }
  var vector = vector
  var plain = [UInt8](repeating: 0, count: blocks.count)
  // It reads and writes `blockCount` blocks of 16 bytes, which both arrays have, and one block of the vector.
  unsafe libav.av_aes_crypt(context, &plain, blocks, blockCount, &vector, 1)
  return plain
}
