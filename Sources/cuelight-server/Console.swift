import Basics
import CommandSupport
import Files
import Foundation
import HLSPlaylist
import LibC
import LiveSession
import Synchronization
import Terminal

/// The operator's output: messages, and on a terminal one line with the position of the programme.
///
/// No caller waits for the operator to read a message: see `MessageWriter`. As JSON, a message has its time, its level, and its stream if it is about one.
/// In the journal of systemd, which notes the time by itself, a line begins with its level.
final class Console: Sendable {
  private let isJSON: Bool
  private let isJournal: Bool
  private let hasLine: Bool
  private let hasEnded = Mutex(false)
  private let writer: MessageWriter

  init(isJSON: Bool) {
    self.isJSON = isJSON
    hasLine = !isJSON && Terminal.isError
    let isJournal = !isJSON && JournalStream.isStandardError(environment: ProcessInfo.processInfo.environment)
    self.isJournal = isJournal
    writer = MessageWriter { count in
      Self.text("\(count) messages are left out: nobody reads them", .warning, isJSON: isJSON, isJournal: isJournal)
    } write: { text in
      StandardError.put(text)
    }
  }

  /// A message as it is written.
  ///
  /// - Parameter stream: The stream that it is about; `nil` for none, or for the only one.
  static func text(
    _ message: String, _ level: JournalStream.Level, stream: String? = nil, date: Int64 = WallClock.now, isJSON: Bool, isJournal: Bool
  ) -> String {
    if isJSON {
      let object = JSONObject(fields: ["at": PlaylistDate(milliseconds: date)?.text, "level": level.name])
      return StandardError.line(object.with("stream", stream).with("message", message))
    }
    let lines = StandardError.lines(stream.map { "\($0): \(message)" } ?? message)
    guard isJournal else { return lines }
    return lines.split(separator: "\n").map { "\(level.prefix)\($0)\n" }.joined()
  }

  /// Writes a message for the operator.
  ///
  /// - Parameter stream: The stream that it is about; `nil` for none, or for the only one.
  func report(_ message: String, _ level: JournalStream.Level = .notice, stream: String? = nil) {
    clear()
    writer.write(Self.text(message, level, stream: stream, isJSON: isJSON, isJournal: isJournal))
  }

  /// Writes lines for people.
  func write(_ text: String) {
    writer.write(isJournal ? Self.text(text, .info, isJSON: false, isJournal: true) : StandardError.lines(text))
  }

  /// Writes a line of JSON.
  func write(_ object: JSONObject) { writer.write(StandardError.line(object)) }

  /// Prints the addresses of the session, and begins to show its state.
  ///
  /// - Parameters:
  ///   - publishing: The addresses to which encoders publish.
  ///   - token: A token that was made for this server, since the operator gave none.
  ///   - session: The session; `nil` as long as this node of a pair has none.
  func begin(address: String, name: String, publishing: [String], token: String?, _ session: @escaping @Sendable () -> LiveSession?) {
    if isJSON {
      let object = JSONObject(fields: [
        "listening": address, "playlist": "\(address)/live/\(name.percentEncodedPart)/index.m3u8",
        "events": "\(address)/v1/streams/\(name.percentEncodedPart)/events",
      ])
      write(object.with("publish", publishing.isEmpty ? nil : publishing).with("token", token))
    } else {
      write("Watch:  \(address)/live/\(name.percentEncodedPart)/index.m3u8")
      write("Events: \(address)/v1/streams/\(name.percentEncodedPart)/events")
      for address in publishing {
        write("Publish: \(address), stream key: a token to publish\(token == nil ? "" : "; any for encoders on this machine")")
      }
      if let token { write("Token:  \(token) (programs on this machine need none)") }
    }
    follow(session)
  }

  /// Begins to show the state of a session, if the output is a terminal.
  func follow(_ session: @escaping @Sendable () -> LiveSession?) {
    guard hasLine else { return }
    Thread.detachNewThread { [self] in
      while !hasEnded.withLock({ $0 }) {
        if let session = session() { show(session) }
        Thread.sleep(forTimeInterval: 0.25)
      }
    }
  }

  private func show(_ session: LiveSession) {
    let situation = session.situation
    let input = situation.isInputUp ? "up" : "down"
    var text = "\(situation.time?.clockText ?? "--:--") input \(input), \(situation.copies) copies, \(situation.segments) segments"
    if let event = situation.lastEvent { text += ", last \(event)" }
    if situation.notices > 0 { text += ", \(situation.notices) notices" }
    writer.write(StandardError.passingLine(text))
  }

  private func clear() {
    if hasLine { writer.write(StandardError.passingLine("")) }
  }

  /// Ends the line, and writes the waiting messages if they are being read.
  func end() {
    hasEnded.withLock { $0 = true }
    clear()
    writer.close(seconds: 1)
  }
}
