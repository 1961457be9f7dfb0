import Basics
public import EventReading
public import GameEvents
public import HLSPlaylist

/// A problem in a presentation that does not end its reading.
public enum HLSNotice: Equatable, Sendable {
  /// A segment could not be loaded to its end. Events in the first `read` bytes of it were read.
  case segmentLost(HLSSource, reason: String, read: UInt64)
  /// The playlist says that a segment is absent (EXT-X-GAP).
  case gap(HLSSource)
  /// Segments from this one on have an unsupported encryption. They are skipped until the key changes.
  case unsupportedEncryption(HLSSource, method: String)
  /// A key could not be loaded, or is not a key. The segments that need it are lost.
  case keyFailed(HLSSource, uri: String, reason: String)
  /// A segment or an initialization segment could not be decrypted to its end.
  case decryptionFailed(HLSSource, reason: String)
  /// An initialization segment could not be loaded. Its segments are read as far as that is possible without it.
  case initializationSegmentFailed(HLSSource, reason: String)
  /// A resource is not a stream.
  case unreadable(HLSSource?, ReadingError)
  /// The playlist could not be reloaded. Further attempts follow; this is reported once until one succeeds.
  case playlistFailed(uri: String, reason: String)
  /// The reloaded playlist cannot be read. Further attempts follow; this is reported once until one succeeds.
  case playlistDamaged(uri: String, PlaylistError)
  /// The playlist could not be reloaded this number of times in a row, and reading ends.
  case playlistGivenUp(uri: String, failures: Int)
  /// The reloaded playlist does not continue the previous one.
  case playlistProblem(PlaylistReload.Problem)
  /// The media sequence numbers stay below earlier ones: the playlist is read from its start, as after a discontinuity.
  case playlistStartedAfresh(mediaSequence: UInt64)
  /// The playlist has no end, but is in a file that nobody extends any more: reading ends with its last segment.
  case playlistUnended(uri: String)
  /// A playlist has a mistake that the reader tolerates.
  case playlistSlip(uri: String, PlaylistSlip)
  /// The event of a date range cannot be used.
  case unusableDateRange(id: String, EventError)
}

extension HLSNotice {
  /// The kind of the notice, whatever it is about.
  package var kind: String {
    switch self {
    case .segmentLost: "segmentLost"
    case .gap: "gap"
    case .unsupportedEncryption: "unsupportedEncryption"
    case .keyFailed: "keyFailed"
    case .decryptionFailed: "decryptionFailed"
    case .initializationSegmentFailed: "initializationSegmentFailed"
    case .unreadable: "unreadable"
    case .playlistFailed: "playlistFailed"
    case .playlistDamaged: "playlistDamaged"
    case .playlistGivenUp: "playlistGivenUp"
    case .playlistProblem: "playlistProblem"
    case .playlistStartedAfresh: "playlistStartedAfresh"
    case .playlistUnended: "playlistUnended"
    case .playlistSlip: "playlistSlip"
    case .unusableDateRange: "unusableDateRange"
    }
  }
}

extension HLSNotice: CustomStringConvertible {
  /// The problem in words.
  public var description: String {
    switch self {
    case .segmentLost(let source, let reason, 0): "\(source): skipped: \(reason)"
    case .segmentLost(let source, let reason, let read): "\(source): cut off after \(read) bytes: \(reason)"
    case .gap(let source): "\(source): the playlist says that this segment is absent"
    case .unsupportedEncryption(let source, let method):
      "\(source): skipped with all that have the same key: encryption with \(method) is not supported"
    case .keyFailed(let source, let uri, let reason): "\(source): its key \(uri) failed: \(reason)"
    case .decryptionFailed(let source, let reason): "\(source): decryption failed: \(reason)"
    case .initializationSegmentFailed(let source, let reason): "\(source): its segments are read without it: \(reason)"
    case .unreadable(let source?, let error): "\(source): \(error)"
    case .unreadable(nil, let error): "\(error)"
    case .playlistFailed(let uri, let reason): "\(uri): loading it again failed: \(reason)"
    case .playlistDamaged(let uri, let error): "\(uri): loaded again, it cannot be read: \(error)"
    case .playlistGivenUp(let uri, let failures): "\(uri): loading it again failed \(failures) times; reading ends"
    case .playlistProblem(let problem): "playlist: \(problem.text)"
    case .playlistStartedAfresh(let mediaSequence): "playlist: it has restarted, at media sequence number \(mediaSequence)"
    case .playlistUnended(let uri):
      "\(uri): no #EXT-X-ENDLIST, and nobody has added to the file for three target durations: reading ends with its last segment"
    case .playlistSlip(let uri, let slip): "\(uri): \(slip)"
    case .unusableDateRange(let id, let error): "date range \(id): unusable event: \(error)"
    }
  }
}

extension HLSSource: CustomStringConvertible {
  /// The URI and the number, for example `segment-00003.ts (segment 3)`.
  public var description: String { "\(uri) (segment \(mediaSequence))" }
}

extension PlaylistReload.Problem {
  fileprivate var text: String {
    switch self {
    case .mediaSequenceWentBack(let from, let to): "the media sequence number went back from \(from) to \(to)"
    case .discontinuitySequenceWentBack(let from, let to): "the discontinuity sequence number went back from \(from) to \(to)"
    case .segmentChanged(let number): "segment \(number) is another one than before"
    case .segmentsMissed(let count, let from):
      "\(Int(clamping: count).of("segment")) from \(from) on appeared and disappeared between two loads"
    }
  }
}
