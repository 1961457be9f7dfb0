import LibC

/// The journal of systemd, to which a service's standard error goes (systemd.exec(5), JOURNAL_STREAM).
package enum JournalStream {
  /// The level of a message, as syslog(3) numbers it.
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    /// The name in logs.
    package var name: String { "\(self)" }
    /// What begins a line for the journal, which takes it away (sd-daemon(3)).
    package var prefix: String { "<\(rawValue)>" }
  }

  /// Whether standard error is the journal.
  package static func isStandardError(environment: [String: String]) -> Bool { isJournal(STDERR_FILENO, environment["JOURNAL_STREAM"]) }

  /// Whether a descriptor is the stream that a text names, by the numbers of its device and its inode.
  static func isJournal(_ descriptor: Int32, _ name: String?) -> Bool {
    guard let parts = name?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
      let device = UInt64(parts[0]), let inode = UInt64(parts[1]), case .success(let status) = fileStatus(of: descriptor)
    else { return false }
    return status.identity == FileIdentity(device: device, inode: inode)
  }
}
