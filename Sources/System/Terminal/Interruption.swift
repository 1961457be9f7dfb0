import LibC
import Synchronization

/// Notices that the user wants the program to stop (Control-C, or being asked to terminate), so that it can clean up first.
package enum Interruption {
  private static let flag = Atomic<Bool>(false)

  /// Whether the user has asked to stop.
  package static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Asks to stop, as the user would.
  static func request() { flag.store(true, ordering: .relaxed) }

  /// Waits for a time, or until a signal comes.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds &* 1_000) }

  /// Starts noticing. A second request ends the program at once.
  ///
  /// A closed pipe no longer ends the program: writing to it fails instead.
  package static func install() {
    // A parent may have started the program with signals blocked, as threads of thread pools have them.
    var noticed = sigset_t()
    // The set lives as long as the calls that fill and read it.
    unsafe sigemptyset(&noticed)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // The handler only stores to an atomic, which is allowed in a signal handler. Without SA_RESTART, blocking calls return.
      let handler: @convention(c) (Int32) -> Void = { _ in Interruption.flag.store(true, ordering: .relaxed) }
      #if canImport(Darwin)
        unsafe action.__sigaction_u.__sa_handler = handler
      #else
        unsafe action.__sigaction_handler.sa_handler = handler
      #endif
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      // `action` lives as long as the call, and the old action is not asked for.
      _ = unsafe sigaction(signal, &action, nil)
      unsafe sigaddset(&noticed, signal)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &noticed, nil)
    _ = signal(SIGPIPE, SIG_IGN)
  }
}
