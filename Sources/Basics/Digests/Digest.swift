/// A hash function that works on blocks of 64 bytes with words of 32 bits (FIPS 180-4).
///
/// It is implemented here so that clients can check seals with the standard library alone: not every platform has a cryptography library.
package protocol Digest {
  /// The state before the first block.
  static var initialState: [UInt32] { get }
  /// Mixes a block of 16 words into the state.
  static func compress(_ words: [UInt32], into state: inout [UInt32])
}

extension Digest {
  /// How many bytes a block has.
  package static var blockSize: Int { 64 }

  /// The digest of a message.
  package static func hash(_ message: [UInt8]) -> [UInt8] {
    // Padding (FIPS 180-4, 5.1.1): a bit that is set, zeros, and the length of the message in 64 bits.
    var padded = message
    padded.append(0x80)
    padded += [UInt8](repeating: 0, count: (120 - padded.count % blockSize) % blockSize)
    padded += UInt64(message.count * 8).bigEndianBytes
    var state = initialState
    for start in stride(from: 0, to: padded.count, by: blockSize) {
      let words = stride(from: start, to: start + blockSize, by: 4).map { place in
        padded[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      compress(words, into: &state)
    }
    return state.flatMap { $0.bigEndianBytes }
  }

  /// The authentication code of a message under a key (HMAC, RFC 2104).
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockSize ? hash(key) : key
    block += [UInt8](repeating: 0, count: blockSize - block.count)
    return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
  }
}

extension UInt32 {
  func rotatedRight(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
