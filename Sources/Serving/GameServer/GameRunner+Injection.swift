import GameStore
import Basics
import GameEvents
import GameHosting
import LiveSession
import Synchronization

/// How a game's events come into the stream.
extension GameRunner {
  /// Puts what is ready into the stream. It may wait for a network.
  func inject() {
    let ready: [HostedGame.Outgoing] = state.withLock { state in
      // What is not stored has not happened.
      guard state.underway == 0, state.isReady else { return [] }
      // Nothing overtakes what has to wait.
      return Array(state.game.outgoing.prefix { state.pauses[$0.guid].map { $0 <= .now } ?? true })
    }
    for outgoing in ready {
      // Nothing goes in front of what comes before it.
      guard put(outgoing) else { break }
    }
    guard
      let information = state.withLock({ state in
        defer { state.information = nil }
        return state.information
      })
    else { return }
    _ = injector.put(information.guid, information.cue)
  }

  /// Puts an event; returns whether the injector has it.
  private func put(_ outgoing: HostedGame.Outgoing) -> Bool {
    switch injector.put(outgoing.guid, outgoing.cue) {
    case .placed(let time):
      place(outgoing.guid, at: time)
      return true
    case .accepted: return true
    case .conflict(let cue):
      act { game, _ in game.adopt(cue, for: outgoing.guid) }
      pause(outgoing, for: .milliseconds(100))
    case .ended:
      // The stream takes nothing any more: what is decided counts all the same.
      if let edge = injector.edge { place(outgoing.guid, at: edge) }
    case .unavailable(let reason): pause(outgoing, for: .milliseconds(250), reason)
    case .refused(let reason), .lost(let reason):
      pause(outgoing, for: .seconds(5), reason)
      // The show goes on without it.
      act { game, now in game.withdraw(outgoing.guid, now: now) }
    }
    return false
  }

  private func pause(_ outgoing: HostedGame.Outgoing, for duration: Duration, _ reason: String? = nil) {
    let isNew = state.withLock { state in
      defer { state.pauses[outgoing.guid] = .now + duration }
      return state.pauses[outgoing.guid] == nil
    }
    guard isNew, let reason else { return }
    say("\(stored.id): \(outgoing.cue["event"]?.string ?? "an event") is not in the stream: \(reason)")
    var object = JSONObject()
    object.append("guid", outgoing.guid.text)
    object.append("event", outgoing.cue["event"]?.string ?? "")
    object.append("reason", reason)
    feed.send("waiting", object)
  }

  private func place(_ guid: GUID, at time: MediaTime) {
    act { game, _ in game.place(guid, at: time) }
  }
}
