import Foundation
import TestSupport
import Testing

@testable import Files

/// Locks of files and folders.
@Suite struct FileLockTests {
  @Test func holders() {
    let table = """
      1: POSIX  ADVISORY  WRITE 77 fe:00:42 0 EOF
      2: FLOCK  ADVISORY  WRITE 708 fe:00:42 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 709 fe:00:43 0 EOF
      3: FLOCK  ADVISORY  READ  5 fe:00:44 0 EOF
      4: FLOCK  ADVISORY  READ  6 fe:00:44 0 EOF
      5: FLOCK  ADVISORY  WRITE 0 fe:00:45 0 EOF
      """
    #expect(FileLock.process(in: table, inode: 42) == 708)
    for inode in [41, 43, 44, 45] as [UInt64] { #expect(FileLock.process(in: table, inode: inode) == nil) }
    #expect(FileLock.process(in: "", inode: 1) == nil)
  }

  /// A journal and a folder have one owner at a time, whose number others learn on Linux; then the next one.
  @Test func oneOwner() throws {
    let folder = try Workshop.newFolder()
    let own = Int(ProcessInfo.processInfo.processIdentifier)
    do {
      let lock = try FolderLock(folder)
      let journal = try JournalFile(path: folder + "/journal")
      let second = #expect(throws: FileSinkError.self) { _ = try FolderLock(folder) }
      let third = #expect(throws: FileSinkError.self) { _ = try JournalFile(path: folder + "/journal") }
      for (error, path) in [(second, folder), (third, folder + "/journal")] {
        let error = try #require(error)
        #expect(error.operation == .lock && [nil, own].contains(error.process))
        #expect(
          "\(error)" == "\(path): in use by another cuelight live" + (error.process.map { " (process \($0))" } ?? ""))
        #if os(Linux)
          #expect(error.process == own)
        #endif
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["journal"])
      _ = (lock, journal.path)
    }
    _ = try FolderLock(folder)
    _ = try JournalFile(path: folder + "/journal")
  }

  /// A child process that is being started still has the lock of its parent for a moment. A copy of the descriptor is the same to the system.
  @Test(arguments: [false, true]) func aLockThatLingers(isFolder: Bool) throws {
    let folder = try Workshop.newFolder()
    let path = isFolder ? folder : folder + "/journal"
    if !isFolder { _ = try JournalFile(path: path) }
    // Unsafe: the path lives as long as the call.
    let inherited = unsafe open(path, O_RDONLY)
    try #require(inherited >= 0 && flock(inherited, LOCK_EX | LOCK_NB) == 0)
    Thread.detachNewThread {
      usleep(100_000)
      close(inherited)
    }
    if isFolder { #expect(try FolderLock(path) != nil) } else { #expect(try JournalFile(path: path).path == path) }
  }
}
