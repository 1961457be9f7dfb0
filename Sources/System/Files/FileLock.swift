import Basics
import LibC

/// Locks of open files. The system releases a lock when the process ends, however it ends.
enum FileLock {
  /// How often a lock that is taken is tried again, and after how long each time, in milliseconds: two seconds in all.
  private static let attempts = (count: 100, pause: 20 as UInt32)

  /// Locks an open file or folder.
  ///
  /// A lock belongs to the open file, which a child process inherits when it is started, and keeps until it runs its own program: `O_CLOEXEC` acts
  /// only then. A process that was killed also lets go of its files a moment after it is gone. So a lock that is taken is tried again for two
  /// seconds. The system cannot wait for a lock with a limit, so this asks again.
  ///
  /// - Throws: `FileSinkError`; its operation is `lock` if another process still has the lock then.
  static func take(_ descriptor: Int32, path: String) throws(FileSinkError) {
    var code: Int32 = 0
    for attempt in 0...attempts.count {
      if attempt > 0 { usleep(attempts.pause * 1_000) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
      code = errno
      guard code == EWOULDBLOCK || code == EINTR else { break }
    }
    guard code == EWOULDBLOCK else { throw FileSinkError(.create, path: path, code: code) }
    var error = FileSinkError(.lock, path: path, code: code)
    if case .success(let status) = fileStatus(of: descriptor) { error.process = process(locking: status.identity) }
    throw error
  }

  /// The process that has the lock of a file, as Linux lists it; `nil` if that is not known.
  private static func process(locking file: FileIdentity) -> Int? {
    do throws(FileInputError) {
      var table = try FileInput(path: "/proc/locks")
      var text: [UInt8] = []
      while text.count < largestTable, try table.fill() { text.append(copying: table.bytes) }
      return process(in: String(decoding: text, as: UTF8.self), inode: file.inode)
    } catch {
      return nil
    }
  }

  private static let largestTable = 1 << 20

  /// The one process that has a lock of a whole file by its number, in lines such as `1: FLOCK  ADVISORY  WRITE 708 00:13:14325 0 EOF`.
  static func process(in table: String, inode: UInt64) -> Int? {
    let holders = table.split(separator: "\n").compactMap { line -> Int? in
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK", let process = Int(fields[4]), process > 0 else { return nil }
      return fields[5].split(separator: ":").last.flatMap { UInt64($0) } == inode ? process : nil
    }
    return Set(holders).count == 1 ? holders[0] : nil
  }
}

/// Keeps other processes that ask for the same lock out of a folder, without a file in it: web servers and players see nothing of it.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks a folder; `nil` if its file system has no locks, as some networks'.
  ///
  /// - Throws: `FileSinkError`; its operation is `lock` if another process has the lock.
  package init?(_ path: String) throws(FileSinkError) {
    let path = path.isEmpty ? "." : path
    descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSinkError(.create, path: path, code: errno) }
    do throws(FileSinkError) {
      try FileLock.take(descriptor, path: path)
    } catch {
      guard error.operation != .lock else { throw error }
      return nil
    }
  }

  deinit { close(descriptor) }
}
