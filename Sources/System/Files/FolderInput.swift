#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder out of which files are read, and nothing else: symbolic links that lead out of it are refused.
public struct FolderInput: Sendable {
  /// The folder, without symbolic links.
  private let root: String

  /// - Parameter path: The folder's path.
  /// - Throws: ``FileInputError`` where it does not exist.
  public init(path: String) throws(FileInputError) {
    guard let root = Self.canonical(path) else { throw .missing(path: path) }
    self.root = root == "/" ? "" : root
  }

  /// Opens a file of the folder.
  ///
  /// - Parameters:
  ///   - relativePath: The path from the folder on; parts of it must not be `..`.
  ///   - part: The bytes to read; `nil` for all.
  ///   - isInterrupted: As for ``FileInput``.
  /// - Throws: ``FileInputError``, `outside` where the file lies elsewhere, `special` where it is a pipe or a device.
  public func open(
    _ relativePath: String, part: Range<Int>? = nil, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(FileInputError) -> FileInput {
    guard let path = Self.canonical("\(root)/\(relativePath)") else { throw .missing(path: relativePath) }
    guard path.utf8.starts(with: "\(root)/".utf8) else { throw .outside(path: relativePath) }
    // Opening a pipe would wait for whoever writes to it.
    var status = stat()
    // `status` lives as long as the call that fills it, and the path is only read.
    guard unsafe stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .special(path: relativePath) }
    return try FileInput(path: path, part: part, isInterrupted: isInterrupted)
  }

  /// Whether two paths lead to one file that is there.
  public static func areSame(_ path: String, _ other: String) -> Bool {
    guard let first = canonical(path), let second = canonical(other) else { return false }
    return first.utf8.elementsEqual(second.utf8)
  }

  /// A path without symbolic links and dots; `nil` where there is no such file.
  private static func canonical(_ path: String) -> String? {
    // realpath() allocates what it returns; it is copied and freed here.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
