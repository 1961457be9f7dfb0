import LibC

/// A person's key presses, read with a time limit.
///
/// ```swift
/// var keys = KeyInput()
/// while !keys.isAtEnd {
///   for byte in keys.read(waiting: 100) { handle(byte) }
/// }
/// ```
package struct KeyInput: ~Copyable {
  /// Whether the input has ended, or the terminal is gone.
  package private(set) var isAtEnd = false
  /// Whether a person types on a terminal.
  package let isTerminal: Bool
  let descriptor: Int32
  private let ownsDescriptor: Bool

  /// Standard input, or, if something else reads it, the terminal that the program was started from.
  ///
  /// - Parameter standardInputIsTaken: Whether something else reads standard input.
  package init(standardInputIsTaken: Bool = false) {
    // The path lives as long as the call.
    descriptor = standardInputIsTaken ? unsafe open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    ownsDescriptor = standardInputIsTaken && descriptor >= 0
    isTerminal = isatty(descriptor) == 1
    isAtEnd = descriptor < 0
  }

  deinit {
    // Nothing was written, so an error in closing loses nothing.
    if ownsDescriptor { close(descriptor) }
  }

  /// Waits until something is typed, but no longer than `milliseconds` or until a signal comes.
  ///
  /// - Returns: What was typed; nothing after the time, or at the end of the input, which also waits for that time.
  package mutating func read(waiting milliseconds: Int32) -> [UInt8] {
    // poll() skips a descriptor below zero.
    var request = pollfd(fd: isAtEnd ? -1 : descriptor, events: Int16(POLLIN), revents: 0)
    // `request` lives as long as the call.
    guard unsafe poll(&request, 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let descriptor = descriptor
    // read() writes at most as many bytes as there are in `raw`.
    let count = unsafe bytes.withUnsafeMutableBytes { raw in unsafe LibC.read(descriptor, raw.baseAddress, raw.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    isAtEnd = count <= 0
    return [UInt8](bytes.prefix(max(count, 0)))
  }
}
