import Basics
import LibC

/// A file that appears under its name only when it is complete.
///
/// The bytes go to a temporary file in the same directory. `commit` gives it its name; without it, it is removed. A device or a
/// pipe that has the name already (such as `/dev/null`) is written to directly, and so is standard output, which `-` names.
package struct FileSink: ByteSink, ~Copyable {
  /// The path as it was given.
  package let path: String
  private let overwrites: Bool
  /// Where the complete file goes: `path`, or what it links to.
  private var target: String
  /// The path of the temporary file; `nil` if the bytes go directly to the target, or there is no file to remove.
  private var temporary: String?
  private var descriptor: Int32 = -1
  /// Whether it is a file, and not a device or a pipe.
  private var isRegular = true
  /// Whether the file must be on the disk before it gets its name.
  private var isSynchronized = true
  private var buffer: [UInt8] = []
  private var failure: FileSinkError?

  /// Small writes are gathered until there are this many bytes.
  package static let bufferSize = 256 << 10
  /// Larger writes bypass the buffer.
  private static let largestCopied = 32 << 10

  /// Makes the temporary file, with the permissions of the file that it will replace, or those that the process gives new files.
  ///
  /// Temporary files that killed processes left in the directory are removed first.
  ///
  /// - Parameters:
  ///   - path: Where the file will be.
  ///   - overwrite: Whether a regular file of this name is replaced.
  ///   - isPrivate: Whether only its owner may read a new file.
  /// - Throws: `FileSinkError` if the file is there and is not to be overwritten, if the name is a directory's, and if the
  ///   directory is missing or may not be written to.
  package init(path: String, overwrite: Bool = false, isPrivate: Bool = false) throws(FileSinkError) {
    self.path = path
    overwrites = overwrite
    target = path
    buffer.reserveCapacity(Self.bufferSize)
    guard path != "-" else {
      isRegular = false
      // The sink closes what it writes to, and standard output stays open.
      descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
      return
    }
    var permissions: mode_t? = isPrivate ? 0o600 : nil
    switch fileStatus(path) {
    case .failure(let failure) where failure.code == ENOENT && !path.isEmpty:
      // A dangling link has the name, too.
      guard overwrite || nameMode(path) == nil else { throw FileSinkError(.create, path: path, code: EEXIST) }
    case .failure(let failure):
      throw FileSinkError(.create, path: path, code: failure.code)
    case .success(let status):
      switch status.kind {
      case .directory:
        throw FileSinkError(.create, path: path, code: EISDIR)
      case .other:
        isRegular = false
        descriptor = openFile(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
        return
      case .regular:
        guard overwrite else { throw FileSinkError(.create, path: path, code: EEXIST) }
        // A write-protected file is not replaced, though its directory would allow it.
        guard isWritable(path) else { throw FileSinkError(.create, path: path, code: errno) }
        if nameMode(path) == S_IFLNK {
          guard let resolved = resolvedPath(path) else { throw FileSinkError(.create, path: path, code: EILSEQ) }
          target = resolved
        }
        permissions = status.permissions
      }
    }
    let file = try TemporaryFile.makeFile(in: PathParts.prefix(of: target), permissions: permissions).created(path)
    (descriptor, temporary) = (file.descriptor, file.path)
  }

  /// Makes a new file that has its name at once. The caller removes it if it is not completed, and synchronizes it.
  ///
  /// - Parameter permissions: As for `openFile`.
  /// - Throws: `FileSinkError` if it is there or cannot be made.
  init(atOnce path: String, permissions: mode_t? = nil) throws(FileSinkError) {
    self.path = path
    overwrites = false
    isSynchronized = false
    target = path
    buffer.reserveCapacity(Self.bufferSize)
    descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions: permissions)
    guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
  }

  /// Checks that a file can be made, to fail before any work is done. Pipes and devices are not opened, as their other end would notice.
  ///
  /// - Throws: as ``init(path:overwrite:)``.
  package static func requirePlace(for path: String, overwrite: Bool) throws(FileSinkError) {
    guard case .success(.other) = fileKind(path) else {
      _ = try FileSink(path: path, overwrite: overwrite)
      return
    }
    guard isWritable(path) else { throw FileSinkError(.create, path: path, code: errno) }
  }

  /// Whether the name exists, even as a dangling link.
  package static func hasName(_ path: String) -> Bool { nameMode(path) != nil }

  deinit {
    if let temporary { removeFile(temporary) }
    // Closing releases the temporary file's lock.
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: Span<UInt8>) {
    guard failure == nil else { return }
    do throws(FileSinkError) { try put(bytes) } catch { failure = error }
  }

  /// Flushes the buffer to a pipe or a device, whose reader may wait for it. Nobody reads a file before it is complete.
  package mutating func release() {
    guard failure == nil, !isRegular else { return }
    do throws(FileSinkError) { try flush() } catch { failure = error }
  }

  /// Throws the first failure; then the output is of no use.
  package func check() throws(FileSinkError) {
    if let failure { throw failure }
  }

  private mutating func put(_ bytes: Span<UInt8>) throws(FileSinkError) {
    // Large writes bypass the buffer: copying takes longer than the system calls that it saves.
    if bytes.count >= Self.largestCopied {
      try flush()
      return try require(writeAll(descriptor, bytes, retries: isRegular)?.code)
    }
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    buffer.append(copying: bytes)
  }

  /// Completes the file, waits until it is on the disk, and gives it its name.
  ///
  /// - Throws: `FileSinkError` if the last bytes cannot be written, or, without overwriting, a file of this name has appeared
  ///   meanwhile. Then no temporary file is left.
  package consuming func commit() throws(FileSinkError) {
    try check()
    try flush()
    if isRegular && isSynchronized { try require(synchronize(descriptor), .commit) }
    if let temporary {
      try require(overwrites ? renameFile(temporary, to: target) : nameFile(temporary, as: target), .commit)
      self.temporary = nil
      synchronizeFolder(PathParts(target).folder)
    }
    let closed = close(descriptor)
    // The descriptor is gone even if closing fails.
    descriptor = -1
    // A failure to close loses nothing if everything is on the disk already, or if a signal interrupted closing.
    try require(closed == 0 || errno == EINTR || isSynchronized ? 0 : errno, .commit)
  }

  private mutating func flush() throws(FileSinkError) {
    try require(writeAll(descriptor, buffer.span, retries: isRegular)?.code)
    buffer.removeAll(keepingCapacity: true)
  }

  private func require(_ code: Int32?, _ operation: FileSinkError.Operation = .write) throws(FileSinkError) {
    if let code, code != 0 { throw FileSinkError(operation, path: path, code: code) }
  }
}
