public import Basics
public import HLSPlaylist

extension HLSReader {
  /// What `HLSReader` is told before it starts.
  public struct Options: Sendable {
    /// Undoes AES-128 in CBC mode (RFC 8216, 4.3.2.4): whole blocks of 16 bytes, a key of 16, an initialisation vector of 16. It takes no padding
    /// away and returns as many bytes as it was given; `nil` where it fails without a reason.
    public typealias Decryption = @Sendable (_ blocks: [UInt8], _ key: [UInt8], _ vector: [UInt8]) throws(DecryptionFailure) -> [UInt8]?
    /// Why bytes cannot be decrypted.
    public struct DecryptionFailure: Error, Equatable, Sendable {
      /// The reason in words.
      public var reason: String

      /// A failure for a reason in words.
      public init(reason: String) { self.reason = reason }
    }

    /// Which of the playlists is read, where there is a choice.
    public var rendition: RenditionChoice
    /// How often a resource is asked for before it counts as lost; at least once.
    public var attempts: Int
    /// After so much of the programme, counted from where reading started, reading ends; `nil` for all of it.
    public var duration: MediaTime?
    /// How large resources may be.
    public var limits: HLSLimits
    /// What undoes AES-128; `nil` where that is not supported.
    public var decrypt: Decryption?
    /// What segments pass through before they are read; `nil` for nothing.
    public var filter: SegmentFilter?

    /// The first rendition, three attempts, and all of the programme, unless told otherwise.
    public init(
      rendition: RenditionChoice = .first, attempts: Int = 3, duration: MediaTime? = nil, limits: HLSLimits = HLSLimits(),
      decrypt: Decryption? = nil
    ) {
      self.rendition = rendition
      self.attempts = attempts
      self.duration = duration
      self.limits = limits
      self.decrypt = decrypt
    }
  }

  /// What is to be done next.
  public enum Step: Equatable, Sendable {
    /// Load this, hand on its bytes with ``HLSReader/receive(_:)``, and say how it ended with ``HLSReader/complete(elapsed:)`` or
    /// ``HLSReader/fail(_:isFinal:elapsed:)``.
    case load(Resource)
    /// Wait so long, then call ``HLSReader/waited()``.
    case wait(MediaTime)
    /// Nothing: everything was read.
    case finished
  }

  /// Something to load.
  public struct Resource: Equatable, Sendable {
    /// What it is to the presentation.
    public enum Kind: Equatable, Sendable {
      /// A playlist.
      case playlist
      /// What stands before the segments of fragmented MP4 (EXT-X-MAP).
      case map
      /// A key of 16 bytes (EXT-X-KEY).
      case key
      /// A segment.
      case segment
    }

    /// What it is.
    public var kind: Kind
    /// Where it is, resolved against its playlist's address.
    public var uri: URIReference
    /// Which part of it is wanted; `nil` for all of it.
    public var byteRange: ByteRange?
    /// How many bytes of it came in earlier attempts. They may be handed on again, and are passed over.
    public var alreadyReceived: UInt64
    /// With more bytes than this it is given up.
    public var byteLimit: UInt64

    /// Something to load.
    public init(kind: Kind, uri: URIReference, byteRange: ByteRange? = nil, alreadyReceived: UInt64 = 0, byteLimit: UInt64) {
      self.kind = kind
      self.uri = uri
      self.byteRange = byteRange
      self.alreadyReceived = alreadyReceived
      self.byteLimit = byteLimit
    }
  }
}

/// What segments pass through before they are read, as where losses are simulated.
public struct SegmentFilter: Sendable {
  /// Whether a segment, by its media sequence number, is passed over as if it could not be loaded. Nothing is said of it.
  public var drops: @Sendable (_ mediaSequence: UInt64) -> Bool
  /// Given the next bytes of a segment, decrypted, and whether it ends with them; returns those that are read in their place.
  public var change: @Sendable (_ bytes: [UInt8], _ isLast: Bool) -> [UInt8]

  /// A filter made of both.
  public init(
    drops: @escaping @Sendable (_ mediaSequence: UInt64) -> Bool, change: @escaping @Sendable (_ bytes: [UInt8], _ isLast: Bool) -> [UInt8]
  ) {
    self.drops = drops
    self.change = change
  }
}

/// Which playlist of a presentation is read.
public enum RenditionChoice: Equatable, Sendable {
  /// The first variant.
  case first
  /// The playlist of this index in ``HLSReader/choices``.
  case index(Int)
  /// The first playlist of ``HLSReader/choices`` that has this name; where none has, and it is a number, the one of this number, from 1.
  case named(String)
}

/// A playlist that a multivariant playlist offers.
public struct HLSChoice: Equatable, Sendable {
  /// Where it is, as it is written.
  public var uri: String
  /// What it can be called: its URI; of a variant the size of its picture, for example `1280x720`, and its NAME; of a rendition its NAME and its
  /// group.
  public var names: [String]
  /// Whether it is a variant, which carries the events. A rendition that is none may be without them.
  public var isVariant: Bool

  /// A playlist with its names.
  public init(uri: String, names: [String], isVariant: Bool = true) {
    self.uri = uri
    self.names = names
    self.isVariant = isVariant
  }
}

extension HLSChoice: CustomStringConvertible {
  /// Its names, for example `720p.m3u8 (1280x720)`.
  public var description: String {
    let others = names.dropFirst()
    guard let first = others.first else { return uri }
    return "\(uri) (\(others.dropFirst().reduce(first) { "\($0), \($1)" }))"
  }
}

extension HLSChoice {
  /// The variants' playlists, then those of the renditions that have one of their own; each playlist once.
  static func choices(of playlist: MultivariantPlaylist) -> [HLSChoice] {
    var choices: [HLSChoice] = []
    var indices: [[UInt8]: Int] = [:]
    func add(_ uri: String, _ names: [String?], isVariant: Bool) {
      let key = Array(uri.utf8)
      let index = indices[key] ?? choices.count
      if index == choices.count {
        indices[key] = index
        choices.append(HLSChoice(uri: uri, names: [uri], isVariant: isVariant))
      }
      for case let name? in names where !choices[index].isCalled(name) { choices[index].names.append(name) }
    }
    for variant in playlist.variants { add(variant.uri, [variant.resolution?.text, variant.name], isVariant: true) }
    for rendition in playlist.renditions {
      if let uri = rendition.uri { add(uri, [rendition.name, rendition.groupID], isVariant: false) }
    }
    return choices
  }

  /// Whether this is one of its names, byte for byte.
  func isCalled(_ name: String) -> Bool { names.contains { $0.utf8.elementsEqual(name.utf8) } }
}

extension RenditionChoice {
  /// The chosen one; `nil` where it does not exist.
  func choose(from choices: [HLSChoice]) -> HLSChoice? {
    switch self {
    case .first: choices.first
    case .index(let index): choices.indices.contains(index) ? choices[index] : nil
    case .named(let name):
      choices.first { $0.isCalled(name) } ?? Int(name).flatMap { $0 >= 1 && $0 <= choices.count ? choices[$0 - 1] : nil }
    }
  }
}
