package import Basics
package import GameEvents
package import GameHosting
import Foundation
import HTTPClient
import LiveGame
package import LiveInterface
package import LiveSession
package import Reach
import Synchronization

/// Puts events into the stream: it alone assigns sequence numbers, and decides which of two events with one identifier counts.
package protocol Injector: Sendable {
  /// The programme time at the live edge; `nil` as long as there is no stream.
  var edge: MediaTime? { get }

  /// The same, if it is current; `nil` if the last report of the stream is too old to decide whether an answer is in time.
  var liveEdge: MediaTime? { get }

  /// Whether the stream has ended for good.
  var hasEnded: Bool { get }

  /// The condition of the stream for viewers.
  var condition: StreamCondition { get }

  /// The largest tag in bytes of an event that it takes.
  var largestTagSize: Int { get }

  /// Puts an event, and returns its place in the stream.
  ///
  /// It may wait for a network, so it is called from a thread of its own.
  func put(_ guid: GUID, _ cue: JSONObject) -> Injection

  /// Which pages have shown an event; `nil` if it is unknown here.
  func reach(of guid: GUID) -> EventReach?

  /// Calls `body` whenever the outcome of an event that was put, or the condition of the stream, has changed. The caller has to query what changed.
  func onChange(_ body: @escaping @Sendable () -> Void)

  /// Calls `body` once, soon after the live edge has reached a time. This is only a hint: the call may come early.
  func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void)
}

extension Injector {
  package var liveEdge: MediaTime? { edge }
  package var condition: StreamCondition { StreamCondition() }
  package var largestTagSize: Int { TagLimit.standard }
  package func reach(of guid: GUID) -> EventReach? { nil }
}

extension StreamCondition {
  /// The condition of a stream, from the state of its input.
  ///
  /// - Parameter delivery: How the stream reaches viewers; `nil` as long as there is nothing to play.
  init(_ input: LiveInputState, _ delivery: StreamDelivery?) {
    switch input {
    case .up: self.init(picture: delivery == nil ? .down : .up)
    case .down: self.init(picture: .down)
    case .ended: self.init(picture: .ended)
    }
    lag = delivery.map { Lag(behind: $0.behind, furthest: $0.furthestBehind, advice: $0.advice) }
  }
}

/// The outcome of an event that was put.
package enum Injection: Equatable, Sendable {
  /// It is in the stream at this time.
  case placed(MediaTime)
  /// It is not in the stream yet, and perhaps not in the journal either.
  case accepted
  /// It will not be in the stream, for this reason.
  case lost(String)
  /// Another event has the identifier; this is its cue.
  case conflict(JSONObject)
  /// The injector refuses it; trying again does not help.
  case refused(String)
  /// The stream has ended, and accepts nothing any more.
  case ended
  /// The injector cannot be reached, or is overloaded.
  case unavailable(String)
}

/// Makes injectors.
package enum Injectors {
  /// The one in this process.
  package static func local(_ session: LiveSession) -> any Injector {
    LocalInjector(
      desk: session.desk, largestTagSize: session.largestTagSize, isOver: { session.situation.hasEnded },
      noteAccepted: { session.noteAccepted($0) },
      look: {
        let situation = session.situation
        var condition = StreamCondition(situation.hasEnded ? .ended : situation.isInputUp ? .up : .down, session.delivery)
        condition.audience = session.reach?.read { $0.audience }
        return condition
      }, lookAtReach: { guid in session.reach?.read { $0.reach(of: guid) } }, observe: { session.onChange($0) })
  }

  /// A foreign injector, to which a session in this process sends events. Its stream never ends for good.
  package static func outbound(_ session: OutboundSession) -> any Injector {
    LocalInjector(
      desk: session.desk, largestTagSize: session.largestTagSize, isOver: { false }, noteAccepted: { _ in }, look: { StreamCondition() },
      observe: { session.onChange($0) })
  }

  /// One in another process, whose time is followed from now on.
  ///
  /// - Parameter token: A publish token.
  package static func remote(_ address: StreamAddress, token: String?) -> any Injector {
    let injector = RemoteInjector(address, token: token)
    injector.start()
    return injector
  }
}

/// The injector in this process.
struct LocalInjector: Injector {
  let desk: EventDesk
  var largestTagSize = TagLimit.standard
  /// Whether the stream has ended for good.
  let isOver: @Sendable () -> Bool
  /// Called with each new event.
  let noteAccepted: @Sendable (EventStatus) -> Void
  /// Returns the condition of the stream.
  let look: @Sendable () -> StreamCondition
  /// Returns which pages have shown an event.
  var lookAtReach: @Sendable (GUID) -> EventReach? = { _ in nil }
  /// Registers an observer of changes.
  let observe: @Sendable (@escaping @Sendable () -> Void) -> Void

