/// Why a file could not be written.
public struct FileSinkError: Error, Equatable, Sendable {
  /// What was being done.
  public enum Operation: String, Sendable {
    /// The file was to be made.
    case create = "cannot be created"
    /// Bytes were to be written.
    case write = "cannot be written"
    /// The file was to be completed and given its name.
    case commit = "cannot be completed"
    /// The file or folder was to be used by this process alone.
    case lock = "cannot be locked"
  }

  /// What kind of failure it is, as far as a caller may want to tell them apart.
  public enum Reason: Sendable {
    /// The user has interrupted.
    case interrupted
    /// A file of this name is there, and overwriting was not asked for.
    case exists
    /// The name is a directory's.
    case isDirectory
    /// The directory in which the file was to be made is not there.
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

  /// What was being done.
  public var operation: Operation
  /// The file's path as it was given.
  public var path: String
  /// The system's error number (errno).
  public var code: Int32
  /// The process that has the lock, if that is why, and it is known.
  public var process: Int?

  /// An error with the system's error number (errno).
  public init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// What kind of failure it is.
  public var reason: Reason { Reason(systemCode: code) }
}

extension FileSinkError: CustomStringConvertible {
  /// The error in words, for example `out.ts: cannot be created: File exists`.
  public var description: String {
    guard operation != .lock else {
      return "\(path): in use by another cuelight live" + (process.map { " (process \($0))" } ?? "")
    }
    return "\(path == "-" ? "standard output" : path): \(operation.rawValue): \(errorText(systemCode: code))"
  }
}
