import Files
import HLSPlaylist
import LibAV

/// The folder of a presentation, in which nothing has its name before everything is whole.
struct PresentationFolder: ~Copyable {
  private var folder: StagingFolder
  private let path: String
  /// The files that must not be replaced.
  private let inputs: [String]

  init(path: String, overwrite: Bool, inputs: [String]) throws(StampingError) {
    self.path = path
    self.inputs = inputs
    do throws(FileSinkError) { folder = try StagingFolder(path: path, overwrite: overwrite) } catch { throw .output(error) }
  }

  /// Looks whether a file of this name can be made, so that nothing is done in vain.
  borrowing func requirePlace(for name: String) throws(StampingError) {
    do throws(FileSinkError) { try folder.requirePlace(for: name) } catch { throw .output(error) }
  }

  /// Makes a file, to be written and committed.
  mutating func makeFile(_ name: String) throws(StampingError) -> FileSink {
    let output = "\(path)/\(name)"
    if let input = inputs.first(where: { FolderInput.areSame($0, output) }) { throw .outputIsInput(path: input) }
    do throws(FileSinkError) { return try folder.makeFile(name) } catch { throw .output(error) }
  }

  /// Writes a file whole.
  mutating func write(_ name: String, _ bytes: Span<UInt8>) throws(StampingError) {
    var sink = try makeFile(name)
    sink.write(bytes)
    do throws(FileSinkError) { try sink.commit() } catch { throw .output(error) }
  }

  /// Writes a playlist.
  mutating func write(_ name: String, _ playlist: Playlist) throws(StampingError) {
    let bytes: [UInt8]
    do throws(PlaylistError) {
      bytes = try playlist.encode()
    } catch {
      throw .playlist(error)
    }
    try write(name, bytes.span)
  }

  /// Gives everything its name, in the order in which it was made.
  consuming func commit() throws(StampingError) {
    do throws(FileSinkError) { try folder.commit() } catch { throw .output(error) }
  }
}
