public import Basics
public import EventReading
public import GameEvents
public import HLSPlaylist

/// Reads game events, and every other ID3 tag, from an HLS presentation (RFC 8216).
///
/// It loads nothing and has no clock. ``step`` says what to do next, and the caller reports the outcome. Each report returns the items
/// that were found, in the order of the presentation. Check ``step`` after each call: if it names another resource than the one that is being
/// loaded, stop loading that. Memory is bounded by the playlist, however long reading lasts, because segments are read as they arrive.
///
/// ```swift
/// var reader = HLSReader(playlist: URIReference("https://example.com/show.m3u8"))
/// while case .load(let resource) = reader.step {
///   items += try reader.receive(load(resource))
///   items += try reader.complete(elapsed: .zero)
/// }
/// ```
///
/// A live presentation is read from the first segment in its playlist (or near its end, ``Start/liveEdge``) until the playlist ends. Anything
/// that cannot be read becomes a notice among the items, and its duration counts as programme time.
///
/// The reader joins an `HLSLoader`, which decides what to load, and an `HLSEventReader`, which finds the events.
public struct HLSReader: Sendable {
  private var loader: HLSLoader
  private var events: HLSEventReader

  /// Starts with the address of a playlist of either kind. It may be relative to a base that only the caller knows, such as a path.
  public init(playlist: URIReference, options: Options = Options()) {
    loader = HLSLoader(playlist: playlist, options: options)
    events = HLSEventReader(options)
  }

  /// What to do next.
  public var step: Step { events.isFinished ? .finished : loader.step }

  /// The playlists that the multivariant playlist offers: variants, then renditions that have one of their own. Empty before it was read,
  /// and for a media playlist.
  public var choices: [HLSChoice] { loader.choices }

  /// The one that is read.
  public var choice: HLSChoice? { loader.choice }

  /// The programme time at which the video (or the audio) starts; `nil` before it is known.
  public var start: MediaTime? { events.start }

  /// The programme time up to which segments are read; `nil` before the first.
  public var end: MediaTime? { events.end }

  /// The container of the latest stretch of the presentation; `nil` before it is known.
  public var container: Container? { events.container }

  /// Records that the resource was found at another address. References in a playlist are relative to that one.
  public mutating func redirected(to uri: URIReference) { loader.redirected(to: uri) }

  /// Reads the next bytes of the resource.
  ///
  /// Each attempt provides the resource (or the wanted byte range) from its start. Bytes of an earlier attempt are skipped.
  /// - Throws: ``HLSReadingError`` if a first playlist is too large.
  public mutating func receive(_ chunk: Span<UInt8>) throws(HLSReadingError) -> [HLSItem] { try receive([UInt8](copying: chunk)) }

  /// Reads the next bytes of the resource, as for a span.
  ///
  /// - Throws: ``HLSReadingError`` if a first playlist is too large.
  public mutating func receive(_ chunk: [UInt8]) throws(HLSReadingError) -> [HLSItem] { events.receive(try loader.receive(chunk[...])) }

  /// Records that the resource was loaded completely.
  ///
  /// - Parameter elapsed: The time since its loading began.
  /// - Throws: ``HLSReadingError`` if a first playlist cannot be read.
  public mutating func complete(elapsed: MediaTime) throws(HLSReadingError) -> [HLSItem] {
    events.receive(try loader.complete(elapsed: elapsed))
  }

  /// Records that the resource cannot be loaded, or not to its end.
  ///
  /// - Parameters:
  ///   - failure: The reason. In a live presentation another attempt is made in any case, since segments may appear later than the playlist
  ///     that lists them.
  ///   - elapsed: The time since its loading began.
  /// - Throws: ``HLSReadingError`` if a first playlist is lost.
  public mutating func fail(_ failure: HLSLoadFailure, elapsed: MediaTime) throws(HLSReadingError) -> [HLSItem] {
    events.receive(try loader.fail(failure, elapsed: elapsed))
  }

  /// Records that the wait is over.
  public mutating func waited() { loader.waited() }

  /// Ends reading here, and returns the remaining items.
  public mutating func stop() -> [HLSItem] {
    loader.stop()
    return events.receive(.finished)
  }
}

