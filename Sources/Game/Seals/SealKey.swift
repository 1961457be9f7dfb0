import Basics

/// The 32 secret bytes for making seals. A key that is reused for the same show must be kept secret until the show is over.
///
/// Nothing that describes a key shows its bytes.
public struct SealKey: Equatable, Sendable {
  /// The secret bytes.
  let bytes: [UInt8]

  /// How many bytes a key has.
  public static let length = KeyText.length

  /// A key of 32 bytes; `nil` for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads a key file or the value of an environment variable: 32 bytes, 64 hexadecimal digits, or 32 bytes in base64.
  /// A line ending may follow.
  ///
  /// - Throws: ``SealKeyError`` for anything else.
  public init(fileContents: some Collection<UInt8>) throws(SealKeyError) {
    let whole = Array(fileContents)
    guard let key = KeyText.key(in: whole) else { throw SealKeyError(byteCount: whole.count) }
    bytes = key
  }

  /// The key in hexadecimal digits, for a file that nobody else may read.
  package var hexadecimal: String { bytes.hexadecimal }

  /// A new key from the system's random numbers.
  public static func random() -> SealKey { SealKey(unchecked: .random(length)) }

  /// A key for one stamping: HMAC-SHA-256 of fresh random bytes under this key. Under this key alone, the same question of the same game would
  /// have the same seal whenever it is asked.
  public func forOneStamping() -> SealKey { mixed(with: Self.random().bytes) }

  /// HMAC-SHA-256 of a nonce under this key.
  func mixed(with nonce: [UInt8]) -> SealKey { SealKey(unchecked: SHA256.authenticationCode(of: nonce, key: bytes)) }

  /// Whether the bytes look invented: few different ones, or a short pattern that repeats. Random keys do not.
  public var isWeak: Bool {
    Set(bytes).count <= Self.fewBytes
      || (1...Self.length / 2).contains { period in bytes.dropFirst(period).elementsEqual(bytes.dropLast(period)) }
  }

  /// Fewer than one random key in 10^30 has no more different bytes.
  private static let fewBytes = 8

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

extension SealKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// That it is a key, not which.
  public var description: String { "SealKey(secret)" }
  /// That it is a key, not which.
  public var debugDescription: String { description }
}

// Embedded Swift has no mirrors.
#if !hasFeature(Embedded)
  extension SealKey: CustomReflectable {
    /// A mirror without the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif

/// A text is not a seal key. The error does not contain the text, which may still be secret.
public struct SealKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// How many bytes the text has.
  public var byteCount: Int

  /// The error for a text of `count` bytes.
  public init(byteCount: Int) { self.byteCount = byteCount }

  /// What was found and what is required.
  public var description: String {
    "the seal key is not readable (\(byteCount) bytes); write 32 bytes, 64 hexadecimal digits, or 32 bytes in base64"
  }
}
