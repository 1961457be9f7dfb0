import LibC

/// A file or standard input, read front to back through one buffer.
///
/// ```swift
/// var input = try FileInput(path: "show.ts")
/// while try input.fill() { items += try reader.push(input.bytes) }
/// ```
package struct FileInput: ~Copyable {
  /// The name of the input in messages.
  package let name: String
  /// The size of the file in bytes, if it is a regular file.
  package let size: Int?
  /// The age of its last change in seconds when it was opened, negative for a time in the future; `nil` if it is not a regular file.
  package let secondsSinceChange: Int?
  /// Whether it is a regular file that its group or everybody may read, and no secret of the service manager (see ``ServiceCredential``).
  package let isReadableByOthers: Bool

  /// When a regular file was changed last, as it was opened: seconds and nanoseconds.
  private let changed: [Int]
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let isInterrupted: @Sendable () -> Bool
  private var buffer: AlignedBuffer
  /// The offset of the next bytes in a regular file.
  private var position: Int
  /// How many bytes are still to be read; `nil` for all.
  private var remaining: Int?
  /// How many bytes are read next.
  private var readSize = FileInput.bufferSize

  /// How many bytes of a file are read at once, at most. They are still in the processor's cache when they are parsed.
  package static let bufferSize = 256 << 10
  /// The first read after a skip is small, because the next bytes to skip are probably near.
  private static let firstSize = 16 << 10
  /// The size of a read from a pipe, which is the usual capacity of one.
  private static let pipeSize = 64 << 10
  /// How often a wait for standard input checks whether the user has interrupted, in milliseconds.
  private static let pollInterval: Int32 = 100

  /// Whether a path leads to something that can be read once only, such as a named pipe. Opening it would already take it from its writer.
  package static func isReadOnce(_ path: String) -> Bool { if case .success(.other) = fileKind(path) { true } else { false } }

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `-`.
  ///   - part: The bytes of a regular file to read; `nil` for all. If the file ends earlier, fewer are read.
  ///   - isInterrupted: Asked before each read; once it returns `true`, reading ends with ``FileInputError/interrupted``.
  /// - Throws: ``FileInputError`` if it does not exist, is a folder, or may not be read.
  package init(
    path: String, part: Range<Int>? = nil, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(FileInputError) {
    self.isInterrupted = isInterrupted
    remaining = part?.count
    if path == "-" {
      name = "standard input"
      descriptor = STDIN_FILENO
      ownsDescriptor = false
    } else {
      name = path
      // Unsafe: open() reads the path, which lives as long as the call. It does not wait for the other side of a named pipe: reading does, and can be
      // interrupted.
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      ownsDescriptor = true
      guard descriptor >= 0 else {
        switch errno {
        case ENOENT, ENOTDIR: throw .missing(path: path)
        case EINTR: throw .interrupted
        case let code: throw .system(path: path, code: code)
        }
      }
    }
    var status = stat()
    // `status` lives as long as the call that fills it.
    guard unsafe fstat(descriptor, &status) == 0 else {
      // Standard input may be closed.
      let code = errno
      if ownsDescriptor { close(descriptor) }
      throw .system(path: name, code: code)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      if ownsDescriptor { close(descriptor) }
      throw .folder(path: name)
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    // Standard input may already be read in part.
    let start = isRegular || part != nil ? lseek(descriptor, off_t(part?.lowerBound ?? 0), part == nil ? SEEK_CUR : SEEK_SET) : 0
    guard start >= 0 else {
      let code = errno
      if ownsDescriptor { close(descriptor) }
      throw .system(path: name, code: code)
    }
    position = Int(start)
    let size = isRegular ? Int(status.st_size) : nil
    // A small file needs little memory; it may have grown a little meanwhile.
    buffer = AlignedBuffer(size: min(size.map { max($0, Self.firstSize) } ?? Self.pipeSize, Self.bufferSize))
    self.size = size
    changed = [status.changed, status.changedNanoseconds]
    secondsSinceChange = isRegular ? time(nil) - status.changed : nil
    let isCredential = ServiceCredential.includes(
      path, owner: UInt32(status.st_uid), permissions: UInt32(status.st_mode) & 0o777, in: ServiceCredential.folder)
    isReadableByOthers = isRegular && !isCredential && status.st_mode & (S_IRGRP | S_IROTH) != 0
  }

  deinit {
    // Nothing was written, so an error in closing loses nothing. Standard input keeps its position, as others may continue to read it.
    if ownsDescriptor {
      close(descriptor)
    } else if size != nil {
      _ = lseek(descriptor, off_t(position), SEEK_SET)
    }
  }

  /// The bytes that the last ``fill()`` read.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { buffer.bytes }
  }

  /// The same bytes as a slice of the buffer's memory. The memory is copied if the slice is still in use at the next ``fill()``.
  package var slice: ArraySlice<UInt8> { buffer.slice }

  /// Reads the next bytes; returns whether there were any.
  ///
  /// - Throws: ``FileInputError``.
  package mutating func fill() throws(FileInputError) -> Bool {
    while true {
      guard !isInterrupted() else { throw .interrupted }
      if size == nil, try !waitForBytes() { continue }
      switch buffer.read(descriptor, at: size == nil ? nil : position, count: min(remaining ?? readSize, readSize)) {
      case .failure(let failure) where failure.code == EINTR || failure.code == EAGAIN: continue
      case .failure(let failure): throw .system(path: name, code: failure.code)
      case .success(let count):
        position += count
        remaining = remaining.map { $0 - count }
        readSize = min(readSize * 4, Self.bufferSize)
        return count > 0
      }
    }
  }

  /// Whether a regular file has another size or was changed since it was opened, for example because it is still being written.
  package var hasChanged: Bool {
    guard let size else { return false }
    var status = stat()
    // `status` lives as long as the call that fills it.
    guard unsafe fstat(descriptor, &status) == 0 else { return true }
    return Int(status.st_size) != size || changed != [status.changed, status.changedNanoseconds]
  }

  /// Skips bytes of a regular file without reading them; those of other inputs must be read.
  ///
  /// - Parameter count: How many; if the file ends earlier, fewer are skipped.
  /// - Returns: The number of bytes that were skipped.
  /// - Throws: Nothing: a failure surfaces when the next bytes are read.
  package mutating func skip(_ count: Int) throws(FileInputError) -> Int {
    guard let size, count > 0 else { return 0 }
    let skipped = min(count, max(size - position, 0), remaining ?? .max)
    position += skipped
    remaining = remaining.map { $0 - skipped }
    readSize = Self.firstSize
    return skipped
  }

  /// Waits until a pipe or terminal has bytes (or has ended); `false` after ``pollInterval``.
  private func waitForBytes() throws(FileInputError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // One request, which lives as long as the call.
    let result = unsafe poll(&request, 1, Self.pollInterval)
    guard result >= 0 || errno == EINTR else { throw .system(path: name, code: errno) }
    return result > 0
  }
}

extension stat {
  /// When the file was changed last, in seconds since 1970.
  fileprivate var changed: Int {
    #if canImport(Darwin)
      st_mtimespec.tv_sec
    #else
      st_mtim.tv_sec
    #endif
  }

  /// The nanoseconds of the same time.
  fileprivate var changedNanoseconds: Int {
    #if canImport(Darwin)
      st_mtimespec.tv_nsec
    #else
      st_mtim.tv_nsec
    #endif
  }
}
