import Files
import HLSPlaylist

extension PathParts {
  /// The name of a presentation, which is its playlist's name without the extension.
  var presentationName: String { name.hasSuffix(".m3u8") ? String(name.dropLast(5)) : name }
}

/// The folder of a presentation. Its files appear under their names only when all of them are complete.
struct PresentationFolder: ~Copyable {
  private var folder: StagingFolder
  private let path: String
  /// The files that must not be replaced, with the names under which they are inputs.
  private let inputs: [FileIdentity: String]

  init(path: String, overwrite: Bool, inputs: [String]) throws(StampingError) {
    self.path = path
    var identities: [FileIdentity: String] = [:]
    for input in inputs {
      if let identity = FileIdentity(path: input) { identities[identity] = input }
    }
    self.inputs = identities
    folder = try writing(StagingFolder(path: path, overwrite: overwrite))
  }

  /// Requires that a file of this name can be made, so that failures come before any work is done.
  borrowing func requirePlace(for name: String) throws(StampingError) {
    try requireNoInput(name)
    try writing(folder.requirePlace(for: name))
  }

  private borrowing func requireNoInput(_ name: String) throws(StampingError) {
    guard let file = FileIdentity(path: "\(path)/\(name)"), let input = inputs[file] else { return }
    throw .outputIsInput(path: input)
  }

  /// Marks the files of the old presentation for removal once the new one is complete. Files that must not be replaced stay.
  mutating func replace(_ old: OldPresentation) {
    folder.remove(old.files.sorted().filter { name in FileIdentity(path: "\(path)/\(name)").map { inputs[$0] == nil } ?? false })
  }

  /// Creates a file, to be written and committed.
  mutating func makeFile(_ name: String) throws(StampingError) -> FileSink {
    try requireNoInput(name)
    return try writing(folder.makeFile(name))
  }

  /// Writes a whole file.
  mutating func write(_ name: String, _ bytes: Span<UInt8>) throws(StampingError) {
    var sink = try makeFile(name)
    sink.write(bytes)
    try sink.complete()
  }

  /// Removes files that were written.
  mutating func discard(_ names: [String]) {
    for name in names { folder.discard(name) }
  }

  /// Writes a playlist.
  mutating func write(_ name: String, _ playlist: Playlist) throws(StampingError) {
    let bytes: [UInt8]
    do throws(PlaylistError) { bytes = try playlist.encode() } catch { throw .playlist(error) }
    guard bytes.count <= PlaylistLimits.presentationBytes else { throw .playlistTooLarge(name: name, bytes: bytes.count) }
    try write(name, bytes.span)
  }

  /// Gives all files their names, in the order in which they were made.
  consuming func commit() throws(StampingError) {
    do throws(FileSinkError) { try folder.commit() } catch { throw .output(error) }
  }
}
