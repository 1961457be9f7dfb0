import Basics

/// A mistake in a playlist that the reader tolerates, because the text is not needed or its meaning is clear. A notice reports it.
///
/// Whoever writes the playlist should fix it, since players treat it differently.
public struct PlaylistSlip: Equatable, Sendable {
  /// How the reader treated it.
  public enum Remedy: String, Equatable, Sendable {
    /// It was read as it is meant.
    case read = "read as it is meant"
    /// Something is missing, and the playlist was read without it.
    case missing = "read without it"
    /// The attribute was left out.
    case attributeIgnored = "the attribute was left out"
    /// The whole tag was left out.
    case tagIgnored = "the tag was left out"
  }

  /// The tag that it is in, for example `#EXT-X-MEDIA`; `nil` for a line that is a URI.
  public var tag: String?
  /// What is wrong, and where it occurs first.
  public var error: PlaylistError
  /// How the reader treated it.
  public var remedy: Remedy
  /// How often it occurs in the playlist.
  public var count: Int

  /// A slip.
  public init(tag: String?, _ error: PlaylistError, _ remedy: Remedy, count: Int = 1) {
    (self.tag, self.error, self.remedy, self.count) = (tag, error, remedy, count)
  }
}

extension PlaylistSlip {
  /// Whether both are the same mistake, wherever and however often it occurs.
  package func isSameKind(as other: PlaylistSlip) -> Bool {
    tag == other.tag && error.reason == other.error.reason && remedy == other.remedy
  }
}

extension PlaylistSlip: CustomStringConvertible {
  /// The slip in words, for example `#EXT-X-MEDIA: FORCED: YES or NO is expected here (line 3, column 52); read as it is meant`.
  public var description: String {
    "\(tag.map { "\($0): " } ?? "")\(error); \(remedy.rawValue)\(count > 1 ? " (\(count) times)" : "")"
  }
}

/// The slips of a playlist, each kind once.
struct SlipLog {
  private(set) var slips: [PlaylistSlip] = []

  /// The maximum number of kinds that are kept.
  private static let mostKinds = 32

  /// Adds a slip in a line.
  mutating func add(_ line: PlaylistLine, _ error: PlaylistError, _ remedy: PlaylistSlip.Remedy) {
    let slip = PlaylistSlip(tag: line.isTag ? line.tag?.text : nil, error, remedy)
    if let known = slips.firstIndex(where: { $0.isSameKind(as: slip) }) {
      slips[known].count += 1
    } else if slips.count < Self.mostKinds {
      slips.append(slip)
    }
  }

  /// Adds the slips of a playlist's text: lines in front of `#EXTM3U`.
  mutating func add(of lines: borrowing PlaylistLines) {
    guard let error = lines.lateHeader else { return }
    add(PlaylistLine(number: error.line, bytes: Array(PlaylistTag.header.text.utf8)), error, .read)
  }

  /// Adds the slip of a line that is not UTF-8.
  mutating func add(encodingOf line: PlaylistLine) { if line.isLatin1 { add(line, line.error(.notUTF8), .read) } }

  /// Leaves out a tag that cannot be read.
  ///
  /// - Throws: The error again if a limit is exceeded: limits apply to unneeded tags, too.
  mutating func ignore(_ line: PlaylistLine, _ error: PlaylistError) throws(PlaylistError) {
    if case .aboveLimit = error.reason { throw error }
    add(line, error, .tagIgnored)
  }
}
