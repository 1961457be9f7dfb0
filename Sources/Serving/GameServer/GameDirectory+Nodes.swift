import GameHosting
import GameStore
import LiveSession

/// Games that several nodes serve.
extension GameDirectory: ClusterListener {
  func answer(_ request: StoreRequest) async -> HostingProblem? {
    guard let runner = game(request.game) else { return .unavailable }
    return await runner.answer(request)
  }

  func follow(_ news: StoreNews) {
    var players: [String: [StoredPlayer]] = [:]
    for (game, player) in news.players { players[game, default: []].append(player) }
    let events = Dictionary(grouping: news.entries, by: \.game).mapValues { $0.map(\.event) }
    for id in Set(players.keys).union(events.keys) { inMemory(id)?.keeper.follow(players[id] ?? [], events[id] ?? []) }
    for stored in news.games {
      guard let runner = inMemory(stored.id) else {
        comeToKnow(stored)
        continue
      }
      runner.access.noteRenewal(stored.hostGeneration)
      runner.note(stored.approval)
      // The account is gone, or the operator has barred the game; any node may have received that.
      guard cluster.isLeading, !runner.hasEnded else { continue }
      if mustEnd(stored, hasBegun: runner.look { game in game.start != nil }) { runner.end() }
    }
  }

  func lead(_ leads: Bool) {
    say(leads ? "this node leads" : "another node leads")
    for runner in all where !runner.hasEnded { if leads { runner.keeper.beginToLead() } else { runner.keeper.endToLead() } }
    if leads { endUnwanted() }
  }

  var ownViewers: [String: Int] {
    let counts = all.filter { !$0.hasEnded }.map { ($0.stored.id, $0.audience.ownViewers(at: .now)) }
    return Dictionary(counts.filter { $0.1 > 0 }) { $1 }
  }

  /// Records what the nodes exchange every few seconds: the numbers of viewers of other nodes, who leads as host, and which games are forgotten.
  func meet(_ others: [String: Int], _ nodes: Nodes) {
    var failure: StoreError?
    for runner in all {
      runner.audience.add(others: others[runner.stored.id] ?? 0)
      let lease = runner.access.lease
      do throws(StoreError) {
        for session in lease.sessions where try nodes.store.isRevoked(session: session) { lease.end(session) }
        if runner.feed.listenerCount > 0 { runner.access.note(leader: try nodes.store.leader(of: runner.stored.id)) }
        guard let console = lease.listener else { continue }
        if try !nodes.store.lease(runner.stored.id, to: console.name, milliseconds: HostLease.milliseconds, takesOver: false) {
          runner.access.lease.yield(console)
        }
      } catch {
        failure = error
      }
    }
    nodes.report(.consoles, failure)
    // Read before the names, so that games that are made in the meantime are not taken for forgotten ones.
    let known = all
    let names = nodes.attempt(.forgotten) { () throws(StoreError) in try nodes.store.gameNames() }
    for runner in known where names?.contains(runner.stored.id) == false { retire(runner) }
  }
}
