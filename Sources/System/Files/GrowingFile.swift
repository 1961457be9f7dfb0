import Basics
import LibC

/// A file that grows while others read it already: a recording, or standard output.
///
/// Unlike `FileSink` it has its name from the start, and keeps its content when the process is killed.
package struct GrowingFile: ~Copyable {
  /// The path as it was given.
  package let path: String
  private let descriptor: Int32
  private let ownsDescriptor: Bool

  /// Makes a file; `-` is standard output.
  ///
  /// - Throws: `FileSinkError` if it is there and is not to be overwritten, or cannot be made.
  package init(path: String, overwrite: Bool) throws(FileSinkError) {
    self.path = path == "-" ? "standard output" : path
    ownsDescriptor = path != "-"
    guard ownsDescriptor else {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = openFile(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL))
    guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Writes bytes at the end.
  ///
  /// - Throws: `FileSinkError`.
  package mutating func write(_ bytes: Span<UInt8>) throws(FileSinkError) {
    guard let failure = writeAll(descriptor, bytes) else { return }
    throw FileSinkError(.write, path: path, code: failure.code)
  }
}
