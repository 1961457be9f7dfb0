package import Basics
import LibC
import Synchronization

/// Messages about a session for its listeners: each once and in order, and the latest ones again for listeners that reconnect.
package final class LiveFeed: Sendable {
  /// A message.
  package struct Message: Equatable, Sendable {
    /// Its number; 0 for one that is not kept.
    package var id: Int
    /// Its kind: `accepted`, `placed`, `published`, `cancelled`, `lost`, `held`, `break`, `input` or `notice`.
    package var event: String
    /// A JSON object.
    package var data: String
  }

  /// The messages for one listener, until they are ended.
  package struct Listening: Sendable {
    package let messages: AsyncStream<Message>
    /// Sends this listener alone a last message, and ends.
    package let end: @Sendable (_ event: String, _ data: JSONObject) -> Void
  }

  private struct State {
    var nextID: Int
    var latest = Queue<Message>()
    var listeners: [Int: AsyncStream<Message>.Continuation] = [:]
    var nextListener = 0
    var observers: [@Sendable (Message) -> Void] = []
    var isClosed = false
  }

  private let state: Mutex<State>
  /// Sends a copy of each message to another process with the same feed.
  let copies = Relay<Message>()
  private let clock: (@Sendable () -> Int)?
  /// Notified at the end.
  private let ending = Changes()

  /// The number of messages that are kept for listeners that reconnect.
  package static let keptMessages = 1_024
  /// The number of messages that this feed keeps. A listener that is this many messages behind loses the oldest ones.
  private let kept: Int

  /// A feed without messages and listeners.
  ///
  /// - Parameters:
  ///   - first: The number of the first message. The default is the time in milliseconds, which is above all numbers of an earlier process, so that its
  ///     listeners get all messages of this one. No process sends a thousand messages a second for long.
  ///   - kept: The number of messages that are kept.
  ///   - clock: Gives the minimum number of a message now, so that several processes with the same feed agree about the numbers.
  package init(first: Int = Int(WallClock.now), keeping kept: Int = keptMessages, clock: (@Sendable () -> Int)? = nil) {
    (self.kept, self.clock) = (kept, clock)
    state = Mutex(State(nextID: max(first, 1)))
  }

  /// Sends a message to all listeners.
  package func send(_ event: String, _ data: JSONObject) {
    let text = JSONValue.object(data).text
    state.withLock { state in
      let message = Message(id: max(state.nextID, clock?() ?? 0), event: event, data: text)
      tell(message, &state)
      // Under the lock, so that the other process has the same order.
      copies.send(message)
    }
  }

  /// Sends another process's message to all listeners, with the same number, unless it is old.
  package func repeating(_ message: Message) {
    state.withLock { state in
      guard message.id > state.latest.last?.id ?? 0 else { return }
      tell(message, &state)
    }
  }

  private func tell(_ message: Message, _ state: inout State) {
    state.nextID = max(state.nextID, message.id + 1)
    state.latest.append(message)
    if state.latest.count > kept { _ = state.latest.popFirst() }
    for listener in state.listeners.values { listener.yield(message) }
    for body in state.observers { body(message) }
  }

  /// Calls `body` with each message from now on, in order. Unlike a listener it misses none, however many there are at once.
  ///
  /// - Parameter body: Called under the lock of the feed: it only puts the message into a queue.
  package func observe(_ body: @escaping @Sendable (Message) -> Void) { state.withLock { $0.observers.append(body) } }

  /// Sends all listeners a message without a name, which only keeps connections open.
  package func keepAlive() {
    state.withLock { state in
      for listener in state.listeners.values { listener.yield(Message(id: 0, event: "", data: "")) }
    }
  }

  /// The messages from now on, or after the one with a number. The stream ends with the session, or when it is no longer read.
  package func listen(after id: Int? = nil) -> AsyncStream<Message> { listening(after: id).messages }

  /// The messages as ``listen(after:)`` gives them, which others can end.
  package func listening(after id: Int? = nil) -> Listening {
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingNewest(kept))
    let number: Int? = state.withLock { state in
      if let id {
        for message in state.latest.elements where message.id > id { continuation.yield(message) }
      }
      guard !state.isClosed else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    let listening = Listening(messages: stream) { event, data in
      // It has no number, since it is not kept.
      continuation.yield(Message(id: 0, event: event, data: JSONValue.object(data).text))
      continuation.finish()
    }
    guard let number else {
      continuation.finish()
      return listening
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
    return listening
  }

  /// The number of the latest message; 0 if there was none.
  package var lastID: Int { state.withLock { $0.latest.last?.id ?? 0 } }

  /// The number of listeners.
  package var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Ends the streams of all listeners.
  package func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      return exchange(&state.listeners, with: [:])
    }
    for listener in listeners.values { listener.finish() }
    ending.tell()
  }

  /// Returns when the feed is closed, or the task is cancelled.
  package func end() async { await ending.wait { state.withLock { $0.isClosed } } }
}
