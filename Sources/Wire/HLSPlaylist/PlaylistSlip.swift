import Basics

/// Something in a playlist that the specification forbids and that is not needed, or is clear all the same: it is read with a notice.
///
/// A writer of the playlist should mend it. Players differ in what they make of it.
public struct PlaylistSlip: Equatable, Sendable {
  /// What was made of it.
  public enum Remedy: String, Equatable, Sendable {
    /// It was read as it is meant.
    case read = "read as it is meant"
    /// It is missing, and was read without it.
    case missing = "read without it"
    /// The attribute was left out.
    case attributeIgnored = "the attribute was left out"
    /// The whole tag was left out.
    case tagIgnored = "the tag was left out"
  }

  /// The tag that it is in, for example `#EXT-X-MEDIA`; `nil` for a line that is a URI.
  public var tag: String?
  /// What is wrong, and where it is for the first time.
  public var error: PlaylistError
  /// What was made of it.
  public var remedy: Remedy
  /// How often the playlist has it.
  public var count: Int

  /// A slip.
  public init(tag: String?, _ error: PlaylistError, _ remedy: Remedy, count: Int = 1) {
    (self.tag, self.error, self.remedy, self.count) = (tag, error, remedy, count)
  }
}

extension PlaylistSlip {
  /// Whether both are the same mistake, wherever and however often it is made.
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

  /// The most kinds that are kept.
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

  /// Leaves a tag out that cannot be read.
  ///
  /// - Throws: The error again if a limit is exceeded: limits hold for what is not needed, too.
  mutating func ignore(_ line: PlaylistLine, _ error: PlaylistError) throws(PlaylistError) {
    if case .aboveLimit = error.reason { throw error }
    add(line, error, .tagIgnored)
  }
}
