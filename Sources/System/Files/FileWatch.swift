import LibC

#if os(Linux)
  /// Notices that a file has changed, also if another file takes its name, as editors do.
  package final class FileWatch: Sendable {
    /// The file's name in its folder.
    private let name: String
    private let descriptor: Int32

    /// Begins to watch a file.
    ///
    /// - Returns: `nil` if the system cannot watch the file's folder.
    package init?(path: String) {
      let parts = PathParts(path)
      let descriptor = inotify_init1(Int32(O_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      // Unsafe: the string is lent for the length of the call.
      guard unsafe inotify_add_watch(descriptor, parts.folder, UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) >= 0 else {
        close(descriptor)
        return nil
      }
      (self.descriptor, name) = (descriptor, parts.name)
    }

    deinit { close(descriptor) }

    /// Waits, asleep in the system, until the file has changed since the last call; `false` if the system does not tell any more.
    package func wait() -> Bool {
      while let names = next() { if names.contains(name) { return true } }
      return false
    }

    /// Waits for changes in the folder; returns the names of the files, or `nil` if the system gives none any more.
    private func next() -> [String]? {
      var bytes = [UInt8](repeating: 0, count: 8_192)
      // Unsafe: the system writes into the array, whose size it is told.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 || errno == EINTR else { return nil }
      return Self.names(in: bytes.prefix(max(count, 0)))
    }

    /// The names in what inotify(7) gives: for each event 16 bytes, the last four with the length of the name, and the name, filled with zeros.
    static func names(in bytes: ArraySlice<UInt8>) -> [String] {
      var (names, rest) = ([String](), bytes)
      while rest.count >= 16 {
        let head = Array(rest.prefix(16))
        let length = (12..<16).reversed().reduce(0) { $0 << 8 | Int(head[$1]) }
        rest = rest.dropFirst(16)
        guard length <= rest.count else { break }
        names.append(String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self))
        rest = rest.dropFirst(length)
      }
      return names
    }
  }
#endif
