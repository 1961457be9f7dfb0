#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file or standard input, read front to back through one buffer.
///
/// ```swift
/// var input = try FileInput(path: "show.ts")
/// while try input.fill() { items += try reader.push(input.bytes) }
/// ```
public struct FileInput: ~Copyable {
  /// What the input is called in messages.
  public let name: String
  /// The size of the file in bytes, where it is a regular file.
  public let size: Int?

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let isInterrupted: @Sendable () -> Bool
  private var buffer: [UInt8]
  /// Where in the buffer the bytes lie that were read last.
  private var filled = 0..<0
  /// How many bytes are still to be read; `nil` for all that there are.
  private var remaining: Int?
  /// How many bytes are read next.
  private var readSize = FileInput.bufferSize

  /// How many bytes are read at once, at most: larger pieces are not faster.
  public static let bufferSize = 256 * 1024
  /// What is read first after bytes were passed over: as likely as not, the next ones to pass over are near.
  private static let firstSize = 16 * 1024
  /// Bytes are read to a multiple of this: a system that copies whole pages to an address a few bytes off takes a third longer.
  private static let alignment = 64
  /// How often standard input is looked away from to see whether the user has interrupted, in milliseconds.
  private static let pollInterval: Int32 = 100

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `-`.
  ///   - part: The bytes to read, of a regular file; `nil` for all. A file that ends earlier has fewer.
  ///   - isInterrupted: Asked before each read; once it says yes, reading ends with ``FileInputError/interrupted``.
  /// - Throws: ``FileInputError`` where it does not exist, is a folder, or may not be read.
  public init(
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
      // open() reads the path, which lives as long as the call.
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      ownsDescriptor = true
      guard descriptor >= 0 else {
        throw errno == ENOENT || errno == ENOTDIR ? .missing(path: path) : .system(path: path, code: errno)
      }
    }
    var status = stat()
    // `status` lives as long as the call that fills it.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      if ownsDescriptor { close(descriptor) }
      throw .folder(path: path)
    }
    if let part, lseek(descriptor, off_t(part.lowerBound), SEEK_SET) < 0 {
      let code = errno
      if ownsDescriptor { close(descriptor) }
      throw .system(path: path, code: code)
    }
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    buffer = [UInt8](repeating: 0, count: Self.bufferSize + Self.alignment)
  }

  deinit {
    // Nothing was written, so an error in closing loses nothing.
    if ownsDescriptor { close(descriptor) }
  }

  /// The bytes that the last ``fill()`` read.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { buffer.span.extracting(filled) }
  }

  /// Reads the next bytes; returns whether there were any.
  ///
  /// - Throws: ``FileInputError``.
  public mutating func fill() throws(FileInputError) -> Bool {
    while true {
      guard !isInterrupted() else { throw .interrupted }
      if size == nil, try !waitForBytes() { continue }
      let wanted = min(remaining ?? readSize, readSize)
      let descriptor = descriptor
      // read() writes at most `wanted` bytes from `start` on, of which there are as many, and nothing else refers to them meanwhile.
      let (start, result) = unsafe buffer.withUnsafeMutableBytes { raw in
        let start = Int(bitPattern: 0 &- UInt(bitPattern: raw.baseAddress)) & (Self.alignment - 1)
        return (start, unsafe read(descriptor, raw.baseAddress?.advanced(by: start), wanted))
      }
      if result < 0, errno == EINTR || errno == EAGAIN { continue }
      guard result >= 0 else { throw .system(path: name, code: errno) }
      filled = start..<start + result
      remaining = remaining.map { $0 - result }
      readSize = min(readSize * 4, Self.bufferSize)
      return result > 0
    }
  }

  /// Passes over bytes of a regular file without reading them; those of other inputs must be read.
  ///
  /// - Parameter count: How many; fewer where the file ends before.
  /// - Returns: How many were passed over.
  /// - Throws: ``FileInputError``.
  public mutating func skip(_ count: Int) throws(FileInputError) -> Int {
    guard let size, count > 0 else { return 0 }
    let position = lseek(descriptor, 0, SEEK_CUR)
    guard position >= 0 else { throw .system(path: name, code: errno) }
    let skipped = min(count, max(size - Int(position), 0), remaining ?? .max)
    guard lseek(descriptor, off_t(skipped), SEEK_CUR) >= 0 else { throw .system(path: name, code: errno) }
    remaining = remaining.map { $0 - skipped }
    readSize = Self.firstSize
    return skipped
  }

  /// Waits until a pipe or terminal has bytes (or has ended); `false` where the time is up first.
  private func waitForBytes() throws(FileInputError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // One request, which lives as long as the call.
    let result = unsafe poll(&request, 1, Self.pollInterval)
    guard result >= 0 || errno == EINTR else { throw .system(path: name, code: errno) }
    return result > 0
  }
}
