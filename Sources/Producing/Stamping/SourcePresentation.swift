import Basics
import Files
import HLSPlaylist

/// A presentation in a folder: its playlists, its tracks, and all files that it names.
struct SourcePresentation {
  /// The segments of a media playlist, with their initialization segments, in the order in which they are played.
  struct Track {
    var playlist: String
    /// The files, each once.
    var pieces: [String] = []
    var segments: [String] = []
    /// Partial segments that are files of their own, in their order.
    var parts: [String] = []
    /// The initialization segments by the files that need them.
    var initializationSegments: [String: String] = [:]
    /// Whether the playlist names parts of files.
    var keepsSize = false
  }

  let folder: String
  private let isInterrupted: @Sendable () -> Bool
  /// The names of the folder and of those above it.
  private let names: [String]
  /// The playlists, that of the presentation first.
  private(set) var playlists: [(name: String, bytes: [UInt8])] = []
  private(set) var tracks: [Track] = []
  /// All other files.
  private(set) var files: [String] = []
  /// The MPD beside the playlist, if it names the same files.
  private(set) var mpd: [UInt8]?
  /// What the playlists name and the folder does not have, in words, each once.
  private(set) var notices: [String] = []

  /// The maximum number of playlists that are read.
  private static let mostPlaylists = 4_096

