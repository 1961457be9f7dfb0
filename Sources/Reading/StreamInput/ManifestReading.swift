import Basics
import DASHReading
import HLSPlaylist
import HLSReading

/// An MPD that is read, and the playlists that list its segments.
struct ManifestReading {
  let manifest: Manifest
  let playlists: ManifestPlaylists

  init(_ manifest: Manifest, name: String) {
    self.manifest = manifest
    playlists = manifest.playlists(name: name)
  }

  /// The event streams that are announced for a playlist.
  func announced(for choice: HLSChoice?) -> [Manifest.EventStream] { choice.flatMap { playlists.inband[$0.uri] } ?? [] }

  /// Whether bytes begin as an MPD does: as XML whose first element is `MPD`.
  static func isManifest(_ bytes: Span<UInt8>) -> Bool {
    let text = String(decoding: [UInt8](copying: bytes.extracting(0..<min(bytes.count, 4_096))), as: UTF8.self)
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      // A declaration or a comment.
      guard let first = rest.first, first == "?" || first == "!" else { break }
    }
    let name = rest.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
    return text.contains("<") && (name == "MPD" || name.hasSuffix(":MPD"))
  }
}

extension URIReference {
  /// The last segment of the path.
  var fileName: String { path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? "" }
}
