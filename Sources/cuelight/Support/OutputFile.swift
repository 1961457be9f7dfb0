import Files

/// A file that a command writes: it appears under its name only when it is whole.
struct OutputFile {
  let path: String
  let overwrites: Bool

  /// Fails early: before any work is done it must be clear that the file can be made.
  init(path: String, overwrites: Bool) throws(CommandFailure) {
    (self.path, self.overwrites) = (path, overwrites)
    _ = try begin()
  }

  /// A file that replaces the one that is there. It is not touched before it is written.
  init(replacing path: String) { (self.path, overwrites) = (path, true) }

  /// Begins to write.
  func begin() throws(CommandFailure) -> FileSink {
    do throws(FileSinkError) { return try FileSink(path: path, overwrite: overwrites) } catch { throw CommandFailure(error) }
  }

  /// Writes the whole file.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var sink = try begin()
    sink.write(bytes.span)
    do throws(FileSinkError) { try sink.commit() } catch { throw CommandFailure(error) }
  }
}
