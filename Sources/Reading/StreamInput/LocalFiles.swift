import Basics
import Files
import HLSPlaylist
import HLSReading

extension StreamInput {
  /// The files that reading needs: the input's own and, for a presentation in a folder, all that its playlists name. None for a URL.
  ///
  /// Unreadable playlists are skipped here; reading itself reports them.
  package var files: [String] {
    guard !Self.isURL(name) else { return [] }
    guard name != "-", let playlist = Self.playlist(at: name) else { return [name] }
    let folder = PathParts(name).folder
    let base = URIReference(relativePath: PathParts(name).name)
    let names = (try? FolderInput(path: folder))?.names ?? []
    var paths = Self.paths(named: playlist, at: base, in: names)
    if case .multivariant(let multivariant) = playlist {
      paths += Set(paths).flatMap { path in
        let media = Self.playlist(at: "\(folder)/\(path)", importing: multivariant.variables)
        return media.map { Self.paths(named: $0, at: URIReference(relativePath: path), in: names) } ?? []
      }
    }
    return [name] + Set(paths).map { "\(folder)/\($0)" }
  }

  /// The paths in the folder, which has these names, that a playlist's URIs lead to.
  private static func paths(named playlist: Playlist, at base: URIReference, in names: [String]) -> [String] {
    playlist.uris.compactMap { URIReference($0).resolve(base: base).pathWithinFolder(named: names) }
  }

  /// The playlist in a file; `nil` if there is none.
  private static func playlist(at path: String, importing variables: [PlaylistVariable] = []) -> Playlist? {
    // Pipes and devices can be read only once.
    guard FileIdentity(path: path) != nil, var file = try? FileInput(path: path) else { return nil }
    var bytes: [UInt8] = []
    while (try? file.fill()) == true {
      bytes.append(copying: file.bytes)
      guard Playlist.isPlaylist(bytes.span), bytes.count <= HLSLimits().playlist else { return nil }
    }
    return try? Playlist(bytes.span, importing: variables)
  }
}
