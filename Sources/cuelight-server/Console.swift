import Basics
import CommandSupport
import Foundation
import LiveSession
import Synchronization
import Terminal

/// What the operator sees: messages, and on a terminal one line that tells where the programme is.
final class Console: Sendable {
  private let isJSON: Bool
  private let hasLine: Bool
  private let state = Mutex(false)

  init(isJSON: Bool) {
    self.isJSON = isJSON
    hasLine = !isJSON && Terminal.isError
  }

  /// Tells the operator something.
  func report(_ message: String) {
    guard isJSON else {
      clear()
      StandardError.write(message)
      return
    }
    var object = JSONObject()
    object.append("message", message)
    StandardError.write(object)
  }

  /// Says where the session is to be found, and begins to tell how it goes.
  func begin(address: String, name: String, _ session: LiveSession) {
    if isJSON {
      var object = JSONObject()
      object.append("listening", address)
      object.append("playlist", "\(address)/live/\(name.percentEncodedPart)/index.m3u8")
      object.append("events", "\(address)/v1/streams/\(name.percentEncodedPart)/events")
      StandardError.write(object)
    } else {
      StandardError.write("Watch:  \(address)/live/\(name.percentEncodedPart)/index.m3u8")
      StandardError.write("Events: \(address)/v1/streams/\(name.percentEncodedPart)/events")
    }
    follow(session)
  }

  /// Begins to tell how a session goes, where somebody sees it.
  func follow(_ session: LiveSession?) {
    guard hasLine, let session else { return }
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0 }) {
        show(session)
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
    StandardError.showLine(text)
  }

  private func clear() {
    if hasLine { StandardError.showLine("") }
  }

  /// Ends the line.
  func end() {
    state.withLock { $0 = true }
    clear()
  }
}
