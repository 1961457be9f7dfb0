public import HLSPlaylist

/// Why a presentation cannot be read at all.
public enum HLSReadingError: Error, Equatable, Sendable {
  /// A playlist could not be loaded.
  case playlistNotLoaded(uri: String, HLSLoadFailure)
  /// A playlist cannot be read.
  case playlist(uri: String, PlaylistError)
  /// The playlist of a variant is another multivariant playlist.
  case nestedMultivariant(uri: String)
  /// The playlist that was chosen is not among those that the presentation offers; a media playlist offers none.
  case noSuchRendition(RenditionChoice, uri: String, choices: [HLSChoice])
}

extension HLSReadingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .playlistNotLoaded(let uri, let failure): "\(uri): \(failure.reason)"
    case .playlist(let uri, let error): "\(uri): \(error)"
    case .nestedMultivariant(let uri): "\(uri): a variant's playlist must list segments, and this one lists variants"
    case .noSuchRendition(let choice, let uri, let choices):
      choices.isEmpty
        ? "\(uri): \(choice.text) does not exist: this playlist offers no choice"
        : "\(uri): \(choice.text) does not exist; there are \(choices.dropFirst().reduce("\(choices[0])") { "\($0), \($1)" })"
    }
  }
}

extension RenditionChoice {
  fileprivate var text: String {
    switch self {
    case .first: "a first rendition"
    case .index(let index): "rendition \(index &+ 1)"
    case .named(let name): "rendition \"\(name)\""
    case .highestBandwidth: "a variant"
    }
  }
}
