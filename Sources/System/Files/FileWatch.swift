import LibC
import Synchronization

#if os(Linux)
  /// Notices that a file has changed, also if another file takes its name, as editors do, or if a link beside it then leads to another file, as
  /// Kubernetes does.
  package final class FileWatch: Sendable {
    /// What inotify(7) tells of the folder.
    struct Event: Equatable {
      /// The number of the watch; below 0 if the system has dropped events.
      var watch: Int32
      /// What has happened, as bits.
      var mask: UInt32
      /// The name of the file; empty if it is about the folder.
      var name: String

      func isOne(of bits: Int32...) -> Bool { bits.contains { mask & UInt32($0) != 0 } }
    }

    /// What tells one state of a file from another.
    private struct Stamp: Equatable {
      let file: FileIdentity
      let size: Int64
      /// When its bytes have changed.
      let changed: [Int]

      /// The state of the file that a path leads to; `nil` if there is none.
      init?(_ path: String) {
        var status = stat()
        // Unsafe: the path is lent for the length of the call, and the system fills the variable.
        guard unsafe stat(path, &status) == 0 else { return nil }
        file = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        (size, changed) = (Int64(status.st_size), [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)])
      }
    }

    private let path: String
    private let parts: PathParts
    private let descriptor: Int32
    /// The file as it was seen last.
    private let latest: Mutex<Stamp?>

    /// Begins to watch a file.
    ///
    /// - Returns: `nil` if the system cannot watch the file's folder.
    package init?(path: String) {
      let parts = PathParts(path)
      let descriptor = inotify_init1(Int32(O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard Self.watch(parts.folder, descriptor) else {
        close(descriptor)
        return nil
      }
      (self.path, self.parts, self.descriptor) = (path, parts, descriptor)
      latest = Mutex(Stamp(path))
    }

    deinit { close(descriptor) }

    /// Lets the system tell of a folder; returns whether it does.
    private static func watch(_ folder: String, _ descriptor: Int32) -> Bool {
      let mask = [IN_CLOSE_WRITE, IN_MOVED_TO, IN_CREATE, IN_MOVE_SELF].reduce(0) { $0 | UInt32($1) }
      // Unsafe: the string is lent for the length of the call.
      return unsafe inotify_add_watch(descriptor, folder, mask) >= 0
    }

    /// Waits, asleep in the system, until the file has changed since the last call; `false` if the system does not tell any more.
    package func wait() -> Bool {
      while let events = next() { if hasChanged(after: events) { return true } }
      return false
    }

    /// Waits for events in the folder; `nil` if the system gives none any more.
    private func next() -> [Event]? {
      var bytes = [UInt8](repeating: 0, count: 8_192)
      // Unsafe: the system writes into the array, whose size it is told.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 || errno == EINTR else { return nil }
      return Self.events(in: bytes.prefix(max(count, 0)))
    }

    /// Whether the file has changed, as events say. If the folder is another one by now, that one is watched.
    func hasChanged(after events: [Event]) -> Bool {
      var hasChanged = false
      for event in events {
        // The watch stays with a folder that goes elsewhere. Without it the system says at once that it is over.
        if event.isOne(of: IN_MOVE_SELF) { _ = inotify_rm_watch(descriptor, event.watch) }
        if event.isOne(of: IN_IGNORED) { watchAgain() }
        if isChange(event) { hasChanged = true }
      }
      return hasChanged
    }

    private func isChange(_ event: Event) -> Bool {
      // Two changes may come at the same tick of the file system's clock, so the file is not compared then.
      if event.isOne(of: IN_CLOSE_WRITE, IN_MOVED_TO), event.name == parts.name {
        _ = isOther()
        return true
      }
      // Other names matter only on the way to the file behind a link. A file that is being written is left alone until it is closed.
      guard event.isOne(of: IN_Q_OVERFLOW, IN_IGNORED) || nameMode(path) == S_IFLNK else { return false }
      return isOther()
    }

    /// Whether the path leads to another file, or to other bytes, than it did last. A missing file is waited for.
    private func isOther() -> Bool {
      guard let stamp = Stamp(path) else { return false }
      return latest.withLock { latest in
        defer { latest = stamp }
        return latest != stamp
      }
    }

    /// Watches the folder that has the path now, once there is one.
    private func watchAgain() { while !Self.watch(parts.folder, descriptor) { _ = sleep(1) } }

    /// The events in what inotify(7) gives: for each one the numbers of the watch, the mask, a cookie and the name's length, of four bytes each, and then
    /// the name, filled with zeros.
    static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
      var (events, rest) = ([Event](), bytes)
      while rest.count >= 16 {
        let head = Array(rest.prefix(16))
        func number(at offset: Int) -> UInt32 { (offset..<(offset + 4)).reversed().reduce(0) { $0 << 8 | UInt32(head[$1]) } }
        let length = Int(number(at: 12))
        rest = rest.dropFirst(16)
        guard length <= rest.count else { break }
        let name = String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
        events.append(Event(watch: Int32(bitPattern: number(at: 0)), mask: number(at: 4), name: name))
        rest = rest.dropFirst(length)
      }
      return events
    }
  }
#endif
