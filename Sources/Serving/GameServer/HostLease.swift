import Synchronization

/// Which host leads a game: one console at a time.
final class HostLease: Sendable {
  /// Where a host leads from, such as a window of a browser: several of them may have the same token.
  struct Console: Equatable, Sendable {
    /// The session of the host's token.
    var session: String
    /// What the host calls the console; `nil` for a command line, which gives it no name.
    var client: String?

    /// What the console is called where several nodes share who leads.
    var name: String { client.map { "\(session) \($0)" } ?? session }
  }

  /// Why a host's stream of messages is ended.
  enum Ending: String, Sendable {
    /// Another console leads now, or the same one has begun another stream.
    case takeover
    /// The host's access has ended.
    case ended = "access-ended"
  }

  /// A stream of messages that counts as the leading console's.
  private struct Stream: Sendable {
    var number: Int
    var end: @Sendable (Ending) -> Void
  }

  private struct State {
    var holder: Console?
    var until = ContinuousClock.now
    var stream: Stream?
    var nextStream = 0

    /// Whether a console may lead: no other one does.
    func isFree(for console: Console) -> Bool { holder == nil || holder == console || (stream == nil && until < .now) }

    mutating func lead(_ console: Console) { (holder, until) = (console, .now + HostLease.duration) }
  }

  private let state = Mutex(State())
  /// A console that says nothing for so long, and listens to nothing, leads no more.
  static let milliseconds = 30_000
  private static let duration = Duration.milliseconds(milliseconds)

  /// Whether a console leads now: no other one does, or this one takes the lead from it.
  func take(_ console: Console, takesOver: Bool = false) -> Bool {
    let (isLeading, old): (Bool, Stream?) = state.withLock { state in
      guard takesOver || state.isFree(for: console) else { return (false, nil) }
      // The console's own stream goes on.
      let old = state.holder == console ? nil : state.stream.take()
      state.lead(console)
      return (true, old)
    }
    old?.end(.takeover)
    return isLeading
  }

  /// Lets a console listen; `nil` if another one leads, unless this one takes the lead from it.
  ///
  /// From a console with a name a new stream takes the place of the old one, which a network may have lost. Without a name nobody knows whether it is
  /// the same place.
  ///
  /// - Parameter end: Ends the stream of messages, once it is not the leading console's any more.
  func listen(_ console: Console, takesOver: Bool, end: @escaping @Sendable (Ending) -> Void) -> Int? {
    let (number, old): (Int?, Stream?) = state.withLock { state in
      let mayListen = state.isFree(for: console) && (state.stream == nil || console.client != nil)
      guard takesOver || mayListen else { return (nil, nil) }
      let old = state.stream
      state.nextStream += 1
      state.lead(console)
      state.stream = Stream(number: state.nextStream, end: end)
      return (state.nextStream, old)
    }
    old?.end(.takeover)
    return number
  }

  /// Records that a console listens no more.
  func leave(_ stream: Int) {
    state.withLock { state in
      guard state.stream?.number == stream else { return }
      (state.stream, state.until) = (nil, .now + Self.duration)
    }
  }

  /// The console that listens, if one does.
  var listener: Console? { state.withLock { $0.stream == nil ? nil : $0.holder } }

  /// Ends the lead of a console, since another one leads on another node.
  func yield(_ console: Console) { end(.takeover) { $0 == console } }

  /// Ends the lead of whoever leads; with a session only if it is one of its consoles.
  func end(_ session: String? = nil) { end(.ended) { session == nil || $0.session == session } }

  private func end(_ ending: Ending, _ isMeant: (Console) -> Bool) {
    let old: Stream? = state.withLock { state in
      guard let holder = state.holder, isMeant(holder) else { return nil }
      defer { (state.holder, state.stream) = (nil, nil) }
      return state.stream
    }
    old?.end(ending)
  }
}
