import Basics
import GameEvents
import GameHosting
import GameStore
import LiveSession
import Synchronization

/// Puts a game's events into the stream.
final class GameInjection: Sendable {
  private struct State {
    /// Information about the audience that is waiting for the stream.
    var information: HostedGame.Outgoing?
    /// Events that the injector has refused, and when to try again.
    var pauses: [GUID: ContinuousClock.Instant] = [:]
  }

  private let game: GameKeeper
  private let injector: any Injector
  private let say: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(_ game: GameKeeper, _ injector: any Injector, say: @escaping @Sendable (String) -> Void) {
    (self.game, self.injector, self.say) = (game, injector, say)
  }

  /// Sends information about the audience with the next events. It replaces information that was not sent yet.
  func add(information: HostedGame.Outgoing) { state.withLock { $0.information = information } }

  /// Puts the events that are ready into the stream. It may wait for a network.
  ///
  /// - Returns: When to try again with the events that could not be put; `nil` if there are none, or if the injector reports their outcome itself.
  @discardableResult
  func inject() -> ContinuousClock.Instant? {
    let (now, outgoing) = (ContinuousClock.now, game.outgoing)
    let ready = state.withLock { state in
      state.pauses = state.pauses.filter { pause in outgoing.contains { $0.guid == pause.key } }
      // An event must not overtake an earlier one that has to wait.
      return outgoing.prefix { state.pauses[$0.guid].map { $0 <= now } ?? true }
    }
    for outgoing in ready {
      // If an event fails, the events after it wait.
      guard put(outgoing) else { break }
    }
    if let information = state.withLock({ $0.information.take() }) { _ = injector.put(information.guid, information.cue) }
    return state.withLock { $0.pauses.values.filter { $0 > now }.min() }
  }

  /// Puts an event; returns whether the injector has it.
  private func put(_ outgoing: HostedGame.Outgoing) -> Bool {
    switch injector.put(outgoing.guid, outgoing.cue) {
    case .placed(let time):
      place(outgoing.guid, at: time)
      return true
    case .accepted: return true
    case .conflict(let cue):
      game.act { game, _ in game.adopt(cue, for: outgoing.guid) }
      pause(outgoing, for: .milliseconds(100))
    case .ended:
      // The stream accepts nothing any more: decided events count all the same.
      place(outgoing.guid, at: injector.edge ?? .zero)
    case .unavailable(let reason): pause(outgoing, for: .milliseconds(250), reason)
    case .refused(let reason), .lost(let reason):
      pause(outgoing, for: .seconds(5), reason)
      // The show continues without the event.
      game.act { game, now in game.withdraw(outgoing.guid, now: now) }
    }
    return false
  }

  private func pause(_ outgoing: HostedGame.Outgoing, for duration: Duration, _ reason: String? = nil) {
    let before = state.withLock { $0.pauses.updateValue(.now + duration, forKey: outgoing.guid) }
    guard before == nil, let reason else { return }
    say("\(game.stored.id): \(outgoing.cue["event"]?.string ?? "an event") is not in the stream: \(reason)")
    let object = JSONObject(fields: ["guid": outgoing.guid.text, "event": outgoing.cue["event"]?.string ?? "", "reason": reason])
    game.feed.send("waiting", object)
  }

  private func place(_ guid: GUID, at time: MediaTime) {
    game.act { game, _ in game.place(guid, at: time) }
  }
}
