import Basics
import GameEvents
import GameHosting
import GameServer
import Synchronization

/// A stream of which a test says how far it is, and what becomes of events.
final class FakeInjector: Injector {
  struct Put: Equatable, Sendable {
    var guid: GUID
    var cue: JSONObject
  }

  private struct State {
    var edge: MediaTime?
    var hasEnded = false
    var isAway = false
    var condition = StreamCondition()
    var puts: [Put] = []
    /// What is in the stream, and where.
    var placed: [GUID: (cue: JSONObject, time: MediaTime)] = [:]
    var answer: @Sendable (Put) -> Injection? = { _ in nil }
  }

  private let state = Mutex(State())

  init(edge seconds: Double? = 0) { go(to: seconds) }

  /// Goes on to so many seconds of the programme.
  func go(to seconds: Double?) {
    let edge = seconds.map { MediaTime(seconds: $0) }
    state.withLock { $0.edge = edge }
  }

  /// Nothing is heard of the stream for a while.
  func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

  /// What viewers have of the stream from now on.
  func show(_ condition: StreamCondition) { state.withLock { $0.condition = condition } }

  func end() { state.withLock { $0.hasEnded = true } }

  /// What becomes of events, where the test says it.
  func answer(_ answer: @escaping @Sendable (Put) -> Injection?) { state.withLock { $0.answer = answer } }

  /// Everything that was put, also several times.
  var puts: [Put] { state.withLock { $0.puts } }

  var edge: MediaTime? { state.withLock { $0.edge } }
  var liveEdge: MediaTime? { state.withLock { $0.isAway ? nil : $0.edge } }
  var condition: StreamCondition { state.withLock { $0.condition } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Unless the test says otherwise, an event is in the stream at once, at the live edge; the first one of an identifier counts.
  func put(_ guid: GUID, _ cue: JSONObject) -> Injection {
    let put = Put(guid: guid, cue: cue)
    let answer = state.withLock { state in
      state.puts.append(put)
      return state.answer
    }
    if let injection = answer(put) { return injection }
    return state.withLock { state -> Injection in
      if let known = state.placed[guid] { return known.cue == cue ? .placed(known.time) : .conflict(known.cue) }
      guard let edge = state.edge else { return .accepted }
      state.placed[guid] = (cue, edge)
      return .placed(edge)
    }
  }
}
