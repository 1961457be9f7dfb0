package import Foundation
import Synchronization

/// A process that a test starts. It is waited for by its number, and ends with its owner.
///
/// Foundation's `Process` hears of an end from a thread that all processes share. On Linux that thread sometimes missed one, and a test
/// waited for ever.
package final class ChildProcess: Sendable {
  // A class: the process is killed when nobody uses it any more.

  /// What a standard stream of the process is.
  package enum Stream {
    case nothing
    /// A file that is there.
    case file(String)
    /// The tests' own stream.
    case inherited
    /// A pipe, whose other end is ``ChildProcess/input`` or ``ChildProcess/output``.
    case pipe
  }

  /// Why a process cannot be started.
  package struct Failure: Error {
    /// The system's error number.
    package var code: Int32
  }

  /// How many seconds a process has before it is killed: many times what any needs, also under a sanitizer.
  private static let timeLimit = 400.0

  private let id: pid_t
  /// How it ended: its exit status, or the signal's number.
  private let result = Mutex<Int32?>(nil)
  /// Writes to its standard input, where that is a pipe.
  package let input: FileHandle?
  /// Reads its standard output, where that is a pipe.
  package let output: FileHandle?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's; a name without a slash is looked for.
  ///   - folder: Where it runs; `nil` for where the tests do.
  /// - Throws: `Failure`.
  package init(
    _ path: String, _ arguments: [String], input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing,
    in folder: String? = nil
  ) throws(Failure) {
    // Between the making of a pipe and its mark no other process is started, which would keep it open.
    let (id, writer, reader) = try Self.starting.withLock { (_) throws(Failure) in
      try Self.start(folder.map { ["env", "-C", $0, path] + arguments } ?? [path] + arguments, input, output, errors)
    }
    self.id = id
    self.input = writer.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
    self.output = reader.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
  }

  private static let starting = Mutex(())

  /// Starts a program; returns its number, and the owner's ends of pipes.
  private static func start(
    _ line: [String], _ input: Stream, _ output: Stream, _ errors: Stream
  ) throws(Failure) -> (id: pid_t, writer: Int32?, reader: Int32?) {
    let (standardInput, writer) = try Self.descriptors(input, isInput: true)
    defer { Self.close(standardInput) }
    let (standardOutput, reader) = try Self.descriptors(output, isInput: false)
    defer { Self.close(standardOutput) }
    let (standardErrors, _) = try Self.descriptors(errors, isInput: false)
    defer { Self.close(standardErrors) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [standardInput, standardOutput, standardErrors].enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }

    // Signals that the tests ignore or hold back are not ignored there.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = unsafe line.map { unsafe strdup($0) }
    unsafe words.append(nil)
    defer { unsafe words.forEach { unsafe free($0) } }
    var id = pid_t()
    let code = unsafe posix_spawnp(&id, line[0], &actions, &attributes, words, environ)
    guard code == 0 else { throw Failure(code: code) }
    return (id, writer, reader)
  }

  deinit {
    signal(SIGKILL)
    _ = reap(0)
  }

  /// Whether it goes on.
  package var isRunning: Bool { reap(WNOHANG) == nil }

  /// Sends it a signal, unless it has ended.
  package func signal(_ number: Int32) { result.withLock { if $0 == nil { _ = kill(id, number) } } }

  /// Waits until it ends; returns its exit status, or the number of the signal that ended it. After a time it is killed: whatever goes
  /// wrong, the tests go on.
  package func wait() -> Int32 {
    let end = ContinuousClock.now + .seconds(Self.timeLimit)
    while true {
      if let status = reap(WNOHANG) { return status }
      if ContinuousClock.now > end { signal(SIGKILL) }
      usleep(2_000)
    }
  }

  /// How it ended; `nil` where it goes on.
  private func reap(_ options: Int32) -> Int32? {
    result.withLock { result in
      var status: Int32 = 0
      while result == nil {
        let found = unsafe waitpid(id, &status, options)
        // 0: it goes on. The number after a signal is in the lowest seven bits, else the status is above them.
        if found == 0 { break }
        if found == id { result = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F }
        if found < 0, errno != EINTR { result = -1 }
      }
      return result
    }
  }

  // MARK: Descriptors

  /// The descriptor for the process, and that for its owner. No other process gets them.
  private static func descriptors(_ stream: Stream, isInput: Bool) throws(Failure) -> (mine: Int32, other: Int32?) {
    switch stream {
    case .inherited: return (try checked(fcntl(isInput ? STDIN_FILENO : STDERR_FILENO, F_DUPFD_CLOEXEC, 3)), nil)
    case .nothing: return try descriptors(.file("/dev/null"), isInput: isInput)
    case .file(let path): return (try checked(unsafe open(path, (isInput ? O_RDONLY : O_WRONLY) | O_CLOEXEC)), nil)
    case .pipe:
      var ends: [Int32] = [0, 0]
      _ = try checked(unsafe pipe(&ends))
      for end in ends { _ = try checked(fcntl(end, F_SETFD, FD_CLOEXEC)) }
      return isInput ? (ends[0], ends[1]) : (ends[1], ends[0])
    }
  }

  private static func checked(_ result: Int32) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(code: errno) }
    return result
  }

  private static func close(_ descriptor: Int32) { _ = Foundation.close(descriptor) }
}
