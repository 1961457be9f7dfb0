/// A playlist of either kind (RFC 8216bis, section 4).
package enum Playlist: Equatable, Sendable {
  /// The segments of one rendition.
  case media(MediaPlaylist)
  /// The variants and renditions of a presentation.
  case multivariant(MultivariantPlaylist)

  /// The two kinds.
  package enum Kind: Equatable, Sendable {
    /// A media playlist.
    case media
    /// A multivariant playlist.
    case multivariant
  }
}

extension Playlist {
  /// Reads a playlist of either kind. The first EXTINF or EXT-X-STREAM-INF decides, or else the first tag that
  /// only one kind may have; without such a tag it is a media playlist.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8. A byte order mark in front, CR LF, and spaces at a line's end are accepted.
  ///   - variables: Those of the multivariant playlist that led here, for EXT-X-DEFINE with IMPORT.
  ///   - query: The query of the playlist's address, for EXT-X-DEFINE with QUERYPARAM.
  ///   - limits: How much is accepted.
  ///   - previous: The media playlist as it was loaded before, which a delta update completes; `nil` if delta updates are refused.
  /// - Throws: `PlaylistError` with the line that cannot be read; `mixed` for a tag that stands in front of a URI of the other kind.
  package init(
    _ bytes: Span<UInt8>, importing variables: [PlaylistVariable] = [], query: String? = nil, limits: PlaylistLimits = .standard,
    updating previous: MediaPlaylist? = nil
  ) throws(PlaylistError) {
    switch try Self.kind(of: bytes, limits: limits) {
    case .media: self = .media(try MediaPlaylist(bytes, importing: variables, query: query, limits: limits, updating: previous))
    case .multivariant: self = .multivariant(try MultivariantPlaylist(bytes, query: query, limits: limits))
    }
  }

  /// The playlist as text, equal for equal playlists.
  ///
  /// - Throws: `PlaylistError` with the line that cannot be written.
  package func encode() throws(PlaylistError) -> [UInt8] {
    switch self {
    case .media(let playlist): try playlist.encode()
    case .multivariant(let playlist): try playlist.encode()
    }
  }

  private static func kind(of bytes: Span<UInt8>, limits: PlaylistLimits) throws(PlaylistError) -> Kind {
    var lines = try PlaylistLines(bytes, limits: limits)
    var first: Kind?
    while let line = try lines.next() {
      guard let tag = line.tag else { continue }
      if let kind = tag.deciding { return kind }
      first = first ?? tag.kind
    }
    return first ?? .media
  }
}

extension Playlist {
  /// Whether the first bytes of an input, a few kilobytes or all, are those of a playlist (RFC 8216bis, 4.1): `#EXTM3U`, with or without a byte
  /// order mark, or with tags, comments and blank lines before it, which readers tolerate.
  package static func isPlaylist(_ bytes: Span<UInt8>) -> Bool { PlaylistLines.isPlaylist(bytes) }
}
