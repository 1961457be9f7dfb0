import HLSPlaylist

extension FuzzTarget {
  /// Playlists: what is read is written and read again equal, its text does not change any more, and its addresses resolve.
  static let playlist = FuzzTarget("playlist") { bytes in
    let playlist: Playlist
    do throws(PlaylistError) {
      playlist = try Playlist(bytes.span)
    } catch {
      let lines = bytes.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
      try require((1...lines + 1).contains(error.line), "an error in line \(error.line) of \(lines)")
      return
    }
    // What is read may break rules that what is written keeps. Where the tags need a higher version than the one that stood there, that is written.
    guard let text = try? playlist.encode() else { return }
    let again = try Playlist(text.span)
    try require(unversioned(again), equals: unversioned(playlist), "written and read again")
    let slips = slips(of: playlist)
    try require(slips.count <= 32 && slips.allSatisfy { $0.count > 0 }, "\(slips.count) kinds of slips")
    try require(try again.encode(), equals: text, "written twice")
    let base = URIReference("https://a.example/b/c?d#e")
    for uri in uris(of: playlist) {
      let reference = URIReference(uri)
      try require(Array(reference.text.utf8), equals: Array(uri.utf8), "URI taken apart and put together")
      let resolved = reference.resolve(base: base)
      try require(resolved.resolve(base: base), equals: resolved, "URI resolved twice")
      _ = reference.pathWithinFolder
    }
    guard case .media(let media) = playlist else { return }
    _ = PlaylistReload(previous: media, current: media)
  }

  private static func slips(of playlist: Playlist) -> [PlaylistSlip] {
    switch playlist {
    case .media(let playlist): playlist.slips
    case .multivariant(let playlist): playlist.slips
    }
  }

  private static func unversioned(_ playlist: Playlist) -> Playlist {
    switch playlist {
    case .media(var playlist):
      (playlist.version, playlist.slips) = (nil, [])
      return .media(playlist)
    case .multivariant(var playlist):
      (playlist.version, playlist.slips) = (nil, [])
      return .multivariant(playlist)
    }
  }

  private static func uris(of playlist: Playlist) -> [String] {
    switch playlist {
    case .media(let playlist): playlist.segments.map { $0.uri }
    case .multivariant(let playlist): playlist.variants.map { $0.uri } + playlist.renditions.compactMap { $0.uri }
    }
  }
}
