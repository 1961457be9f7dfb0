import Basics
import LibC

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary file in the same directory. `commit` gives it its name; without it, it is removed. A device or a
/// pipe that has the name already (such as `/dev/null`) is written to directly.
package struct FileSink: ByteSink, ~Copyable {
  /// The path as it was given.
  package let path: String
  private let overwrites: Bool
  /// Where the complete file goes: `path`, or what it links to.
  private var target: String
  /// Where the bytes go until then; `nil` where they go straight to the target, and when there is nothing to remove.
  private var temporary: String?
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []
  private var failure: FileSinkError?

  /// Small pieces are gathered, and written when there are this many bytes.
  package static let bufferSize = 256 << 10
  /// Larger pieces are written from where they lie.
  private static let largestCopied = 32 << 10

  /// Makes the temporary file, with the permissions that the process gives new files.
  ///
  /// - Parameters:
  ///   - path: Where the file will be.
  ///   - overwrite: Whether a regular file of this name is replaced.
  /// - Throws: `FileSinkError` where the file is there and is not to be overwritten, where the name is a directory's, and where the
  ///   directory is missing or may not be written to.
  package init(path: String, overwrite: Bool = false) throws(FileSinkError) {
    self.path = path
    overwrites = overwrite
    target = path
    buffer.reserveCapacity(Self.bufferSize)
    switch fileKind(path) {
    case .failure(let failure) where failure.code == ENOENT && !path.isEmpty:
      (descriptor, temporary) = try Self.makeTemporary(beside: path, for: path)
    case .failure(let failure):
      throw FileSinkError(.create, path: path, code: failure.code)
    case .success(.directory):
      throw FileSinkError(.create, path: path, code: EISDIR)
    case .success(.other):
      descriptor = openFile(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
    case .success(.regular):
      guard overwrite else { throw FileSinkError(.create, path: path, code: EEXIST) }
      // A file that is protected against writing is not replaced, though its directory would allow that.
      guard isWritable(path) else { throw FileSinkError(.create, path: path, code: errno) }
      target = resolvedPath(path) ?? path
      (descriptor, temporary) = try Self.makeTemporary(beside: target, for: path)
    }
  }

  /// Makes a new file that has its name at once. The caller removes it if it is not completed.
  ///
  /// - Throws: `FileSinkError` where it is there or cannot be made.
  init(atOnce path: String) throws(FileSinkError) {
    self.path = path
    overwrites = false
    target = path
    buffer.reserveCapacity(Self.bufferSize)
    descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
    if let temporary { removeFile(temporary) }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: Span<UInt8>) {
    guard failure == nil else { return }
    do throws(FileSinkError) { try put(bytes) } catch { failure = error }
  }

  /// Throws the first failure; then what was written before is of no use.
  package func check() throws(FileSinkError) {
    if let failure { throw failure }
  }

  private mutating func put(_ bytes: Span<UInt8>) throws(FileSinkError) {
    // What is large is written from where it lies: copying it first takes longer than the system calls that it saves.
    if bytes.count >= Self.largestCopied {
      try flush()
      return try require(writeAll(descriptor, bytes)?.code)
    }
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    append(bytes)
  }

  private mutating func append(_ bytes: Span<UInt8>) {
    // Unsafe: read within the call only; appending byte by byte is many times slower.
    unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
  }

  /// Completes the file and gives it its name.
  ///
  /// - Throws: `FileSinkError` where the last bytes cannot be written, or, without overwriting, a file of this name has appeared
  ///   meanwhile. Then nothing is left behind.
  package consuming func commit() throws(FileSinkError) {
    try check()
    try flush()
    let closed = close(descriptor)
    // The descriptor is gone even where closing fails.
    descriptor = -1
    // Where a signal interrupts closing, nothing is lost.
    guard closed == 0 || errno == EINTR else { throw FileSinkError(.commit, path: path, code: errno) }
    guard let temporary else { return }
    let code = overwrites ? renameFile(temporary, to: target) : nameFile(temporary, as: target)
    guard code == 0 else { throw FileSinkError(.commit, path: path, code: code) }
    self.temporary = nil
  }

  private mutating func flush() throws(FileSinkError) {
    try require(writeAll(descriptor, buffer.span)?.code)
    buffer.removeAll(keepingCapacity: true)
  }

  private func require(_ code: Int32?) throws(FileSinkError) {
    guard let code, code != 0 else { return }
    throw FileSinkError(.write, path: path, code: code)
  }

  private static func makeTemporary(beside target: String, for path: String) throws(FileSinkError) -> (Int32, String) {
    let directory = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(target[...$0]) } ?? ""
    // A name that is taken is a stroke of bad luck once and something else the tenth time.
    for _ in 0..<10 {
      let name = directory + temporaryName()
      let descriptor = openFile(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
      if descriptor >= 0 { return (descriptor, name) }
      guard errno == EEXIST else { break }
    }
    throw FileSinkError(.create, path: path, code: errno)
  }
}
