import Basics
import GameEvents
import GameHosting
import GameStore
import LiveSession
import Reach
import Scoring
import Synchronization

/// Advances a game with time: closes questions, follows the plan, and tells the host how many play and why the game waits.
final class GameClock: Sendable {
  private struct State {
    /// The last warning to the host about the stream: why the game waits with its next question, or whose answers do not count.
    var warning: String?
    /// The last progress sent to the host, and when the next one may be sent.
    var progress = JSONObject()
    var progressInstant = ContinuousClock.now
    /// The programme time for which the injector was last asked to wake the game, when it was asked, and whether the wake-up is pending.
    var wake: (time: MediaTime, instant: ContinuousClock.Instant, isPending: Bool)?
  }

  private let game: GameKeeper
  private let audience: AudienceCount
  private let injection: GameInjection
  private let injector: any Injector
  /// Takes the stream for the game; returns whether the game may be in it.
  private let takeStream: @Sendable () -> Bool
  /// The name of the console that leads; `nil` if none does.
  private let leader: @Sendable () -> String?
  private let say: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// The minimum time before the injector is asked for the same time again.
  private static let shortestWait = Duration.milliseconds(50)

  init(
    _ game: GameKeeper, _ audience: AudienceCount, _ injection: GameInjection, _ injector: any Injector,
    takeStream: @escaping @Sendable () -> Bool, leader: @escaping @Sendable () -> String? = { nil },
    say: @escaping @Sendable (String) -> Void
  ) {
    (self.game, self.audience, self.injection, self.injector) = (game, audience, injection, injector)
    (self.takeStream, self.leader, self.say) = (takeStream, leader, say)
  }

  /// Advances the game to the present; returns when to call this next, unless the injector wakes the game or something changes before.
  @discardableResult
  func tick() -> ContinuousClock.Instant? {
    game.mend()
    let viewers = audience.viewers(at: .now)
    let now = game.now
    if game.cluster.isLeading {
      game.act { [takeStream] game, now in game.advance(now, mayBegin: takeStream) }
      warn(now)
      if let information = game.look({ game, now in game.information(viewers: viewers, now: now) }) {
        injection.add(information: information)
        game.changed()
      }
    } else {
      for message in game.look({ game, now in game.notice(now) }) { game.feed.send(message.name, message.object) }
    }
    tellProgress(viewers)
    return next(now)
  }

  private func next(_ now: HostedGame.Moment) -> ContinuousClock.Instant? {
    let due = game.look { game in game.due(now) }
    var instants: [ContinuousClock.Instant] = []
    if let time = due.wallClock {
      instants.append(.now + max(.milliseconds(time - now.wallClock), time > now.wallClock ? .zero : GameKeeper.retryInterval))
    }
    if let time = due.edge, !now.hasEnded {
      if time > now.edge ?? .zero || now.edge == nil {
        wake(at: time).map { instants.append($0) }
      } else {
        instants.append(.now + GameKeeper.retryInterval)
      }
    }
    if game.isBroken { instants.append(.now + GameKeeper.retryInterval) }
    if game.feed.listenerCount > 0 { instants.append(state.withLock { $0.progressInstant }) }
    return instants.min()
  }

  /// Asks the injector to wake the game once the live edge has reached a time, or a moment before.
  ///
  /// - Returns: When to ask the injector again, if it has just woken the game too early: a stream that ends wakes all games at once.
  private func wake(at time: MediaTime) -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    let (isNew, retry): (Bool, ContinuousClock.Instant?) = state.withLock { state in
      if let last = state.wake, last.time == time {
        guard !last.isPending else { return (false, nil) }
        guard now - last.instant >= Self.shortestWait else { return (false, now + Self.shortestWait) }
      }
      state.wake = (time, now, true)
      return (true, nil)
    }
    guard isNew else { return retry }
    injector.wake(at: time) { [weak self] in
      self?.state.withLock { if $0.wake?.time == time { $0.wake?.isPending = false } }
      self?.game.changed()
    }
    return nil
  }

  /// Tells the operator and the host why a game that follows its plan does not ask its next question, or that answers of usual viewers do not count.
  private func warn(_ now: HostedGame.Moment) {
    let warning: String? = game.look { game in
      let isWaiting = game.isAutomatic && game.start != nil && game.current == nil && !game.hasAskedAll
      let obstacle = isWaiting ? game.obstacle(now).map { "the next question waits: \($0)" } : nil
      return game.end == nil ? obstacle ?? game.excluded(now) : nil
    }
    guard state.withLock({ exchange(&$0.warning, with: warning) != warning }), let warning else { return }
    say("\(game.stored.id): \(warning)")
    game.feed.send("waiting", JSONObject(fields: ["reason": warning]))
  }

  /// Tells the host how many play, and what they have answered, at most twice a second and only if that changes.
  private func tellProgress(_ viewers: Int) {
    guard game.feed.listenerCount > 0, state.withLock({ $0.progressInstant <= .now }) else { return }
    let leader = leader()
    let progress = Self.withReach(game.look { game in Self.progress(&game, viewers, leader: leader) }, injector)
    let isNew = state.withLock { state in
      state.progressInstant = .now + .milliseconds(500)
      return exchange(&state.progress, with: progress) != progress
    }
    if isNew { game.feed.send("counts", progress) }
  }

  /// The same, and how many of the pages that report have shown the question.
  static func withReach(_ progress: JSONObject, _ injector: any Injector) -> JSONObject {
    guard let guid = progress["question"]?.string.flatMap({ GUID($0) }), let reach = injector.reach(of: guid) else { return progress }
    return progress.with("reach", JSONObject(fields: ["shown": reach.shown, "pages": reach.sessions]))
  }

  /// The number of players, what they have answered to the question that accepts answers, and which console leads.
  static func progress(_ game: inout HostedGame, _ viewers: Int, leader: String? = nil) -> JSONObject {
    let object = JSONObject(fields: ["players": game.playerCount, "viewers": viewers]).with("leader", leader)
    guard let index = game.current, game.asked[index].opensAt != nil else { return object }
    let summary = game.summary(index)
    return object.with("question", game.asked[index].guid.text).with("number", index + 1).with("answered", summary?.taken ?? 0)
      .with("counts", summary?.counts ?? []).with("texts", summary?.texts?.object)
  }
}
