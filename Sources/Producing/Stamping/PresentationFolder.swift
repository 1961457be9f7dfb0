import Files
import HLSPlaylist

/// The folder of a presentation. Its files appear under their names only when all of them are complete.
struct PresentationFolder: ~Copyable {
  private var folder: StagingFolder
  private let path: String
  /// The files that must not be replaced.
  private let inputs: [String]

  init(path: String, overwrite: Bool, inputs: [String]) throws(StampingError) {
    self.path = path
    self.inputs = inputs
    folder = try writing(StagingFolder(path: path, overwrite: overwrite))
  }

  /// Requires that a file of this name can be made, to fail before any work is done.
  borrowing func requirePlace(for name: String) throws(StampingError) {
    try writing(folder.requirePlace(for: name))
  }

  /// Makes a file, to be written and committed.
  mutating func makeFile(_ name: String) throws(StampingError) -> FileSink {
    let output = "\(path)/\(name)"
    if let input = inputs.first(where: { FolderInput.areSame($0, output) }) { throw .outputIsInput(path: input) }
    return try writing(folder.makeFile(name))
  }

  /// Writes a whole file.
  mutating func write(_ name: String, _ bytes: Span<UInt8>) throws(StampingError) {
    var sink = try makeFile(name)
    sink.write(bytes)
    do throws(FileSinkError) { try sink.commit() } catch { throw .output(error) }
  }

  /// Writes a playlist.
  mutating func write(_ name: String, _ playlist: Playlist) throws(StampingError) {
    let bytes: [UInt8]
    do throws(PlaylistError) { bytes = try playlist.encode() } catch { throw .playlist(error) }
    try write(name, bytes.span)
  }

  /// Gives all files their names, in the order in which they were made.
  consuming func commit() throws(StampingError) {
    do throws(FileSinkError) { try folder.commit() } catch { throw .output(error) }
  }
}
