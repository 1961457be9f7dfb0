/// A file's path taken apart into the folder and the name in it, as it is written: the file system is not asked.
public struct PathParts: Equatable, Sendable {
  /// The folder's path, `.` where the path names none.
  public let folder: String
  /// The file's name in the folder.
  public let name: String

  /// Takes a path apart at its last slash.
  public init(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (folder, name) = (".", path)
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }
}
