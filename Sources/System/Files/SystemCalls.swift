// System calls on paths and descriptors. Unsafe: throughout, strings are lent to C for the length of the call.

import LibC

/// The kind of file at a path.
enum FileKind {
  case regular
  case directory
  case other
}

/// The status of a file.
struct FileStatus {
  var kind: FileKind
  var identity: FileIdentity
  /// Its permissions.
  var permissions: mode_t
  /// Its owner.
  var owner: uid_t

  fileprivate init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      default: .other
      }
    identity = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    permissions = status.st_mode & 0o777
    owner = status.st_uid
  }
}

/// A failed system call's number.
struct SystemFailure: Error, Equatable {
  var code: Int32
}

extension Result where Failure == SystemFailure {
  /// What was made for the file of this path; a failure is one to create that file.
  func created(_ path: String) throws(FileSinkError) -> Success {
    do throws(SystemFailure) { return try get() } catch { throw FileSinkError(.create, path: path, code: error.code) }
  }
}

/// The status of the file at `path`, following symbolic links.
func fileStatus(_ path: String) -> Result<FileStatus, SystemFailure> {
  var status = stat()
  return unsafe stat(path, &status) == 0 ? .success(FileStatus(status)) : .failure(SystemFailure(code: errno))
}

/// The status of an open file.
func fileStatus(of descriptor: Int32) -> Result<FileStatus, SystemFailure> {
  var status = stat()
  return unsafe fstat(descriptor, &status) == 0 ? .success(FileStatus(status)) : .failure(SystemFailure(code: errno))
}

/// The free space of a file system.
package enum FileSpace {
  /// How many bytes are free for this user on the file system of a path; `nil` if the system does not say.
  package static func left(at path: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (count, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooLarge ? .max : count
  }
}

/// The kind of the file at `path`, following symbolic links.
func fileKind(_ path: String) -> Result<FileKind, SystemFailure> { fileStatus(path).map(\.kind) }

/// The type (the bits of S_IFMT) of the file with this name, without following a link; `nil` if there is none.
func nameMode(_ path: String) -> mode_t? {
  var status = stat()
  return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
}

/// Who may read the files that the process makes.
package enum FileMode {
  /// From now on only their owner may read them.
  package static func keepPrivate() { _ = umask(0o077) }
}

/// The limit of open files and connections.
package enum DescriptorLimit {
  /// Raises the limit as far as the system allows; returns it.
  package static func raise() -> Int {
    var limit = rlimit()
    // RLIMIT_NOFILE has another type in each C library.
    guard unsafe getrlimit(noFileLimit, &limit) == 0 else { return usual }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
    _ = unsafe setrlimit(noFileLimit, &limit)
    guard unsafe getrlimit(noFileLimit, &limit) == 0 else { return usual }
    return Int(clamping: limit.rlim_cur)
  }

  private static let usual = 1_024
  private static let most = 1 << 20
}

#if canImport(Glibc)
  private let noFileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let noFileLimit = RLIMIT_NOFILE
#endif

/// Opens a file. Below 0 if it fails.
///
/// Opening a pipe waits for its other end. A signal ends that with EINTR: the only signals with such an effect are those that ask to stop.
///
/// - Parameter permissions: Those of a new file; `nil` for those that the process gives new files.
func openFile(_ path: String, _ flags: Int32, permissions: mode_t? = nil) -> Int32 {
  let descriptor = unsafe open(path, flags, permissions ?? 0o666)
  // The umask removes permissions from new files. If they cannot be restored, others may do less with the file, not more.
  if let permissions, descriptor >= 0 { _ = fchmod(descriptor, permissions) }
  return descriptor
}

/// Whether the process may write to a file.
func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

/// The path without symbolic links and dots; `nil` if there is no such file, or the path is not UTF-8. `realpath` allocates what it
/// returns.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(validatingCString: resolved)
}

/// Writes all of the bytes, unless that fails.
///
/// - Parameters:
///   - offset: The offset in the file; `nil` for the descriptor's current position.
///   - retries: Whether it continues after a signal. Writing to a pipe may wait for its reader for ever, so it fails with EINTR there: the only
///     signals with an effect are requests to stop.
func writeAll(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int? = nil, retries: Bool = true) -> SystemFailure? {
  var written = 0
  while written < bytes.count {
    // Unsafe: C gets the number of the span's bytes, and reads them only during the call.
    let count = unsafe bytes.extracting(written...).withUnsafeBytes { rest in
      guard let offset else { return unsafe write(descriptor, rest.baseAddress, rest.count) }
      return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
    }
    if count < 0 {
      guard errno == EINTR, retries else { return SystemFailure(code: errno) }
      continue
    }
    // Some file systems take nothing without an error.
    guard count > 0 else { return SystemFailure(code: EIO) }
    written += count
  }
  return nil
}

/// Removes a file, ignoring failure.
func removeFile(_ path: String) { _ = unsafe unlink(path) }

/// Renames a file, replacing any other; 0 or the error number.
func renameFile(_ old: String, to new: String) -> Int32 { unsafe rename(old, new) == 0 ? 0 : errno }

/// Renames a file unless there is one of the new name; 0 or the error number.
func nameFile(_ old: String, as new: String) -> Int32 {
  // A link is made only if the name is free, in one step.
  if unsafe link(old, new) == 0 {
    removeFile(old)
    return 0
  }
  guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return errno }
  // The file system has no links, so the name can only be checked first.
  if case .success = fileKind(new) { return EEXIST }
  return renameFile(old, to: new)
}

/// Waits until an open file, or the names in an open folder, are on the disk; 0 or the error number.
func synchronize(_ descriptor: Int32) -> Int32 { outcome(ofSynchronizing: fsync(descriptor)) }

/// 0 or the error number. It is not a failure if a file system or device does not support synchronizing.
private func outcome(ofSynchronizing result: Int32) -> Int32 {
  result == 0 || [EINVAL, ENOTSUP, ENOSYS, EROFS].contains(errno) ? 0 : errno
}

/// Waits until the names in a folder are on the disk. If that fails, the files are complete anyway.
func synchronizeFolder(_ path: String) {
  let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = synchronize(descriptor)
  close(descriptor)
}

/// Makes a folder; 0 or the error number.
func makeFolder(_ path: String) -> Int32 { unsafe mkdir(path, 0o777) == 0 ? 0 : errno }

/// Removes an empty folder, ignoring failure.
func removeFolder(_ path: String) { _ = unsafe rmdir(path) }

/// Error numbers of the system.
package enum SystemError {
  /// The system's words for an error number. strerror's text is valid until the next call, and is copied at once.
  package static func text(code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension FileSinkError.Reason {
  init(systemCode code: Int32) {
    self =
      switch code {
      case EINTR: .interrupted
      case EEXIST: .exists
      case EISDIR: .isDirectory
      case ENOENT, ENOTDIR: .folderMissing
      case EACCES, EPERM, EROFS: .denied
      case ENOSPC, EDQUOT: .full
      case EPIPE: .closed
      default: .other
      }
  }
}
