import HTTPTypes
import NIOHTTPTypes

/// The state of a connection for requests with answers. Each transition is one of the functions here; a transition that the state does not allow does
/// nothing, and stops tests.
enum AnswerState {
  /// An answer that is being received.
  struct Incoming {
    let request: HTTPRequest
    let game: GameRunner
    /// Whether the body is larger than an answer can be.
    var isTooLarge = false
    /// Whether the server is ending, and closes this connection with the reply.
    var isLast = false
  }

  /// The data that arrived while an answer waits for the store: at most what was read in one turn, since reading stops then.
  struct Held {
    var parts: [HTTPRequestPart] = []
    /// Whether reading was to continue.
    var wantsRead = false
    /// Whether the client has said that nothing follows, or has sent something that cannot be read.
    var hasEnded = false
    var error: (any Error)?
    /// Whether the server is ending, and closes this connection with the reply.
    var isLast = false
  }

  /// The router is processing this many requests, and receives everything that arrives.
  case passing(requests: Int)
  /// An answer is being received. The router has nothing to do.
  case reading(Incoming)
  /// An answer waits for the store.
  case storing(Held)

  /// Whether the router has nothing to do, and no answer is being received or waits.
  var isIdle: Bool { if case .passing(requests: 0) = self { true } else { false } }

  // MARK: Changes

  /// The router gets another request.
  mutating func pass() {
    guard case .passing(let requests) = self else { return assertionFailure("an answer comes in or waits") }
    self = .passing(requests: requests + 1)
  }

  /// The router has answered a request, or something that could not be read as one.
  mutating func noteReply() {
    if case .passing(let requests) = self { self = .passing(requests: max(requests - 1, 0)) }
  }

  /// An answer begins to arrive.
  mutating func beginReading(_ incoming: Incoming) {
    guard isIdle else { return assertionFailure("the connection is busy") }
    self = .reading(incoming)
  }

  /// The answer that is being received is too large.
  mutating func noteTooLarge() {
    guard case .reading(var incoming) = self else { return assertionFailure("no answer comes in") }
    incoming.isTooLarge = true
    self = .reading(incoming)
  }

  /// The end of a request has arrived; returns the answer that it completes, if there is one.
  mutating func endReading() -> Incoming? {
    guard case .reading(let incoming) = self else { return nil }
    self = .passing(requests: 0)
    return incoming
  }

  /// An answer begins to wait for the store.
  mutating func beginStoring(isLast: Bool) {
    guard isIdle else { return assertionFailure("the connection is busy") }
    self = .storing(Held(isLast: isLast))
  }

  /// The answer no longer waits; returns what has arrived in the meantime.
  mutating func endStoring() -> Held {
    guard case .storing(let held) = self else {
      assertionFailure("no answer waits")
      return Held()
    }
    self = .passing(requests: 0)
    return held
  }

  /// The server ends; returns whether the reply to the answer that is being received or waits closes this connection.
  mutating func makeLast() -> Bool {
    switch self {
    case .passing: return false
    case .reading(var incoming):
      incoming.isLast = true
      self = .reading(incoming)
    case .storing: change { $0.isLast = true }
    }
    return true
  }

  // MARK: Holding

  /// Holds a part of a request while an answer waits; returns whether one does.
  mutating func hold(_ part: HTTPRequestPart) -> Bool { change { $0.parts.append(part) } }

  /// Holds a wish to read more, in the same way.
  mutating func holdRead() -> Bool { change { $0.wantsRead = true } }

  /// Holds the end of the client's data, in the same way.
  mutating func holdEnd() -> Bool { change { $0.hasEnded = true } }

  /// Holds an error, in the same way.
  mutating func hold(_ error: any Error) -> Bool { change { $0.error = error } }

  /// Holds again what was held before, without its first parts, if the next answer waits already; returns whether one does.
  mutating func holdAgain(_ held: Held, from index: Int) -> Bool {
    change { now in
      now.parts = held.parts[index...] + now.parts
      now.wantsRead = now.wantsRead || held.wantsRead
      now.hasEnded = now.hasEnded || held.hasEnded
      now.error = now.error ?? held.error
    }
  }

  @discardableResult
  private mutating func change(_ body: (inout Held) -> Void) -> Bool {
    guard case .storing(var held) = self else { return false }
    // Leaves `held` as the only reference to the parts, so that they are not copied.
    self = .passing(requests: 0)
    body(&held)
    self = .storing(held)
    return true
  }
}
