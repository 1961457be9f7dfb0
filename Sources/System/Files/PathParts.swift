/// A file's path, split into folder and name as written: the file system is not consulted.
package struct PathParts: Equatable, Sendable {
  /// The folder's path, `.` if the path names none.
  package let folder: String
  /// The file's name in the folder.
  package let name: String

  /// Splits a path at its last slash.
  package init(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (folder, name) = (".", path)
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }

  /// The folder of a path with its slash; empty if the path is only a name.
  package static func prefix(of path: String) -> String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "" }
}
