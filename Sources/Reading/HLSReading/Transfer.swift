import Basics
import HLSPlaylist

/// A resource that is being loaded, in one attempt or several.
struct Transfer: Sendable {
  /// What it is loaded for.
  enum Purpose: Equatable, Sendable {
    /// To see what kind of playlist it is.
    case topPlaylist
    /// To read the segments of the chosen playlist.
    case chosenPlaylist
    /// To see which segments are new.
    case reload
    /// To open the current segment or its map.
    case key
    /// To go before the current segment.
    case map
    /// To be read.
    case segment
  }

  let purpose: Purpose
  let uri: URIReference
  let byteRange: ByteRange?
  let byteLimit: UInt64
  /// Where the resource was found, redirects followed.
  var base: URIReference
  /// Which attempt this is, from 1.
  private(set) var attempt = 1
  /// How many bytes came, in the attempt in which the most came.
  private(set) var received: UInt64 = 0
  /// How many bytes came in this attempt.
  private(set) var position: UInt64 = 0
  /// The bytes of a playlist or a key, which are read when they are whole.
  private(set) var body: [UInt8] = []

  init(_ purpose: Purpose, _ uri: URIReference, byteRange: ByteRange? = nil, limits: HLSLimits) {
    self.purpose = purpose
    self.uri = uri
    self.byteRange = byteRange
    base = uri
    byteLimit = limits.limit(purpose.kind)
  }

  var resource: HLSReader.Resource {
    HLSReader.Resource(
      kind: purpose.kind, uri: uri, byteRange: byteRange, alreadyReceived: attempt == 1 ? 0 : firstNew, byteLimit: byteLimit)
  }

  /// How many bytes had come before this attempt began.
  private var firstNew: UInt64 = 0

  /// How many bytes have to come in this attempt, as far as that is known.
  var expected: UInt64 { max(byteRange?.length ?? 0, received) }

  /// Takes so many bytes, and returns which of them are new and wanted.
  mutating func take(_ count: Int) -> Range<Int> {
    let start = position
    let (sum, overflows) = start.addingReportingOverflow(UInt64(count))
    let end = min(overflows ? .max : sum, byteRange?.length ?? .max)
    position = max(start, end)
    let first = max(start, received)
    guard first < end else { return 0..<0 }
    received = end
    return Int(first - start)..<Int(end - start)
  }

  /// Keeps bytes until the resource is whole.
  mutating func keep(_ bytes: Span<UInt8>) { body += [UInt8](copying: bytes) }

  /// Starts over. What streams goes on where it broke off; what is read as a whole may have changed.
  mutating func retry() {
    attempt += 1
    position = 0
    if purpose.isKept {
      body = []
      received = 0
    }
    firstNew = received
  }
}

extension Transfer.Purpose {
  var kind: HLSReader.Resource.Kind {
    switch self {
    case .topPlaylist, .chosenPlaylist, .reload: .playlist
    case .key: .key
    case .map: .map
    case .segment: .segment
    }
  }

  /// Whether the bytes are read when they are whole.
  var isKept: Bool { kind == .playlist || kind == .key }
}
