@testable import HLSPlaylist
import Testing

/// The error that `body` throws, or `nil`.
func playlistError(_ body: () throws(PlaylistError) -> Void) -> PlaylistError? {
  do throws(PlaylistError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Reads a playlist of either kind.
func readPlaylist(
  _ text: String, importing variables: [PlaylistVariable] = [], query: String? = nil, limits: PlaylistLimits = .standard
) throws(PlaylistError) -> Playlist {
  try readPlaylist(Array(text.utf8), importing: variables, query: query, limits: limits)
}

func readPlaylist(
  _ bytes: [UInt8], importing variables: [PlaylistVariable] = [], query: String? = nil, limits: PlaylistLimits = .standard
) throws(PlaylistError) -> Playlist {
  try Playlist(bytes.span, importing: variables, query: query, limits: limits)
}

func readMedia(
  _ text: String, importing variables: [PlaylistVariable] = [], limits: PlaylistLimits = .standard
) throws(PlaylistError) -> MediaPlaylist {
  let bytes = Array(text.utf8)
  return try MediaPlaylist(bytes.span, importing: variables, limits: limits)
}

func readMultivariant(_ text: String) throws(PlaylistError) -> MultivariantPlaylist {
  let bytes = Array(text.utf8)
  return try MultivariantPlaylist(bytes.span)
}

extension Playlist {
  /// The playlist as if it had been read without slips.
  var flawless: Playlist {
    switch self {
    case .media(var playlist):
      playlist.slips = []
      return .media(playlist)
    case .multivariant(var playlist):
      playlist.slips = []
      return .multivariant(playlist)
    }
  }

  /// Which kind of playlist this is.
  var kind: Kind {
    switch self {
    case .media: .media
    case .multivariant: .multivariant
    }
  }

  /// Mistakes in the text that the reader tolerated.
  var slips: [PlaylistSlip] {
    switch self {
    case .media(let playlist): playlist.slips
    case .multivariant(let playlist): playlist.slips
    }
  }

  /// The playlist as text.
  func text() throws(PlaylistError) -> String { String(decoding: try encode(), as: UTF8.self) }
}

extension AttributeList {
  /// Reads a list without slips, as the first line of a text.
  init(_ text: String) throws(PlaylistError) {
    let line = PlaylistLine(number: 1, bytes: Array(text.utf8))
    var none: SlipLog?
    self.init(try PlacedAttribute.parse(line, from: 0, limit: PlaylistLimits.standard.attributes, slips: &none).map { $0.attribute })
  }

  /// The list as the text of a first line.
  func text() throws(PlaylistError) -> String { try text(line: 1) }
}

/// A number of seconds.
func seconds(_ text: String) throws -> PlaylistDecimal { try #require(PlaylistDecimal(text)) }

/// Lines as text, each with a line feed.
func lines(_ lines: String...) -> String { lines.map { $0 + "\n" }.joined() }
