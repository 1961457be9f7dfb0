import HTTPTypes
import NIOHTTPTypes

/// What the requests of a connection with answers are doing. Each change is one of the functions here; one that is made in a state that has none does
/// nothing, and stops tests.
enum AnswerState {
  /// An answer that comes in.
  struct Incoming {
    let request: HTTPRequest
    let game: GameRunner
    /// Whether the body has more bytes than an answer has.
    var isTooLarge = false
    /// Whether the server ends, and this connection with the reply.
    var isLast = false
  }

  /// What has come while an answer waits for the store: at most what one turn has brought, since nothing more is read.
  struct Held {
    var parts: [HTTPRequestPart] = []
    /// Whether more was to be read.
    var wantsRead = false
    /// Whether the client has said that nothing more comes, or has sent what cannot be read.
    var hasEnded = false
    var error: (any Error)?
    /// Whether the server ends, and this connection with the reply.
    var isLast = false
  }

  /// The router works on so many requests, and gets what comes.
  case passing(requests: Int)
  /// An answer comes in. The router has nothing to do.
  case reading(Incoming)
  /// An answer waits for the store.
  case storing(Held)

  /// Whether the router has nothing to do, and no answer comes in or waits.
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

  /// An answer begins to come in.
  mutating func beginReading(_ incoming: Incoming) {
    guard isIdle else { return assertionFailure("the connection is busy") }
    self = .reading(incoming)
  }

  /// The answer that comes in is too large.
  mutating func noteTooLarge() {
    guard case .reading(var incoming) = self else { return assertionFailure("no answer comes in") }
    incoming.isTooLarge = true
    self = .reading(incoming)
  }

  /// The end of a request has come; returns the answer that it is, if it is one.
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

  /// The answer waits no more; returns what has come meanwhile.
  mutating func endStoring() -> Held {
    guard case .storing(let held) = self else {
      assertionFailure("no answer waits")
      return Held()
    }
    self = .passing(requests: 0)
    return held
  }

  /// The server ends; returns whether this connection ends with the reply to the answer that comes in or waits.
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

  /// Holds a part while an answer waits; returns whether one does.
  mutating func hold(_ part: HTTPRequestPart) -> Bool { change { $0.parts.append(part) } }

  /// The same for a wish to read more.
  mutating func holdRead() -> Bool { change { $0.wantsRead = true } }

  /// The same for the end of what the client sends.
  mutating func holdEnd() -> Bool { change { $0.hasEnded = true } }

  /// The same for an error.
  mutating func hold(_ error: any Error) -> Bool { change { $0.error = error } }

  /// Holds what was held before, without its first parts, if the next answer waits already; returns whether one does.
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
    // Nobody else has the parts meanwhile, so that they are not copied.
    self = .passing(requests: 0)
    body(&held)
    self = .storing(held)
    return true
  }
}
