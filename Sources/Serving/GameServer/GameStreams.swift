import GameEvents
import GameHosting
import Basics
import Synchronization

/// The streams on which the games of a server are played, by their names. A server that has one stream need not name it.
package final class GameStreams: Sendable {
  /// A stream of games.
  final class Stream: Sendable {
    let name: String
    let injector: SwitchedInjector
    /// Which game the stream belongs to.
    let claim: StreamClaim
    private let place: Mutex<String?>

    init(
      named name: String = GameStreams.usualName, _ injector: (any Injector)?, claim: StreamClaim = StreamClaim(), address: String? = nil
    ) {
      (self.name, self.injector, self.claim) = (name, SwitchedInjector(), claim)
      place = Mutex(address)
      self.injector.change(to: injector)
    }

    /// Where players find it; `nil` if that is not known.
    var address: String? { place.withLock { $0 } }

    fileprivate func move(to address: String?) { place.withLock { $0 = address } }
  }

  private struct State {
    var streams: [String: Stream] = [:]
    /// The names in the order in which streams came.
    var order: [String] = []
    var observer: (@Sendable (Stream) -> Void)?
  }

  private let state = Mutex(State())

  /// The name of the only stream of a server that does not name it.
  package static let usualName = ""

  package init() {}

  /// One stream without a name.
  package convenience init(_ injector: any Injector, address: String?) {
    self.init()
    set(Self.usualName, injector, address: address)
  }

  /// Sets what puts events into a stream; `nil` if the stream is away. Games on the stream go on.
  package func set(_ name: String, _ injector: (any Injector)?, address: String?) {
    let stream = stream(name)
    state.withLock { if !$0.order.contains(name) { $0.order.append(name) } }
    stream.move(to: address)
    stream.injector.change(to: injector)
  }

  /// Forgets a stream that is gone for good. Games on it wait, and new games that name no stream are on another one.
  package func remove(_ name: String) {
    guard let stream = state.withLock({ $0.streams[name] }) else { return }
    state.withLock { $0.order.removeAll { $0 == name } }
    stream.move(to: nil)
    stream.injector.change(to: nil)
  }

  /// The stream of a name; one that is away if nobody has set it.
  func stream(_ name: String) -> Stream {
    let (stream, observer) = state.withLock { state -> (Stream, (@Sendable (Stream) -> Void)?) in
      if let known = state.streams[name] { return (known, nil) }
      let made = Stream(named: name, nil)
      state.streams[name] = made
      state.order.append(name)
      return (made, state.observer)
    }
    observer?(stream)
    return stream
  }

  /// The stream of a game: the one that it names, and otherwise the first.
  func stream(of game: String?) -> Stream { stream(game ?? state.withLock { $0.order.first } ?? Self.usualName) }

  /// The name of the stream that came first; `nil` if it has none.
  var first: String? { state.withLock { $0.order.first }.flatMap { $0.isEmpty ? nil : $0 } }

  /// All streams in the order in which they came.
  var all: [Stream] { state.withLock { state in state.order.compactMap { state.streams[$0] } } }

  /// The names of the streams that are not away.
  var present: [String] { all.filter { !$0.injector.isAway }.map(\.name) }

  /// Calls `body` with each stream, now and whenever one comes.
  func observe(_ body: @escaping @Sendable (Stream) -> Void) {
    let known = state.withLock { state in
      state.observer = body
      return state.order.compactMap { state.streams[$0] }
    }
    for stream in known { body(stream) }
  }
}

/// An injector that another one may take the place of while games go on.
final class SwitchedInjector: Injector {
  private struct State {
    var current: (any Injector)?
    var observers: [@Sendable () -> Void] = []
    /// Those who wait for a programme time of a stream that is away.
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  private var current: (any Injector)? { state.withLock { $0.current } }

  var largestTagSize: Int { current?.largestTagSize ?? TagLimit.standard }

  /// Whether there is no stream at present.
  var isAway: Bool { current == nil }

  /// Uses another injector from now on; `nil` while there is none.
  func change(to injector: (any Injector)?) {
    let waiting = state.withLock { state in
      state.current = injector
      return injector == nil ? [] : exchange(&state.waiting, with: [])
    }
    injector?.onChange { [weak self] in self?.tell() }
    for body in waiting { body() }
    tell()
  }

  private func tell() { for observer in state.withLock({ $0.observers }) { observer() } }

  func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(body) } }

  /// While the stream is away, `body` waits for one, and is called then, which may be early.
  func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void) {
    let current = state.withLock { state in
      if state.current == nil { state.waiting.append(body) }
      return state.current
    }
    current?.wake(at: time, body)
  }

  var edge: MediaTime? { current?.edge }
  var liveEdge: MediaTime? { current?.liveEdge }
  var hasEnded: Bool { current?.hasEnded ?? false }
  var condition: StreamCondition { current?.condition ?? StreamCondition(picture: .down) }

  func put(_ guid: GUID, _ cue: JSONObject) -> Injection { current?.put(guid, cue) ?? .unavailable("the stream is away") }
}
