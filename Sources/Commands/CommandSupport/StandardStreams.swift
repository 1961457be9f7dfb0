package import Basics
import Files
import Foundation

/// Standard output, written in large pieces, or line by line if somebody is waiting for the lines.
package struct StandardOutput {
  /// Whether each line is written at once.
  package var isLineBuffered = false
  private var pending = Data()

  private static let pieceSize = 64 * 1024

  package init(isLineBuffered: Bool = false) { self.isLineBuffered = isLineBuffered }

  /// Writes lines for people at once.
  package static func write(_ lines: [String]) throws(CommandFailure) {
    var output = StandardOutput()
    for line in lines { try output.line(line) }
    try output.flush()
  }

  /// Writes a line of JSON at once.
  package static func write(_ object: JSONObject) throws(CommandFailure) {
    var output = StandardOutput(isLineBuffered: true)
    try output.line(object)
  }

  /// Writes a line for people.
  package mutating func line(_ text: String) throws(CommandFailure) { try add(text.visible(.text)) }

  /// Writes a line of JSON.
  package mutating func line(_ object: JSONObject) throws(CommandFailure) { try add(object.text.visible(.json)) }

  private mutating func add(_ text: String) throws(CommandFailure) {
    pending.append(contentsOf: text.utf8)
    pending.append(0x0A)
    if isLineBuffered || pending.count >= Self.pieceSize { try flush() }
  }

  /// Writes text as it is, at once.
  package mutating func raw(_ text: String) throws(CommandFailure) {
    pending.append(contentsOf: text.utf8)
    try flush()
  }

  /// Writes the pending text.
  package mutating func flush() throws(CommandFailure) {
    guard !pending.isEmpty else { return }
    do {
      try FileHandle.standardOutput.write(contentsOf: pending)
    } catch {
      let system = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
      guard system.code != Int(EPIPE) else { throw .closedPipe }
      let reason = system.domain == NSPOSIXErrorDomain ? SystemError.text(code: Int32(clamping: system.code)) : system.localizedDescription
      throw CommandFailure("standard output: \(reason)", status: CommandFailure.ioError)
    }
    pending.removeAll(keepingCapacity: true)
  }
}

/// Messages for the person at the keyboard.
package enum StandardError {
  /// The maximum number of characters shown of a line. An input may have names and numbers of any length, which nobody reads.
  static let longestLine = 2_000

  package static func write(_ text: String) { put(lines(text)) }

  /// Writes a line of JSON.
  package static func write(_ object: JSONObject) { put(line(object)) }

  /// Shows a line that is about to be replaced, on a terminal.
  package static func showLine(_ text: String) { put(passingLine(text)) }

  /// Lines for people, as they are written.
  package static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(shown).joined(separator: "\n") + "\n"
  }

  /// A line of JSON, as it is written.
  package static func line(_ object: JSONObject) -> String { object.text.visible(.json) + "\n" }

  /// A line that is about to be replaced, as it is written.
  package static func passingLine(_ text: String) -> String { "\r\u{1B}[K\(text.visible(.text))" }

  /// Writes text unchanged. Blocks until the reader takes it.
  package static func put(_ text: String) {
    // If messages cannot be written, the work continues.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  private static func shown(_ line: Substring) -> String {
    let start = line.prefix(longestLine)
    return String(start).visible(.text) + (start.endIndex < line.endIndex ? "…" : "")
  }
}
