// System calls on paths and descriptors. Unsafe: throughout, strings are lent to C for the length of the call.

import LibC

/// What is found under a path.
enum FileKind {
  case regular
  case directory
  case other
}

/// A failed system call's number.
struct SystemFailure: Error, Equatable {
  var code: Int32
}

/// What `path` leads to, through symbolic links.
func fileKind(_ path: String) -> Result<FileKind, SystemFailure> {
  var status = stat()
  guard unsafe stat(path, &status) == 0 else { return .failure(SystemFailure(code: errno)) }
  return switch status.st_mode & S_IFMT {
  case S_IFREG: .success(.regular)
  case S_IFDIR: .success(.directory)
  default: .success(.other)
  }
}

/// Opens a file; a new one gets the permissions that the process gives new files. Below 0 where it fails.
///
/// Opening a pipe waits for its other end. A signal ends that with EINTR: the program notices none but those that ask it to stop.
func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o666) }

/// A hidden name that no other process makes a file or folder of.
func temporaryName() -> String { ".cuelight-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))" }

/// Whether the process may write to a file.
func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

/// The path without symbolic links and dots; `nil` where there is no such file. `realpath` allocates what it returns.
func resolvedPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// Writes bytes, all of them unless it fails.
func writeAll(_ descriptor: Int32, _ bytes: Span<UInt8>) -> SystemFailure? {
  var written = 0
  while written < bytes.count {
    // Unsafe: `write` reads the span's bytes, whose number it is told, within the call.
    let count = unsafe bytes.extracting(written...).withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 {
      guard errno == EINTR else { return SystemFailure(code: errno) }
      continue
    }
    written += count
  }
  return nil
}

/// Removes a file. Where that fails there is nothing more to do about it.
func removeFile(_ path: String) { _ = unsafe unlink(path) }

/// Renames a file, replacing any other; 0 or the error number.
func renameFile(_ old: String, to new: String) -> Int32 { unsafe rename(old, new) == 0 ? 0 : errno }

/// Renames a file unless there is one of the new name; 0 or the error number.
func nameFile(_ old: String, as new: String) -> Int32 {
  // A link is made only where the name is free, in one step.
  if unsafe link(old, new) == 0 {
    removeFile(old)
    return 0
  }
  guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return errno }
  // The file system has no links: what remains is to look first.
  if case .success = fileKind(new) { return EEXIST }
  return renameFile(old, to: new)
}

/// Makes a folder; 0 or the error number.
func makeFolder(_ path: String) -> Int32 { unsafe mkdir(path, 0o777) == 0 ? 0 : errno }

/// Removes an empty folder. Where that fails there is nothing more to do about it.
func removeFolder(_ path: String) { _ = unsafe rmdir(path) }

/// The system's words for an error number. strerror's text is valid until the next call, and is copied at once.
func errorText(systemCode code: Int32) -> String { unsafe String(cString: strerror(code)) }

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
      default: .other
      }
  }
}
