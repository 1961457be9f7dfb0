/// Why a playlist could not be read or written, and where.
public struct PlaylistError: Error, Equatable, Sendable {
  /// What is wrong.
  public var reason: Reason
  /// The line, counted from 1: of the text read, or the one that was to be written.
  public var line: Int
  /// Where in the line, in bytes counted from 1; `nil` if the whole line is meant, and when writing.
  public var column: Int?

  /// An error with its reason and place.
  public init(_ reason: Reason, line: Int, column: Int? = nil) { (self.reason, self.line, self.column) = (reason, line, column) }

  /// What can be wrong with a playlist.
  public enum Reason: Equatable, Sendable {
    /// The first line is not `#EXTM3U`.
    case notAPlaylist
    /// The line is not UTF-8.
    case notUTF8
    /// A required tag, attribute or value is missing.
    case missing(String)
    /// A tag or attribute that may occur once occurs again.
    case repeated(String)
    /// A tag of media playlists is in a multivariant playlist, or the other way round.
    case mixed(String)
    /// A value that the specification forbids.
    case invalid(String)
    /// Something that is valid but not supported.
    case unsupported(String)
    /// A length or count is above what is accepted.
    case aboveLimit(what: String, limit: Int)
  }
}

extension PlaylistError: CustomStringConvertible {
  /// The reason and the place in words, for example `#EXTINF is missing (line 7)`.
  public var description: String {
    if let column { "\(reason) (line \(line), column \(column))" } else { "\(reason) (line \(line))" }
  }
}

extension PlaylistError.Reason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .notAPlaylist: "no playlist: the first line is not #EXTM3U"
    case .notUTF8: "no UTF-8"
    case .missing(let what): "\(what) is missing"
    case .repeated(let what): "\(what) is repeated"
    case .mixed(let tag): "\(tag) does not belong in this kind of playlist"
    case .invalid(let what): "\(what)"
    case .unsupported(let what): "\(what) is not supported"
    case .aboveLimit(let what, let limit): "\(what) is above the limit of \(limit)"
    }
  }
}
