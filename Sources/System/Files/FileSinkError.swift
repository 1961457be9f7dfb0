/// Why a file could not be written.
public struct FileSinkError: Error, Equatable, Sendable {
  /// The operation that failed.
  public enum Operation: String, Sendable {
    /// Making the file.
    case create = "cannot be created"
    /// Writing bytes.
    case write = "cannot be written"
    /// Completing the file and giving it its name.
    case commit = "cannot be completed"
    /// Locking the file or folder for this process alone.
    case lock = "cannot be locked"
  }

  /// The kinds of failure that callers distinguish.
  public enum Reason: Sendable {
    /// The user has interrupted.
    case interrupted
    /// A file of this name exists, and overwriting was not requested.
    case exists
    /// The name is a directory's.
    case isDirectory
    /// The directory for the file does not exist.
    case folderMissing
    /// The file or its directory may not be written to.
    case denied
    /// The disk or the quota is full.
    case full
    /// The reader of a pipe is gone.
    case closed
    /// Anything else.
    case other
  }

  /// The operation that failed.
  public var operation: Operation
  /// The file's path as it was given.
  public var path: String
  /// The system's error number (errno).
  public var code: Int32
  /// The process that holds the lock, if that is the reason and it is known.
  public var process: Int?

  /// An error with the system's error number (errno).
  public init(_ operation: Operation, path: String, code: Int32) { (self.operation, self.path, self.code) = (operation, path, code) }

  /// The kind of failure.
  public var reason: Reason { Reason(systemCode: code) }
}

extension FileSinkError: CustomStringConvertible {
  /// The error in words, for example `out.ts: cannot be created: File exists`.
  public var description: String {
    guard operation != .lock else {
      return "\(path): in use by another cuelight live" + (process.map { " (process \($0))" } ?? "")
    }
    return "\(path == "-" ? "standard output" : path): \(operation.rawValue): \(SystemError.text(code: code))"
  }
}
