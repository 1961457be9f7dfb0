/// Why an input could not be read.
public enum FileInputError: Error, Equatable, Sendable {
  /// There is no such file.
  case missing(path: String)
  /// The resolved path of the folder is not UTF-8.
  case unreadableName(path: String)
  /// It is a folder.
  case folder(path: String)
  /// It lies outside of the folder that is read.
  case outside(path: String)
  /// It is neither a file nor a folder.
  case special(path: String)
  /// The user has interrupted.
  case interrupted
  /// The system refused, with this error number.
  case system(path: String, code: Int32)
}

extension FileInputError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .missing(let path): "\(path): no such file"
    case .unreadableName(let path): "\(path): the name of this folder, or of one around it, is not UTF-8; rename it first"
    case .folder(let path): "\(path): is a folder, not a file"
    case .outside(let path): "\(path): is not in the playlist's folder"
    case .special(let path): "\(path): is a pipe or a device, not a file"
    case .interrupted: "interrupted"
    case .system(let path, let code): "\(path): \(SystemError.text(code: code))"
    }
  }
}
