import HLSPlaylist

/// The keys of a presentation, and which problems with them were reported.
struct EncryptionState: Sendable {
  /// How something is encrypted.
  enum Method: Equatable, Sendable {
    case none
    /// AES-128 over the whole resource, with a key of 16 bytes.
    case aes128(EncryptionKey)
    /// Something else.
    case unsupported(name: String)

    /// Selects a usable key among those that apply. One of them is enough.
    init(_ keys: [EncryptionKey], isSupported: Bool) {
      let usable = keys.first { $0.method.rawValue.utf8.elementsEqual(EncryptionMethod.aes128.rawValue.utf8) && $0.isIdentity }
      if let usable, isSupported {
        self = .aes128(usable)
      } else {
        self = keys.first.map { .unsupported(name: (usable ?? $0).name) } ?? .none
      }
    }
  }

  /// The length of a key in bytes.
  static let keyLength = 16
  /// The number of keys that are kept. More are hardly ever in use at the same time.
  private static let keysKept = 4

  private var keys: [(uri: URIReference, bytes: [UInt8])] = []
  /// A key that was reported as lost, and whether that is final.
  private var lost: (uri: URIReference, isFinal: Bool)?
  /// The unusable keys of the latest segments, if they were reported.
  private var unsupported: [EncryptionKey]?
  /// The key that was lost for the current segment.
  private var lostNow: URIReference?

  /// The key that was loaded from an address.
  func key(at uri: URIReference) -> [UInt8]? { keys.first { $0.uri == uri }?.bytes }

  /// Keeps a key.
  mutating func keep(_ bytes: [UInt8], from uri: URIReference) {
    keys = keys.filter { $0.uri != uri }.suffix(Self.keysKept - 1) + [(uri, bytes)]
    lost = nil
  }

  /// Records that a key could not be loaded. Returns whether that must be reported.
  mutating func lose(_ uri: URIReference, isFinal: Bool) -> Bool {
    let isNews = lost.map { $0.uri != uri } ?? true
    lost = (uri, isFinal)
    lostNow = uri
    return isNews
  }

  /// Whether a key could not be loaded, for this segment or at all.
  func isLost(_ uri: URIReference) -> Bool { lostNow == uri || (lost.map { $0.uri == uri && $0.isFinal } ?? false) }

  /// Starts a segment, for which a lost key may be requested again.
  mutating func startSegment() { lostNow = nil }

  /// Records keys that cannot be used. Returns whether that must be reported.
  mutating func isNews(_ keys: [EncryptionKey]) -> Bool {
    let isNews = unsupported != keys
    unsupported = keys
    return isNews
  }

  /// Records that a segment can be read.
  mutating func forgetUnsupported() { unsupported = nil }
}

extension EncryptionKey {
  fileprivate var isIdentity: Bool { keyFormat.map { $0.utf8.elementsEqual("identity".utf8) } ?? true }

  /// The method, and the format of the key.
  fileprivate var name: String { isIdentity ? method.rawValue : "\(method.rawValue) (\(keyFormat ?? ""))" }
}