  func onChange(_ body: @escaping @Sendable () -> Void) { observe(body) }
  func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void) { desk.wake(at: time, body) }
  func reach(of guid: GUID) -> EventReach? { lookAtReach(guid) }

  var edge: MediaTime? { desk.read { _, now in now.time } }
  var hasEnded: Bool { isOver() }
  var condition: StreamCondition { look() }

  func put(_ guid: GUID, _ cue: JSONObject) -> Injection {
    if let known = desk.read({ game, _ in game.status(guid).map { ($0, game.request(guid)) } }) {
      if let request = known.1, request != cue { return .conflict(request) }
      let injection = Injection(known.0)
      return injection == .accepted && hasEnded ? .ended : injection
    }
    guard !hasEnded else { return .ended }
    let request: LiveRequest
    do throws(LiveProblem) { request = try LiveRequest(json: cue.text) } catch { return .refused("\(error)") }
    do throws(LiveProblem) {
      // This thread may wait: it is not one of those that run Swift's tasks.
      let answer = try desk.accept(request, as: guid)
      if answer.isNew { noteAccepted(answer.status) }
      return Injection(answer.status)
    } catch {
      if case .busy(let reason) = error { return .unavailable(reason) }
      return .refused("\(error)")
    }
  }
}

extension Injection {
  init(_ status: EventStatus) { self.init(status.state, at: status.at, status.reason) }

  /// Reads a status received over HTTP.
  init(_ status: JSONObject) {
    let state = status["state"]?.string.flatMap { EventStatus.State(rawValue: $0) } ?? .accepted
    self.init(state, at: status["at"]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }, status["reason"]?.string)
  }

  private init(_ state: EventStatus.State, at time: MediaTime?, _ reason: String?) {
    switch state {
    case .accepted, .scheduled, .held: self = .accepted
    case .placed, .published: self = time.map { .placed($0) } ?? .accepted
    case .cancelled, .lost: self = .lost(reason ?? "it was taken back")
    }
  }
}

/// The programme time of another process, as it has reported it.
struct FollowedTime: Sendable {
  private var anchor: (time: MediaTime, instant: ContinuousClock.Instant)?
  /// The latest time that a caller was given: the programme time does not go back.
  private var told: MediaTime?
  /// Whether the programme is over.
  private(set) var hasEnded = false

  /// How far the time may go back before it counts as that of another programme.
  private static let largestStep = MediaTime(seconds: 5)
  /// How long the time is extrapolated after the last answer.
  static let patience = Duration.seconds(3)

  /// Records a time that was true at an instant.
  mutating func learn(_ time: MediaTime, at instant: ContinuousClock.Instant, hasEnded: Bool) {
    (anchor, self.hasEnded) = ((time, instant), hasEnded)
    // A larger step back means another programme: the other process has restarted.
    if let told, told - time > Self.largestStep { self.told = time }
  }

  /// The time at an instant; it stands still if the other process has not reported for a while.
  mutating func time(at now: ContinuousClock.Instant) -> MediaTime? {
    guard let anchor else { return nil }
    let time = hasEnded ? anchor.time : anchor.time + MediaTime(seconds: min(now - anchor.instant, Self.patience).inSeconds)
    told = max(told ?? time, time)
    return told
  }

  /// Whether the other process has reported its time lately, or its stream has ended.
  func isCurrent(at now: ContinuousClock.Instant) -> Bool {
    anchor.map { hasEnded || now - $0.instant <= Self.patience } ?? false
  }
}

/// An injector in another process, `cuelight live`.
final class RemoteInjector: Injector {
  private struct State {
    var followed = FollowedTime()
    var condition = StreamCondition()
    /// The latest calls, which have failed.
    var calls = BackOff(RemoteInjector.interval)
    var observers: [@Sendable () -> Void] = []
  }

  private let address: StreamAddress
  private let token: String?
  private let state = Mutex(State())

  /// The other process answers once the event is in the stream, or after half a minute.
  private static let limits = NetworkLimits(
    bytes: 1 << 20, time: .seconds(40), silence: .seconds(35), connecting: .seconds(3), redirects: 0)
  /// How often the other process is asked for its time.
  fileprivate static let interval = Duration.milliseconds(500)

  init(_ address: StreamAddress, token: String?) { (self.address, self.token) = (address, token) }

  /// Begins to follow the other process' time, until nobody needs this injector any more.
  func start() {
    _ = Worker("injector") { [weak self] in
      while let next = self?.followed() { Thread.sleep(forTimeInterval: max(next - .now, .zero).inSeconds) }
    }
  }

  /// Asks for the other process' time; returns when to ask again.
  private func followed() -> ContinuousClock.Instant {
    ask()
    return state.withLock { $0.calls.nextTry } ?? .now + Self.interval
  }

