import Basics
package import LiveSession
import Synchronization

extension WebhookSender {
  /// Tells the webhooks what happens to a session, from now on until it ends: its input, lost events, its disk, and its game.
  ///
  /// - Parameter tellsGames: Whether the start and the end of a game are read from the stream. A server of games tells them itself.
  package func follow(_ session: LiveSession, tellsGames: Bool = true) {
    let name = session.settings.name
    session.feed.observe { [weak self] message in
      guard let (event, data) = WebhookTranslation.data(of: message, tellsGames: tellsGames) else { return }
      self?.note(event, stream: name, data)
    }
    let watch = DiskWatch()
    session.onChange { [weak self, weak session] in
      guard let self, let session else { return }
      watch.see(session.desk.refusal) { self.note(.disk, stream: name, $0) }
      guard session.situation.hasEnded else { return }
      watch.seeEnd {
        let data = JSONObject(fields: ["input": "ended", "name": session.settings.input.name])
        self.note(.input, stream: name, data.with("reason", session.failure.map { "\($0)" }))
      }
    }
  }
}

/// What the messages of a session mean for webhooks.
enum WebhookTranslation {
  /// The event of a message, and what it says; `nil` if webhooks are not told.
  static func data(of message: LiveFeed.Message, tellsGames: Bool) -> (WebhookEvent, JSONObject)? {
    switch message.event {
    case "input": object(message).map { (.input, $0) }
    case "lost": object(message).map { (.lost, $0) }
    case "placed" where tellsGames:
      object(message).flatMap { status in
        let state = status["event"]?.string.flatMap { states[$0] }
        return state.map { (.game, JSONObject(fields: ["state": $0]).with("guid", status["guid"]?.string)) }
      }
    default: nil
    }
  }

  /// What the events of these types say about their game.
  private static let states = ["startGame": "began", "endGame": "ended"]

  private static func object(_ message: LiveFeed.Message) -> JSONObject? { (try? JSONValue(parsing: message.data))?.object }
}

/// Remembers what was told of the disk and of the end of a session, so that each change is told once.
final class DiskWatch: Sendable {
  private struct State {
    var refusal: String?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Tells whether nothing can be written, if that has changed.
  ///
  /// - Parameter refusal: Why nothing can be written; `nil` if it can.
  func see(_ refusal: String?, tell: (JSONObject) -> Void) {
    // Told under the lock, so that the order is that of the changes.
    state.withLock { state in
      guard (state.refusal == nil) != (refusal == nil) else { return }
      state.refusal = refusal
      tell(JSONObject(fields: ["disk": refusal == nil ? "writable" : "refused"]).with("reason", refusal))
    }
  }

  /// Tells the end once.
  func seeEnd(tell: () -> Void) {
    let isNew = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    if isNew { tell() }
  }
}
