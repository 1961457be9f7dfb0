import Basics
import Files
import HLSPlaylist

/// The presentation that lies in a folder under the name of the one that is made now.
struct OldPresentation: Equatable {
  /// The names of its files that its playlists name, and that have names such as this program gives them. Nobody else's are among them.
  private(set) var files: Set<String> = []

  /// Reads the playlists of a presentation; there is nothing in it where they are missing or cannot be read.
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
  }

  private static func names(_ uris: [String]) -> [String] { uris.compactMap { URIReference($0).pathWithinFolder } }

  private static func playlist(_ path: String) -> Playlist? {
    guard FileIdentity(path: path) != nil, var file = try? FileInput(path: path) else { return nil }
    guard file.size.map({ $0 <= PlaylistLimits.presentationBytes }) ?? false else { return nil }
    var bytes: [UInt8] = []
    while let isFilled = try? file.fill(), isFilled { bytes.append(copying: file.bytes) }
    return try? Playlist(bytes.span)
  }
}
