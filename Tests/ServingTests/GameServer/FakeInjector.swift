import Basics
import GameEvents
import GameHosting
import GameServer
import Reach
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
    var reached: [GUID: EventReach] = [:]
    /// What is in the stream, and where.
    var placed: [GUID: (cue: JSONObject, time: MediaTime)] = [:]
    var answer: @Sendable (Put) -> Injection? = { _ in nil }
    var observers: [@Sendable () -> Void] = []
    /// Who waits for the live edge, and where.
    var waiting: [(time: MediaTime, body: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  init(edge seconds: Double? = 0) { go(to: seconds) }

  /// Goes on to so many seconds of the programme.
  func go(to seconds: Double?) {
    let edge = seconds.map { MediaTime(seconds: $0) }
    let due = state.withLock { state in
      let isFirst = state.edge == nil
      state.edge = edge
      let due = state.waiting.filter { waiting in edge.map { waiting.time <= $0 } ?? false }
      state.waiting.removeAll { waiting in edge.map { waiting.time <= $0 } ?? false }
      return due.map(\.body) + (isFirst ? state.observers : [])
    }
    for body in due { body() }
  }

  /// Those who wait for the live edge: where.
  var waiting: [MediaTime] { state.withLock { $0.waiting.map(\.time) } }

  func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(body) } }

  func reach(of guid: GUID) -> EventReach? { state.withLock { $0.reached[guid] } }

  /// Sets which pages have shown an event.
  func set(_ reach: EventReach) { state.withLock { $0.reached[reach.guid] = reach } }

  func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if let edge = state.edge, edge >= time { return true }
      state.waiting.append((time, body))
      return false
    }
    if isNow { body() }
  }

  private func change(_ body: (inout State) -> Void) {
    let observers = state.withLock { state in
      body(&state)
      return state.observers
    }
    for observer in observers { observer() }
  }

  /// Nothing is heard of the stream for a while.
  func goAway(_ isAway: Bool) { change { $0.isAway = isAway } }

  /// What viewers have of the stream from now on.
  func show(_ condition: StreamCondition) { change { $0.condition = condition } }

  func end() { change { $0.hasEnded = true } }

  /// What becomes of events, where the test says it.
  func answer(_ answer: @escaping @Sendable (Put) -> Injection?) { change { $0.answer = answer } }

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