  var edge: MediaTime? { state.withLock { $0.followed.time(at: .now) } }

  var liveEdge: MediaTime? { state.withLock { $0.followed.isCurrent(at: .now) ? $0.followed.time(at: .now) : nil } }

  var hasEnded: Bool { state.withLock { $0.followed.hasEnded } }

  /// The last condition that the other process has reported; without a recent report everything is unknown.
  var condition: StreamCondition {
    state.withLock { $0.followed.isCurrent(at: .now) ? $0.condition : StreamCondition(lag: $0.condition.lag) }
  }

  /// Reads the condition of the stream from an answer. Earlier versions do not report how it reaches viewers.
  static func condition(_ object: JSONObject) -> StreamCondition {
    guard let input = object["input"]?.string.flatMap({ LiveInputState(rawValue: $0) }) else { return StreamCondition() }
    guard let value = object["delivery"] else {
      return StreamCondition(picture: input == .ended ? .ended : input == .up ? .up : .down)
    }
    var condition = StreamCondition(input, value.object.flatMap { StreamDelivery($0) })
    condition.audience = object["audience"]?.object.flatMap { try? AudienceDelay($0) }
    return condition
  }

  private func ask() {
    let before = ContinuousClock.now
    guard case .done(let object?) = call(.getNow, nil, nil), let number = object["at"]?.number,
      let time = MediaTime(decimalSeconds: number.text)
    else { return }
    let after = ContinuousClock.now
    let observers: [@Sendable () -> Void] = state.withLock { state in
      let (wasCurrent, condition) = (state.followed.isCurrent(at: before), state.condition)
      let hadEnded = state.followed.hasEnded
      // The time was read halfway between the request and the answer.
      state.followed.learn(time, at: before + (after - before) / 2, hasEnded: object["input"]?.string == LiveInputState.ended.rawValue)
      state.condition = Self.condition(object)
      let isNew = !wasCurrent || condition != state.condition || hadEnded != state.followed.hasEnded
      return isNew ? state.observers : []
    }
    for observer in observers { observer() }
  }

  func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(body) } }

  /// The time is extrapolated, and so is the moment at which it is reached.
  func wake(at time: MediaTime, _ body: @escaping @Sendable () -> Void) {
    let left = edge.map { max((time - $0).seconds, Self.shortestWait) } ?? Self.interval.inSeconds
    timer.asyncAfter(deadline: .now() + min(left, Self.longestWait), execute: body)
  }

  private let timer = DispatchQueue(label: "injector")
  /// The minimum and maximum waiting time, in seconds.
  private static let (shortestWait, longestWait) = (0.02, 60.0)

  func put(_ guid: GUID, _ cue: JSONObject) -> Injection {
    switch call(.putEvent, guid, cue) {
    // The other process ends with its stream.
    case nil: return hasEnded ? .ended : .unavailable(state.withLock { $0.calls.reason } ?? "no answer")
    case .done(let status?):
      let injection = Injection(status)
      // The other process has waited for long already. It is asked again soon.
      if injection == .accepted {
        timer.asyncAfter(deadline: .now() + 1) { [self] in for observer in state.withLock({ $0.observers }) { observer() } }
      }
      return injection
    case .done(nil), .foreign: return .unavailable("this is no answer of an injector")
    case .refused(let refusal):
      if refusal.kind == "conflict", let known = refusal.object["cue"]?.object { return .conflict(known) }
      guard BackOff.isWorthRetrying(status: refusal.status) || [401, 403, 404].contains(refusal.status) else {
        return .refused(refusal.detail)
      }
      return .unavailable(refusal.detail)
    }
  }

  private func call(_ endpoint: Endpoint, _ guid: GUID?, _ body: JSONObject?) -> LiveReply? {
    var fields = [WebRequest.Field("Accept", "application/json, application/problem+json")]
    if let token { fields.append(.authorization(bearer: token)) }
    if body != nil {
      fields.append(.init("Content-Type", "application/json"))
      fields.append(.init("If-None-Match", "*"))
    }
    let request = WebRequest(
      WebRequest.Method(rawValue: endpoint.route.method) ?? .get,
      url: address.url(of: endpoint, guid: guid?.text, waits: endpoint == .putEvent), fields: fields,
      body: body.map { Array($0.text.utf8) } ?? [])
    do throws(NetworkInputError) {
      let answer = try WebAnswer(to: request, limits: Self.limits) { false }
      state.withLock { _ = $0.calls.succeed() }
      return LiveReply(status: answer.status, body: answer.body)
    } catch {
      state.withLock { _ = $0.calls.fail("\(error)", at: .now) }
      return nil
    }
  }
}
