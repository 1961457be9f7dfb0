import Synchronization

/// Which host leads a game: one console at a time. Others may watch.
final class HostLease: Sendable {
  /// A place from which a host leads, such as a window of a browser: several of them may have the same token.
  struct Console: Equatable, Sendable {
    /// The session of the host's token.
    var session: String
    /// The host's name for the console; `nil` for a command line, which gives it no name.
    var client: String?

    /// The name of the console in a lease that several nodes share.
    var name: String { client.map { "\(session) \($0)" } ?? session }

    /// The name that the host has given to the console of a name in a lease; empty without one.
    static func client(ofName name: String) -> String {
      name.split(separator: " ", maxSplits: 1).dropFirst().first.map { String($0) } ?? ""
    }
  }

  /// Why a host's stream of messages ends.
  enum Ending: String, Sendable {
    /// Another console leads now, or the same one has begun another stream.
    case takeover
    /// The host's access has ended.
    case ended = "access-ended"
  }

  /// A stream of messages.
  private struct Stream: Sendable {
    var number: Int
    var console: Console
    var end: @Sendable (Ending) -> Void
  }

  private struct State {
    var holder: Console?
    var until = ContinuousClock.now
    /// The stream of the leading console.
    var stream: Stream?
    /// The streams of consoles that listen without leading.
    var watching: [Stream] = []
    var nextStream = 0

    /// Whether a console may lead: no other one does.
    func isFree(for console: Console) -> Bool { holder == nil || holder == console || (stream == nil && until < .now) }

    /// A new stream, and the one of the same console that it replaces among those that watch: a network may have lost it.
    mutating func add(_ console: Console, _ end: @escaping @Sendable (Ending) -> Void) -> (Stream, old: Stream?) {
      nextStream += 1
      let index = console.client == nil ? nil : watching.firstIndex { $0.console == console }
      return (Stream(number: nextStream, console: console, end: end), index.map { watching.remove(at: $0) })
    }

    mutating func lead(_ console: Console) { (holder, until) = (console, .now + HostLease.duration) }
  }

  private let state = Mutex(State())
  /// How long a lease lasts for a console that makes no calls and does not listen.
  static let milliseconds = 30_000
  private static let duration = Duration.milliseconds(milliseconds)

  /// Takes the lead for a console; returns whether it leads: no other one does, or `takesOver` ends the other's lead.
  func take(_ console: Console, takesOver: Bool = false) -> Bool {
    let (isLeading, old): (Bool, Stream?) = state.withLock { state in
      guard takesOver || state.isFree(for: console) else { return (false, nil) }
      // The console's own stream continues.
      let old = state.holder == console ? nil : state.stream.take()
      state.lead(console)
      return (true, old)
    }
    old?.end(.takeover)
    return isLeading
  }

  /// Lets a console listen; returns `nil` if another one leads and `takesOver` is false.
  ///
  /// A new stream from a console with a name replaces the old one, which a network may have lost. Without a name it is unknown whether both come from
  /// the same place.
  ///
  /// - Parameter end: Ends the stream of messages, once it no longer belongs to the leading console.
  func listen(_ console: Console, takesOver: Bool, end: @escaping @Sendable (Ending) -> Void) -> Int? {
    let (number, old): (Int?, [Stream?]) = state.withLock { state in
      let mayListen = state.isFree(for: console) && (state.stream == nil || console.client != nil)
      guard takesOver || mayListen else { return (nil, []) }
      let (stream, watching) = state.add(console, end)
      let old = state.stream
      state.lead(console)
      state.stream = stream
      return (stream.number, [old, watching])
    }
    for case let stream? in old { stream.end(.takeover) }
    return number
  }

  /// Lets a console listen without leading; returns `nil` if too many do.
  ///
  /// - Parameter end: Ends the stream of messages once the host's access has ended, or the same console has begun another stream.
  func watch(_ console: Console, end: @escaping @Sendable (Ending) -> Void) -> Int? {
    let (number, old): (Int?, Stream?) = state.withLock { state in
      let (stream, old) = state.add(console, end)
      guard state.watching.count < Self.mostWatching else { return (nil, old) }
      state.watching.append(stream)
      return (stream.number, old)
    }
    old?.end(.takeover)
    return number
  }

  /// The maximum number of consoles that listen to a game without leading it.
  static let mostWatching = 16

  /// Records that a console no longer listens.
  func leave(_ stream: Int) {
    state.withLock { state in
      state.watching.removeAll { $0.number == stream }
      guard state.stream?.number == stream else { return }
      (state.stream, state.until) = (nil, .now + Self.duration)
    }
  }

  /// The console that listens, if one does.
  var listener: Console? { state.withLock { $0.stream == nil ? nil : $0.holder } }

  /// The console that leads; `nil` if none does.
  var leader: Console? { state.withLock { $0.stream != nil || $0.until > .now ? $0.holder : nil } }

  /// The sessions of the consoles that listen.
  var sessions: Set<String> { state.withLock { state in Set((state.watching + [state.stream].compactMap(\.self)).map(\.console.session)) } }

  /// Ends the lead of a console, since another one leads on another node.
  func yield(_ console: Console) { end(.takeover) { $0 == console } }

  /// Ends the current lead, and the streams of all consoles; with a session, only those of consoles that belong to it.
  func end(_ session: String? = nil) {
    end(.ended) { session == nil || $0.session == session }
    let watching: [Stream] = state.withLock { state in
      let ended = state.watching.filter { session == nil || $0.console.session == session }
      state.watching.removeAll { session == nil || $0.console.session == session }
      return ended
    }
    for stream in watching { stream.end(.ended) }
  }

  private func end(_ ending: Ending, _ isMeant: (Console) -> Bool) {
    let old: Stream? = state.withLock { state in
      guard let holder = state.holder, isMeant(holder) else { return nil }
      defer { (state.holder, state.stream) = (nil, nil) }
      return state.stream
    }
    old?.end(ending)
  }
}
