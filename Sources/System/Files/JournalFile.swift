import Basics
import LibC

/// A file for a write-ahead log: when ``append(_:)`` returns, the bytes are on the disk, whatever happens to the process or the machine.
///
/// Disk space is reserved in advance, as zeros after the bytes. Writing is several times faster if the file need not grow, and a full disk is
/// detected before the next bytes are accepted.
package struct JournalFile: ~Copyable {
  /// The path as it was given.
  package let path: String
  /// The content of the file when it was opened, with zeros at its end.
  package private(set) var contents: [UInt8] = []
  private let descriptor: Int32
  /// The offset of the next bytes, and the size of the file including reserved space, in bytes.
  private var position = 0
  private var size = 0

  /// How much space is reserved at once.
  package static let blockSize = 256 << 10
  /// The maximum size of a journal that is read.
  private static let largestSize = 1 << 30

  /// Opens a journal, or makes an empty one that only this user may read.
  ///
  /// - Throws: `FileSinkError` if it cannot be made or read; its operation is `lock` if another process has it open.
  package init(path: String) throws(FileSinkError) {
    let isNew = nameMode(path) == nil
    self.path = path
    descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_DSYNC, permissions: isNew ? 0o600 : nil)
    guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
    guard case .success(let status) = fileStatus(of: descriptor), status.kind == .regular else {
      throw FileSinkError(.create, path: path, code: EINVAL)
    }
    try FileLock.take(descriptor, path: path)
    if isNew { synchronizeFolder(PathParts(path).folder) }
    contents = try bytes()
    size = contents.count
  }

  deinit { close(descriptor) }

  /// Whether a file of this name has a first line.
  package static func hasContents(path: String) -> Bool {
    do throws(FileInputError) {
      var file = try FileInput(path: path)
      guard try file.fill() else { return false }
      return file.bytes[0] != 0
    } catch {
      return false
    }
  }

  private func bytes() throws(FileSinkError) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(FileInputError) {
      var input = try FileInput(path: path)
      while try input.fill() {
        bytes.append(copying: input.bytes)
        guard bytes.count <= Self.largestSize else { throw FileInputError.system(path: path, code: EFBIG) }
      }
    } catch {
      throw FileSinkError(.create, path: path, code: EIO)
    }
    return bytes
  }

  /// Everything in the journal, without the reserved space.
  ///
  /// - Throws: `FileSinkError`.
  package func written() throws(FileSinkError) -> [UInt8] { Array(try bytes().prefix(position)) }

  /// The number of these bytes. A method, since Swift cannot read a property of an optional noncopyable value.
  package func writtenCount() -> Int { position }

  /// Sets the offset of the next bytes to `count`. The bytes after it are discarded.
  ///
  /// - Parameter discards: Whether bytes that were added since the file was opened may be discarded.
  /// - Throws: `FileSinkError`.
  package mutating func start(at count: Int, discarding discards: Bool = false) throws(FileSinkError) {
    let isTorn = discards || contents[min(count, contents.count)...].contains { $0 != 0 }
    contents = []
    position = count
    guard isTorn else { return }
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw FileSinkError(.write, path: path, code: errno) }
    size = count
    // The bytes are always followed by reserved space: a file without it was cut.
    try makeRoom()
  }

  /// The number of reserved bytes.
  package var room: Int { size - position }

  /// Reserves `count` bytes and another block, if less than `count` bytes and half a block is reserved.
  ///
  /// - Throws: `FileSinkError` if the disk is full.
  package mutating func makeRoom(for count: Int = 0) throws(FileSinkError) {
    guard room < Self.blockSize / 2 + count else { return }
    let wanted = position + count + Self.blockSize
    let code = posix_fallocate(descriptor, off_t(size), off_t(wanted - size))
    guard code == 0 else { throw FileSinkError(.write, path: path, code: code) }
    size = wanted
  }

  /// Adds bytes, and waits until they are on the disk.
  ///
  /// - Throws: `FileSinkError`; then some of the bytes may be in the file, and the next call overwrites them.
  package mutating func append(_ bytes: Span<UInt8>) throws(FileSinkError) {
    try makeRoom(for: bytes.count)
    if let failure = writeAll(descriptor, bytes, at: position) { throw FileSinkError(.write, path: path, code: failure.code) }
    position += bytes.count
    size = max(size, position)
  }
}
