import LibC
import Synchronization

/// The whole terminal as a screen to draw on and a keyboard with single keys. Its settings are restored by ``leave()``, at the end of the
/// program, by a second request to stop, and if the program crashes.
///
/// A program has one terminal, and signal handlers know no instance, so all of it is static. It is used from one thread.
package enum TerminalScreen {
  private static let keyboard = Atomic<Int32>(-1)
  private static let isResized = Atomic<Bool>(false)
  private static let isContinued = Atomic<Bool>(false)
  private static let isSuspensionWanted = Atomic<Bool>(false)
  private static let stopRequests = Atomic<Int>(0)
  /// The original settings of the terminal.
  // Unsafe: written only while `keyboard` is below zero, and read only when it is not any more.
  nonisolated(unsafe) private static var before = termios()

  /// The alternate screen, no cursor, no wrapping of lines; cleared.
  private static let entering: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  /// The reverse of that. The screen is cleared for terminals that have no alternate one.
  private static let leaving: StaticString = "\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// What happened to the terminal since the last call of ``takeChanges()``.
  package struct Changes: Equatable, Sendable {
    /// Everything must be drawn again: the size has changed, or the program continues after a pause.
    package var needsDrawing = false
    /// The user wants the program to pause (Control-Z).
    package var wantsSuspension = false
  }

  /// Switches the terminal to the screen.
  ///
  /// - Returns: Whether that was possible: `keys` must be a terminal.
  package static func enter(keys: borrowing KeyInput) -> Bool {
    guard keyboard.load(ordering: .sequentiallyConsistent) < 0 else { return true }
    // The handlers use these. They are initialised here, because initialising them in a signal handler is not allowed.
    isResized.store(false, ordering: .relaxed)
    isContinued.store(false, ordering: .relaxed)
    isSuspensionWanted.store(false, ordering: .relaxed)
    stopRequests.store(0, ordering: .relaxed)
    // `before` lives as long as the program.
    guard unsafe tcgetattr(keys.descriptor, &before) == 0 else { return false }
    installHandlers()
    takeOver(keys.descriptor)
    return true
  }

  private static func takeOver(_ descriptor: Int32) {
    keyboard.store(descriptor, ordering: .sequentiallyConsistent)
    var raw = unsafe before
    // Keys are delivered at once and are not shown; those that send signals still do. Control-S does not stop the drawing.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    raw.c_iflag &= ~tcflag_t(IXON)
    // `raw` lives as long as the call.
    _ = unsafe tcsetattr(descriptor, TCSANOW, &raw)
    write(entering)
  }

  /// Restores the terminal and discards unread input. May be called at any time, in a signal handler too.
  package static func leave() {
    let descriptor = keyboard.exchange(-1, ordering: .sequentiallyConsistent)
    guard descriptor >= 0 else { return }
    write(leaving)
    tcflush(descriptor, TCIFLUSH)
    var settings = unsafe before
    // `settings` lives as long as the call. A terminal that is gone takes no settings, and needs none.
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  /// What happened since the last call.
  package static func takeChanges() -> Changes {
    let isResized = isResized.exchange(false, ordering: .relaxed)
    let isContinued = isContinued.exchange(false, ordering: .relaxed)
    // After a pause the shell may have changed the terminal's settings.
    let descriptor = keyboard.load(ordering: .sequentiallyConsistent)
    if isContinued, descriptor >= 0 { takeOver(descriptor) }
    return Changes(
      needsDrawing: isResized || isContinued, wantsSuspension: isSuspensionWanted.exchange(false, ordering: .relaxed))
  }

  /// Restores the terminal, pauses the program as Control-Z does, and switches back when the program continues.
  package static func suspend() {
    let descriptor = keyboard.load(ordering: .sequentiallyConsistent)
    guard descriptor >= 0 else { return }
    leave()
    set(SIGTSTP, nil)
    raise(SIGTSTP)
    installHandlers()
    // Another program may have changed the terminal's settings. `before` lives as long as the program.
    _ = unsafe tcgetattr(descriptor, &before)
    takeOver(descriptor)
    isContinued.store(false, ordering: .relaxed)
    isResized.store(true, ordering: .relaxed)
  }

  /// Writes a constant text, ignoring failure.
  private static func write(_ text: StaticString) {
    var written = 0
    while written < text.utf8CodeUnitCount {
      // The text lives as long as the program, and `count` bytes of it are left.
      let count = unsafe LibC.write(STDOUT_FILENO, text.utf8Start.advanced(by: written), text.utf8CodeUnitCount - written)
      guard count > 0 else { return }
      written += count
    }
  }
}

// MARK: - Signals

extension TerminalScreen {
  private static let exitHandler: Void = { _ = atexit { TerminalScreen.leave() } }()

  private static func installHandlers() {
    exitHandler
    set(SIGWINCH) { _ in TerminalScreen.isResized.store(true, ordering: .relaxed) }
    set(SIGCONT) { _ in TerminalScreen.isContinued.store(true, ordering: .relaxed) }
    set(SIGTSTP) { _ in TerminalScreen.isSuspensionWanted.store(true, ordering: .relaxed) }
    // The first request stops the program in an orderly way, the second one at once.
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      set(signal) { signal in
        Interruption.request()
        if TerminalScreen.stopRequests.add(1, ordering: .relaxed).oldValue > 0 { TerminalScreen.die(of: signal) }
      }
    }
    // The terminal is restored if the program crashes, too.
    for signal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
      set(signal) { signal in TerminalScreen.die(of: signal) }
    }
  }

  private static func die(of signal: Int32) {
    leave()
    set(signal, nil)
    raise(signal)
  }

  /// Sets the handler of a signal; `nil` for the default action.
  private static func set(_ signal: Int32, _ handler: SignalHandler?) {
    // Handlers only store to atomics and call what may be called in a signal handler: write, tcflush, tcsetattr, sigaction, raise. The signal itself
    // is not blocked meanwhile, so that the default action follows at once. Reading files is not interrupted.
    setHandler(of: signal, handler, flags: UInt32(SA_NODEFER) | UInt32(SA_RESTART))
  }
}
