import Basics
import HLSPlaylist

/// A resource that is being loaded, in one attempt or several.
struct Loading: Sendable {
  /// The purpose of loading it.
  enum Purpose: Equatable, Sendable {
    /// To find out which kind of playlist it is.
    case topPlaylist
    /// To read the segments of the chosen playlist.
    case chosenPlaylist
    /// To find new segments.
    case reload
    /// To decrypt the current segment or its initialization segment.
    case key
    /// To read it before the current segment.
    case initializationSegment
    /// To read it.
    case segment
  }

  let purpose: Purpose
  let uri: URIReference
  let byteRange: ByteRange?
  let byteLimit: UInt64
  /// Whether a delta update of a playlist is asked for.
  let isUpdate: Bool
  /// Where the resource was found, redirects followed.
  var base: URIReference
  /// For how long its file was not changed; `nil` if it is not in a file.
  var unchanged: MediaTime?
  /// The number of this attempt, from 1.
  private(set) var attempt = 1
  /// The largest number of bytes that were received in an attempt.
  private(set) var received: UInt64 = 0
  /// The number of bytes received in this attempt.
  private(set) var position: UInt64 = 0
  /// The bytes of a playlist or a key, which are read once they are complete.
  private(set) var body: [UInt8] = []
  /// The number of bytes that were received before this attempt.
  private var firstNew: UInt64 = 0

  init(_ purpose: Purpose, _ uri: URIReference, byteRange: ByteRange? = nil, isUpdate: Bool = false, limits: HLSLimits) {
    (self.purpose, self.uri, self.byteRange, self.isUpdate) = (purpose, uri, byteRange, isUpdate)
    base = uri
    byteLimit = limits.limit(purpose.kind)
  }

  var resource: HLSReader.Resource {
    HLSReader.Resource(kind: purpose.kind, uri: uri, byteRange: byteRange, alreadyReceived: firstNew, byteLimit: byteLimit)
  }

  /// The number of bytes that are expected in this attempt, as far as known.
  var expected: UInt64 { max(byteRange?.length ?? 0, received) }

  /// Counts the next bytes, and returns which of them are new and wanted.
  mutating func accept(_ chunk: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = position
    let end = min(start.addingSaturated(UInt64(chunk.count)), byteRange?.length ?? .max)
    position = max(start, end)
    let first = max(start, received)
    guard first < end else { return [] }
    received = end
    return chunk.dropFirst(Int(first - start)).prefix(Int(end - first))
  }

  /// Keeps bytes until the resource is complete.
  mutating func keep(_ bytes: ArraySlice<UInt8>) { body += bytes }

  /// Starts another attempt. A segment continues where it broke off; a resource that is read as a whole may have changed.
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

extension Loading.Purpose {
  var kind: HLSReader.Resource.Kind {
    switch self {
    case .topPlaylist, .chosenPlaylist, .reload: .playlist
    case .key: .key
    case .initializationSegment: .initializationSegment
    case .segment: .segment
    }
  }

  /// Whether the bytes are kept until they are complete.
  var isKept: Bool { kind == .playlist || kind == .key }
}
