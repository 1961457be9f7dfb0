import Dispatch
import LibC
import Synchronization

/// Notices that the user wants the program to stop (Control-C, or being asked to terminate), so that it can clean up first.
package enum Interruption {
  private static let flag = Atomic<Bool>(false)

  /// Whether the user has asked to stop.
  package static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Asks to stop, as the user would.
  static func request() {
    flag.store(true, ordering: .sequentiallyConsistent)
    let descriptor = alarm.load(ordering: .sequentiallyConsistent)
    var byte: UInt8 = 0
    // The byte lives as long as the call. Both calls are allowed in a signal handler.
    if descriptor >= 0 { _ = unsafe write(descriptor, &byte, 1) }
  }

  /// The end of a pipe that the signal handler writes to; negative while nobody waits.
  private static let alarm = Atomic<CInt>(-1)
  /// The waiting tasks, and the source that reads the other end of the pipe for them.
  private static let waiting: Mutex<(waiters: [AsyncStream<Never>.Continuation], source: (any DispatchSourceRead)?)> = Mutex(([], nil))

  /// Returns when the user has asked to stop, or the task is cancelled.
  package static func wait() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    waiting.withLock { state in
      if state.source == nil { state.source = readAlarm() }
      state.waiters.append(continuation)
    }
    // A request before the pipe existed wrote no byte.
    if isRequested { continuation.finish() }
    for await _ in stream {}
  }

  /// Returns when the user has asked to stop, or something else has happened.
  package static func wait(or other: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await wait() }
      group.addTask { await other() }
      await group.next()
      group.cancelAll()
    }
  }

  private static func readAlarm() -> (any DispatchSourceRead)? {
    var ends: [CInt] = [-1, -1]
    // The system fills both places of the array, which lives as long as the call.
    guard unsafe pipe(&ends) == 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
    source.setEventHandler {
      let waiters = waiting.withLock { state in
        defer { state.waiters = [] }
        state.source?.cancel()
        return state.waiters
      }
      for waiter in waiters { waiter.finish() }
    }
    source.activate()
    alarm.store(ends[1], ordering: .sequentiallyConsistent)
    return source
  }

  /// Waits for a time, or until a signal comes.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds &* 1_000) }

  /// Ignores hang-ups: a closed terminal, or a supervisor's request to reload settings, must not end a stream.
  package static func ignoreHangUps() { _ = signal(SIGHUP, SIG_IGN) }

  private static let hangUps: Mutex<[any DispatchSourceSignal]> = Mutex([])

  /// The same, and calls `body` each time, on a thread that may wait for files, after what was to be called before.
  package static func onHangUp(_ body: @escaping @Sendable () -> Void) {
    ignoreHangUps()
    hangUps.withLock { state in
      let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
      source.setEventHandler(handler: body)
      source.activate()
      state.append(source)
    }
  }

  /// Starts noticing. A second request ends the program at once.
  ///
  /// A closed pipe no longer ends the program: writing to it fails instead.
  package static func install() {
    // A parent may have started the program with signals blocked, as threads of thread pools have them.
    var noticed = sigset_t()
    // The set lives as long as the calls that fill and read it.
    unsafe sigemptyset(&noticed)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      // The handler does what is allowed in one. Without SA_RESTART, blocking calls return.
      setHandler(of: signal, { _ in Interruption.request() }, flags: UInt32(SA_RESETHAND))
      unsafe sigaddset(&noticed, signal)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &noticed, nil)
    _ = signal(SIGPIPE, SIG_IGN)
  }
}

typealias SignalHandler = @convention(c) (Int32) -> Void

/// Sets the handler of a signal; `nil` for the default action.
func setHandler(of signal: Int32, _ handler: SignalHandler?, flags: UInt32) {
  var action = sigaction()
  #if canImport(Darwin)
    if let handler { unsafe action.__sigaction_u.__sa_handler = handler }
  #else
    if let handler { unsafe action.__sigaction_handler.sa_handler = handler }
  #endif
  action.sa_flags = Int32(bitPattern: flags)
  // `action` lives as long as the call, and the old action is not asked for.
  _ = unsafe sigaction(signal, &action, nil)
}