  init(folder: String, _ isInterrupted: @escaping @Sendable () -> Bool) {
    (self.folder, self.isInterrupted) = (folder, isInterrupted)
    names = (try? FolderInput(path: folder))?.names ?? []
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Reads a playlist of either kind, those that it names, and the MPD beside it.
  mutating func read(_ name: String) throws(StampingError) {
    try add(load(name, importing: []), name)
    try addMPD(of: name)
  }

  /// Adds a playlist and everything that it names.
  ///
  /// - Parameters:
  ///   - variables: Those of the multivariant playlist.
  ///   - isSubtitles: Whether it is that of a rendition of subtitles, whose files carry no events.
  private mutating func add(
    _ playlist: Playlist, _ name: String, importing variables: [PlaylistVariable] = [], isSubtitles: Bool = false
  ) throws(StampingError) {
    if case .media(let media) = playlist { try addTrack(media, name, isSubtitles: isSubtitles) }
    for reference in playlist.references {
      switch (reference.role, playlist) {
      case (.playlist, .multivariant(let main)):
        let file = try file(reference.uri, from: name)
        guard !isKnown(file) else { continue }
        let isText = main.renditions.contains { $0.uri == reference.uri && $0.type == .subtitles }
        let media = try load(file, importing: main.variables)
        guard case .media = media else { throw .presentation(path: path(file), .notAPlaylist) }
        try add(media, file, importing: main.variables, isSubtitles: isText)
      case (.playlist, _), (.segment, _), (.initializationSegment, _), (.part, _): break
      case (.hint, _): try addCompanion(reference.uri, of: name, variables, isExpected: false)
      case (.key, _), (.companion, _): try addCompanion(reference.uri, of: name, variables, isExpected: true)
      }
    }
  }

  private mutating func addTrack(_ media: MediaPlaylist, _ name: String, isSubtitles: Bool) throws(StampingError) {
    var track = Track(playlist: name)
    let references = Playlist.media(media).references
    track.keepsSize = references.contains { $0.isPartOfFile }
    for segment in media.segments where !segment.isGap {
      let keys = segment.keys + (segment.initializationSegment?.keys ?? [])
      guard isSubtitles || keys.allSatisfy({ $0.leavesEventsClear }) else {
        throw .presentation(path: path(name), .encrypted(uri: segment.uri))
      }
      var initializationSegment: String?
      if let start = segment.initializationSegment {
        let piece = try file(start.uri, from: name)
        if !track.pieces.contains(piece) { track.pieces.append(piece) }
        initializationSegment = piece
      }
      let piece = try file(segment.uri, from: name)
      // Parts of the same file mostly follow each other.
      if track.segments.last != piece, !track.segments.contains(piece) {
        track.segments.append(piece)
        track.initializationSegments[piece] = initializationSegment
        if !track.pieces.contains(piece) { track.pieces.append(piece) }
      }
    }
    try addParts(references, media.segments.last?.initializationSegment, to: &track, name)
    // Files of no track are copied.
    if !isSubtitles { tracks.append(track) }
    appendFiles(track.pieces + track.parts)
  }

  /// Adds the partial segments that are in files of their own. Those of old segments may be gone.
  private mutating func addParts(
    _ references: [PlaylistReference], _ start: InitializationSegment?, to track: inout Track, _ name: String
  ) throws(StampingError) {
    let start = try start.map { (start) throws(StampingError) in try file(start.uri, from: name) }
    var known = Set(track.pieces)
    for reference in references where reference.role == .part || reference.role == .hint {
      let piece = try file(reference.uri, from: name)
      guard known.insert(piece).inserted else { continue }
      guard FileIdentity(path: path(piece)) != nil else {
        if reference.role == .part { note("\(name) names \(reference.uri), which is not there") }
        continue
      }
      track.parts.append(piece)
      track.initializationSegments[piece] = start
    }
  }

  /// Adds a file that a playlist names besides its segments. If it is a playlist itself, what that names is added, too.
  private mutating func addCompanion(
    _ uri: String, of playlist: String, _ variables: [PlaylistVariable], isExpected: Bool
  ) throws(StampingError) {
    let reference = URIReference(uri)
    if let scheme = reference.scheme, !["http", "https"].contains(scheme.lowercased()) { return }
    guard let file = resolved(uri, from: playlist) else {
      return note("\(playlist) names \(uri), which is elsewhere and stays as it is named")
    }
    guard !isKnown(file), !files.contains(file) else { return }
    guard FileIdentity(path: path(file)) != nil else {
      if isExpected { note("\(playlist) names \(uri), which is not there") }
      return
    }
    guard playlists.count < Self.mostPlaylists, let bytes = try beginning(of: file), Playlist.isPlaylist(bytes.span) else {
      return appendFiles([file])
    }
    try add(load(file, importing: variables), file, importing: variables)
  }

  /// Adds the MPD that has the playlist's name, if it names files of the presentation.
  private mutating func addMPD(of playlist: String) throws(StampingError) {
    let name = "\(PathParts(playlist).presentationName).mpd"
    guard FileIdentity(path: path(name)) != nil else { return }
    let bytes = try bytes(of: name)
    let named = files.contains { file in
      let name = Array(URIReference(relativePath: PathParts(file).name).text.utf8)
      // A template has an identifier in place of a number (ISO/IEC 23009-1, 5.3.9.4.4).
      let template = name.prefix { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } + Array("$".utf8)
      return bytes.contains(name) || template.count > 1 && bytes.contains(Array(template))
    }
    guard named else { return }
    mpd = bytes
    // Indexes and segments may be named by their bytes.
    guard bytes.contains(Array("Range=\"".utf8)) else { return }
    for index in tracks.indices { tracks[index].keepsSize = true }
  }

  private mutating func appendFiles(_ names: [String]) {
    let known = Set(files)
    files += names.filter { !known.contains($0) }
  }

  private mutating func note(_ text: String) { if !notices.contains(text) { notices.append(text) } }

  private func isKnown(_ playlist: String) -> Bool { playlists.contains { $0.name == playlist } }

  private func resolved(_ uri: String, from playlist: String) -> String? {
    URIReference(uri).resolve(base: URIReference(relativePath: playlist)).pathWithinFolder(named: names)
  }

  /// Returns the file in the folder that a playlist names. If it is named by a way through the folder's own name, the playlist is changed: in another
  /// folder, the way would lead back to the old files.
  private mutating func file(_ uri: String, from playlist: String) throws(StampingError) -> String {
    guard let path = resolved(uri, from: playlist) else { throw .presentation(path: self.path(playlist), .outside(uri: uri)) }
    let isDirect = URIReference(uri).resolve(base: URIReference(relativePath: playlist)).pathWithinFolder != nil
    if !isDirect, let index = playlists.firstIndex(where: { $0.name == playlist }) {
      let up = String(repeating: "../", count: playlist.utf8.count { $0 == UInt8(ascii: "/") })
      let bytes = playlists[index].bytes.replacing(Array(uri.utf8), with: Array((up + URIReference(relativePath: path).text).utf8))
      playlists[index].bytes = bytes
    }
    return path
  }

  private mutating func load(_ name: String, importing variables: [PlaylistVariable]) throws(StampingError) -> Playlist {
    let bytes = try bytes(of: name)
    playlists.append((name, bytes))
    do throws(PlaylistError) { return try Playlist(bytes.span, importing: variables) } catch {
      throw .presentation(path: path(name), .notAPlaylist)
    }
  }

  /// All bytes of a playlist or an MPD.
  private func bytes(of name: String) throws(StampingError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPart(of: name) { (part) throws(StampingError) in
      bytes.append(copying: part)
      guard bytes.count <= PlaylistLimits.presentationBytes else { throw .presentation(path: path(name), .tooLarge) }
    }
    return bytes
  }

  /// The first bytes of a file; `nil` if it is empty.
  private func beginning(of name: String) throws(StampingError) -> [UInt8]? {
    var file = try reading(FileInput(path: path(name), isInterrupted: isInterrupted))
    return try reading(file.fill()) ? [UInt8](copying: file.bytes) : nil
  }

  /// The number of bytes of all files but the playlists.
  func byteCount() throws(StampingError) -> Int {
    var count = 0
    for file in files { count += try reading(FileInput(path: path(file)).size) ?? 0 }
    return count
  }

  /// Reads a file of the folder.
  func forEachPart(of name: String, _ body: (Span<UInt8>) throws(StampingError) -> Void) throws(StampingError) {
    var file = try reading(FileInput(path: path(name), isInterrupted: isInterrupted))
    while try reading(file.fill()) { try body(file.bytes) }
  }
}

extension EncryptionKey {
  /// Whether it encrypts samples of pictures and sound alone. Timed ID3 and event messages are clear then.
  fileprivate var leavesEventsClear: Bool { method.rawValue.utf8.starts(with: "SAMPLE-AES".utf8) }
}
