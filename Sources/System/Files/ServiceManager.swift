// Unsafe: throughout, C reads structures and bytes that live for the length of the call.

import LibC

/// The service manager that has started this process, such as systemd, and what it is told (sd_notify(3)). It needs no library of systemd.
package struct ServiceManager: Equatable, Sendable {
  /// What the service manager is told.
  package enum Notice: Equatable, Sendable {
    /// The service does what it is for.
    case ready
    /// It reads its configuration again, until the next ``ready``.
    case reloading
    /// It ends.
    case stopping
    /// What it does, in a line for people.
    case status(String)
    /// It works; see ``watchdogInterval``.
    case watchdog
  }

  /// The path of the socket; the name of an abstract one begins with a zero byte.
  let socketName: [UInt8]
  /// How often ``Notice/watchdog`` is to be told: half of the time after which the manager restarts a service that is silent. `nil` if it does not watch.
  package let watchdogInterval: Duration?

  /// The most bytes that the name of a socket has (unix(7)), without the zero byte at the end.
  private static let longestName = 107

  /// The manager that the environment names in NOTIFY_SOCKET; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - environment: WATCHDOG_USEC says how long the service may be silent, and WATCHDOG_PID which process that is about.
  ///   - process: The number of this process.
  package init?(environment: [String: String], process: Int32 = getpid()) {
    guard let name = environment["NOTIFY_SOCKET"], name.utf8.count > 1 else { return nil }
    var bytes = Array(name.utf8)
    switch bytes[0] {
    case UInt8(ascii: "/"): break
    case UInt8(ascii: "@"): bytes[0] = 0
    default: return nil
    }
    guard bytes.count <= Self.longestName else { return nil }
    socketName = bytes
    let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { text in Int64(text) }
    watchdogInterval = limit.flatMap { isMeant && $0 > 0 ? .microseconds($0 / 2) : nil }
  }

  /// Tells the manager something; returns whether that was possible. It does not wait.
  @discardableResult
  package func tell(_ notices: Notice...) -> Bool {
    let text = Array(notices.map { Self.text($0, now: Self.monotonicMicroseconds) }.joined(separator: "\n").utf8)
    let descriptor = socket(AF_UNIX, DatagramSocket.datagrams, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = unsafe withUnsafeMutableBytes(of: &address) { space in
      let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
      for (index, byte) in socketName.enumerated() { unsafe space[start + index] = byte }
      return start + socketName.count
    }
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, text, text.count, 0, $0, socklen_t(length))
      }
    }
    return sent == text.count
  }

  /// The line of a notice.
  ///
  /// - Parameter now: Microseconds of the monotonic clock.
  static func text(_ notice: Notice, now: Int64) -> String {
    switch notice {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(now)"
    case .stopping: "STOPPING=1"
    // A line end would begin another assignment.
    case .status(let text): "STATUS=\(String(text.map { $0.isNewline ? " " : $0 }))"
    case .watchdog: "WATCHDOG=1"
    }
  }

  private static var monotonicMicroseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
