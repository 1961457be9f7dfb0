import Synchronization

/// Which host leads a game: one at a time.
final class HostLease: Sendable {
  /// Why a host's stream of messages is ended.
  enum Ending: String, Sendable {
    /// Another host leads now, or the same one elsewhere.
    case takeover
    /// The host's access has ended.
    case ended = "access-ended"
  }

  /// A stream of messages that counts as the host's.
  private struct Stream: Sendable {
    var number: Int
    /// What the host calls the place where it listens, such as a window of a browser.
    var client: String?
    var end: @Sendable (Ending) -> Void
  }

  private struct State {
    var holder: String?
    var until = ContinuousClock.now
    var stream: Stream?
    var nextStream = 0
  }

  private let state = Mutex(State())
  /// A host who says nothing for so long, and listens to nothing, has left.
  static let milliseconds = 30_000
  private static let duration = Duration.milliseconds(milliseconds)

  /// Whether a host may lead: nobody else does.
  func take(_ session: String) -> Bool {
    state.withLock { state in
      let isFree = state.holder == nil || state.holder == session || (state.stream == nil && state.until < .now)
      guard isFree else { return false }
      (state.holder, state.until) = (session, .now + Self.duration)
      return true
    }
  }

  /// Lets a host listen; `nil` where another host does, or the same one elsewhere, unless this one takes over.
  ///
  /// - Parameters:
  ///   - client: What the host calls the place where it listens: from there a new stream takes the place of an old one, which a network may have lost.
  ///   - end: Ends the stream of messages, once it is not the host's any more.
  func listen(_ session: String, client: String? = nil, takesOver: Bool, end: @escaping @Sendable (Ending) -> Void) -> Int? {
    let (number, old): (Int?, Stream?) = state.withLock { state in
      let isOther = state.holder != session && state.holder != nil && (state.stream != nil || state.until >= .now)
      let isBack = client != nil && state.stream?.client == client
      guard takesOver || (!isOther && (state.stream == nil || isBack)) else { return (nil, nil) }
      let old = state.stream
      state.nextStream += 1
      (state.holder, state.until) = (session, .now + Self.duration)
      state.stream = Stream(number: state.nextStream, client: client, end: end)
      return (state.nextStream, old)
    }
    old?.end(.takeover)
    return number
  }

  /// Records that a host listens no more.
  func leave(_ stream: Int) {
    state.withLock { state in
      guard state.stream?.number == stream else { return }
      (state.stream, state.until) = (nil, .now + Self.duration)
    }
  }

  /// The session that listens, if one does.
  var listener: String? { state.withLock { $0.stream == nil ? nil : $0.holder } }

  /// Lets a session lead no more, since another one does on another node.
  func yield(_ session: String) { end(session, .takeover) }

  /// Lets nobody lead any more; with a session only where it does.
  func end(_ session: String? = nil) { end(session, .ended) }

  private func end(_ session: String?, _ ending: Ending) {
    let old: Stream? = state.withLock { state in
      guard session == nil || state.holder == session else { return nil }
      defer { (state.holder, state.stream) = (nil, nil) }
      return state.stream
    }
    old?.end(ending)
  }
}