extension HLSReader {
  /// How a presentation is read.
  public struct Options: Sendable {
    /// Decrypts AES-128 in CBC mode (RFC 8216, 4.3.2.4): whole blocks of 16 bytes, a key of 16, an initialisation vector of 16. It removes no
    /// padding and returns as many bytes as it receives; `nil` if it fails without a reason.
    public typealias Decryption = @Sendable (_ blocks: [UInt8], _ key: [UInt8], _ vector: [UInt8]) throws(DecryptionFailure) -> [UInt8]?
    /// Why bytes cannot be decrypted.
    public struct DecryptionFailure: Error, Equatable, Sendable {
      /// The reason in words.
      public var reason: String

      /// A failure for a reason in words.
      public init(reason: String) { self.reason = reason }
    }

    /// Which of the playlists is read, if there is a choice.
    public var rendition: RenditionChoice
    /// How often a resource is requested before it counts as lost; at least once.
    public var attempts: Int
    /// How much of the programme is read, counted from where reading started; `nil` for all of it.
    public var duration: MediaTime?
    /// Where reading starts in a live presentation.
    public var start: Start
    /// How large resources may be.
    public var limits: HLSLimits
    /// Decrypts AES-128; `nil` if that is not supported.
    public var decrypt: Decryption?
    /// Checks the signature that every copy of an event must have, or else it is damage; `nil` if signatures are not required.
    public var signatures: SignatureCheck?
    /// The media sequence numbers of segments that count as lost without being requested, for simulated losses. No notice reports
    /// them.
    package var skippedSegments: Set<UInt64> = []
    /// Whether events are kept that tell a time at which the stream is not, as where parts were cut out of it.
    package var keepsOtherTimes = false
    /// Whether playlists are always loaded whole, though the server offers delta updates.
    package var loadsWholePlaylists = false
    /// Whether a live playlist that cannot be reloaded is requested without end.
    package var isPatient = false

    /// The defaults are the first rendition, three attempts, all of the programme, and no required signatures.
    public init(
      rendition: RenditionChoice = .first, attempts: Int = 3, duration: MediaTime? = nil, start: Start = .firstSegment,
      limits: HLSLimits = HLSLimits(), decrypt: Decryption? = nil, signatures: SignatureCheck? = nil
    ) {
      self.rendition = rendition
      self.attempts = attempts
      self.duration = duration
      self.start = start
      self.limits = limits
      self.decrypt = decrypt
      self.signatures = signatures
    }
  }

  /// Where reading starts in a live presentation. One that has ended is always read from its first segment.
  public enum Start: Equatable, Sendable {
    /// At the first segment of the playlist.
    case firstSegment
    /// At the last segment that starts three target durations or more before the end of the playlist (RFC 8216, 6.3.3): where players start.
    case liveEdge
    /// At the first of this many segments at the end of the playlist.
    case lastSegments(Int)
  }

  /// What to do next.
  public enum Step: Equatable, Sendable {
    /// Load this, pass its bytes to ``HLSReader/receive(_:)``, and report the outcome with ``HLSReader/complete(elapsed:)`` or
    /// ``HLSReader/fail(_:elapsed:)``.
    case load(Resource)
    /// Wait for this time, then call ``HLSReader/waited()``.
    case wait(MediaTime)
    /// Nothing: everything was read.
    case finished
  }

  /// Something to load.
  public struct Resource: Equatable, Sendable {
    /// The role of a resource in the presentation.
    public enum Kind: Equatable, Sendable {
      /// A playlist.
      case playlist
      /// The initialization segment of fragmented MP4 (EXT-X-MAP).
      case initializationSegment
      /// A key of 16 bytes (EXT-X-KEY).
      case key
      /// A segment.
      case segment
    }

    /// The kind of resource.
    public var kind: Kind
    /// Its address, resolved against that of its playlist.
    public var uri: URIReference
    /// The wanted byte range; `nil` for all of it.
    public var byteRange: ByteRange?
    /// The number of its bytes that were received in earlier attempts. They may be provided again, and are skipped.
    public var alreadyReceived: UInt64
    /// The maximum size in bytes. A larger resource is given up.
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

/// Why a resource could not be loaded, reported by the caller.
public struct HLSLoadFailure: Equatable, Sendable {
  /// What can be done about it.
  public enum Kind: Equatable, Sendable {
    /// Nothing: the resource does not exist.
    case missing
    /// Nothing: it cannot be loaded for another reason.
    case refused
    /// Another attempt may succeed.
    case temporary
  }

  /// What can be done about it.
  public var kind: Kind
  /// The reason in words, without the resource's name.
  public var reason: String

  /// A failure with its reason in words.
  public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
}
