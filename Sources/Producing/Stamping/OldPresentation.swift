import Basics
import Files
import HLSPlaylist

/// The existing presentation in the folder that has the same name as the new one.
struct OldPresentation: Equatable {
  /// The files that its playlists name, as far as their names are ones that this program gives. Files of others are not among them.
  private(set) var files: Set<String> = []

  /// Reads the playlists of a presentation. The result is empty if they are missing or cannot be read.
  ///
  /// - Parameters:
  ///   - name: The multivariant playlist's name without its extension.
  ///   - folder: The folder's path.
  init(_ name: String, in folder: String) {
    guard case .multivariant(let main) = Self.playlist("\(folder)/\(name).m3u8") else { return }
    let prefix = "\(name)-"
    func isOwn(_ file: String) -> Bool { !file.contains("/") && file.hasPrefix(prefix) }
    for playlist in Self.names(main.variants.map { $0.uri } + main.renditions.compactMap { $0.uri }) where isOwn(playlist) {
      guard case .media(let media) = Self.playlist("\(folder)/\(playlist)") else { continue }
      let uris = media.segments.flatMap { [$0.uri, $0.initializationSegment?.uri].compactMap { $0 } }
      files.formUnion(Self.names(uris).filter(isOwn))
      files.insert(playlist)
    }
    // An MPD of this presentation names its initialization segments. Any other file of that name is not ours.
    let initialization = files.filter { $0.hasSuffix("-init.mp4") }.map { Array(URIReference(relativePath: $0).text.utf8) }
    if let bytes = Self.bytes("\(folder)/\(name).mpd"), initialization.contains(where: { bytes.contains($0) }) {
      files.insert("\(name).mpd")
    }
  }

  private static func names(_ uris: [String]) -> [String] { uris.compactMap { URIReference($0).pathWithinFolder } }

  private static func playlist(_ path: String) -> Playlist? { bytes(path).flatMap { try? Playlist($0.span) } }

  private static func bytes(_ path: String) -> [UInt8]? {
    guard FileIdentity(path: path) != nil, var file = try? FileInput(path: path) else { return nil }
    guard file.size.map({ $0 <= PlaylistLimits.presentationBytes }) ?? false else { return nil }
    var bytes: [UInt8] = []
    while let isFilled = try? file.fill(), isFilled { bytes.append(copying: file.bytes) }
    return bytes
  }
}
