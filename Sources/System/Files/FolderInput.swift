/// A folder whose files are read. Symbolic links that lead out of it are refused.
package struct FolderInput: Sendable {
  /// The folder, without symbolic links.
  private let root: String

  /// Finds the folder.
  ///
  /// - Parameter path: The folder's path.
  /// - Throws: ``FileInputError`` if it does not exist, or its path without links is not UTF-8.
  package init(path: String) throws(FileInputError) {
    guard let root = resolvedPath(path) else {
      if case .success = fileKind(path) { throw .unreadableName(path: path) }
      throw .missing(path: path)
    }
    self.root = root == "/" ? "" : root
  }

  /// The names of the folder and of those above it, from the root on.
  package var names: [String] { root.split(separator: "/").map(String.init) }

  /// Opens a file of the folder.
  ///
  /// - Parameters:
  ///   - relativePath: The path relative to the folder, without `..`.
  ///   - part: The bytes to read; `nil` for all.
  ///   - isInterrupted: As for ``FileInput``.
  /// - Throws: ``FileInputError``, `outside` if the file lies elsewhere, `special` if it is a pipe or a device.
  package func open(
    _ relativePath: String, part: Range<Int>? = nil, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(FileInputError) -> FileInput {
    guard let path = resolvedPath("\(root)/\(relativePath)") else { throw .missing(path: relativePath) }
    guard path.utf8.starts(with: "\(root)/".utf8) else { throw .outside(path: relativePath) }
    // Opening a pipe would wait for its writer.
    guard case .success(let kind) = fileKind(path), kind != .other else { throw .special(path: relativePath) }
    return try FileInput(path: path, part: part, isInterrupted: isInterrupted)
  }
}
