import Basics
import LibC

/// A hidden file or folder that contains an output until it is complete.
///
/// Its process holds a lock on it. A temporary file without a lock was left by a process that was killed: whoever makes the next one in the same
/// folder removes it.
struct TemporaryFile {
  /// Its path.
  let path: String
  /// The open file or folder, which the caller closes.
  let descriptor: Int32

  /// How many names are tried. Names are random: one may be taken by chance, but not ten in a row.
  private static let attempts = 10

  /// Makes a file to write to.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder with a slash at its end, or nothing.
  ///   - permissions: As for `openFile`.
  static func makeFile(in folder: String, permissions: mode_t?) -> Result<TemporaryFile, SystemFailure> {
    make(in: folder) { openFile($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions: permissions) }
  }

  /// Makes a file for writing and reading, and removes its name at once; returns its descriptor.
  static func makeNameless(in folder: String) -> Result<Int32, SystemFailure> {
    make(in: folder) { openFile($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions: 0o600) }.map { file in
      removeFile(file.path)
      return file.descriptor
    }
  }

  /// Makes a folder.
  static func makeFolder(in folder: String) -> Result<TemporaryFile, SystemFailure> {
    make(in: folder) { Files.makeFolder($0) == 0 ? openFile($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1 }
  }

  private static func make(in folder: String, _ open: (String) -> Int32) -> Result<TemporaryFile, SystemFailure> {
    removeAbandoned(in: folder)
    for _ in 0..<attempts {
      let path = folder + name()
      let descriptor = open(path)
      guard descriptor >= 0 else {
        guard errno == EEXIST else { return .failure(SystemFailure(code: errno)) }
        continue
      }
      if holds(descriptor, path) { return .success(TemporaryFile(path: path, descriptor: descriptor)) }
      // Another process has taken it for abandoned, and removes it.
      close(descriptor)
    }
    return .failure(SystemFailure(code: EEXIST))
  }

  /// Locks a new file; returns whether it still exists. On a file system without locks, nobody removes it.
  private static func holds(_ descriptor: Int32, _ path: String) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return false }
    guard case .success(let open) = fileStatus(of: descriptor), case .success(let named) = fileStatus(path) else { return false }
    return open.identity == named.identity
  }
}

// MARK: - Files of killed processes

extension TemporaryFile {
  /// The prefix of this machine's names: locks may not reach other machines that share the folder.
  private static let prefix: String = {
    var host = [CChar](repeating: 0, count: 256)
    // Unsafe: C writes into the array, whose size it is told; the last byte stays 0.
    _ = unsafe gethostname(&host, host.count - 1)
    let name = host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return ".cuelight-\(String(CRC32MPEG2.checksum(name.span), radix: 36))-"
  }()

  /// A name that no other process chooses.
  private static func name() -> String { "\(prefix)\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))" }

  /// Whether it is a name of this machine's.
  private static func isName(_ name: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    let parts = name.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].allSatisfy(\.isASCIIDigit)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCIIDigit || (0x61...0x7A).contains($0) } }
  }

  /// Removes temporary files that this user's killed processes on this machine left in a folder, as far as possible.
  private static func removeAbandoned(in folder: String) {
    let parent = openFile(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return }
    defer { close(parent) }
    for name in fileNames(in: parent) where isName(name) { removeIfAbandoned(name, in: parent) }
  }

  private static func removeIfAbandoned(_ name: String, in parent: Int32) {
    // Unsafe: the name lives as long as the calls.
    let descriptor = unsafe openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // Closing releases the lock.
    defer { close(descriptor) }
    guard case .success(let status) = fileStatus(of: descriptor), status.owner == geteuid(), status.kind != .other,
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else { return }
    if status.kind == .directory {
      // It contains only files. If there is anything else in it, it stays.
      for name in fileNames(in: descriptor) { _ = unsafe unlinkat(descriptor, name, 0) }
    }
    _ = unsafe unlinkat(parent, name, status.kind == .directory ? AT_REMOVEDIR : 0)
  }

  /// The names in an open folder, except those that are not UTF-8; none if they cannot be read.
  private static func fileNames(in folder: Int32) -> [String] {
    // Unsafe: the stream owns the copy of the descriptor and is closed below. An entry is good until the next call, and its name,
    // which ends with a NUL, is copied before.
    let copy = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return [] }
    guard let stream = unsafe fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
