import GameHosting
import GameStore
import Synchronization

/// Removes games from memory, or forgets them.
extension GameDirectory {
  /// Removes from memory the finished games that nobody has asked for in a while, and, if there are too many, those that were asked for longest ago.
  func dismiss(at now: ContinuousClock.Instant) {
    let entries = state.withLock { $0.entries.values.filter { $0.runner.isAtRest } }.sorted { $0.lastAsked > $1.lastAsked }
    for (place, entry) in entries.enumerated() {
      guard place >= Self.mostFinished || now - entry.lastAsked >= Self.patience else { continue }
      leave(entry.runner)
    }
    state.withLock { state in state.gone = state.gone.filter { $0.value.runner != nil } }
  }

  func leave(_ runner: GameRunner) {
    let id = runner.stored.id
    state.withLock { state in
      guard state.entries.removeValue(forKey: id) != nil else { return }
      state.codes[runner.stored.code] = nil
      state.order.removeAll { $0 == id }
      state.own.removeAll { $0 === runner }
      state.gone[id] = Gone(runner: runner)
      let counts = runner.desk.counts
      state.counts = (state.counts.recorded + counts.recorded, state.counts.refused + counts.refused)
    }
  }

  /// Returns a game that was removed from memory and that is still referenced.
  func comeBack(_ id: String) -> GameRunner? {
    let runner = state.withLock { state -> GameRunner? in
      guard let runner = state.gone.removeValue(forKey: id)?.runner else { return nil }
      let counts = runner.desk.counts
      // Its own counts are included again.
      state.counts = (state.counts.recorded - counts.recorded, state.counts.refused - counts.refused)
      return runner
    }
    if let runner { keep(runner) }
    return runner
  }

  // MARK: Forgetting

  /// Forgets games that were over before a moment, as ``forget(before:)`` does, and tells the operator about a failure; returns whether it succeeded.
  func retain(since moment: Int64) async -> Bool {
    do throws(StoreError) {
      try await forget(before: moment)
      return true
    } catch {
      say("games and players that are older than --retention says could not be forgotten: \(error); it is tried again in a minute")
      return false
    }
  }

  /// Forgets games that were over before a moment, and those in which nothing has happened since, with all of their players. A game that is to begin
  /// later stays.
  func forget(before moment: Int64) async throws(StoreError) {
    guard cluster.isLeading else { return }
    let idle = Set(try await writer.read { (store) throws(StoreError) in try store.idleGames(since: moment) })
    let candidates = running.filter { runner in
      idle.contains(runner.stored.id) && runner.look { game in max(game.startsAt ?? .min, game.entryOpensAt ?? .min) < moment }
    }
    // Further changes are refused; changes from just before are in the store, which then keeps the game.
    for runner in candidates { await runner.keeper.rest() }
    let ids = candidates.map(\.stored.id)
    do throws(StoreError) { try await writer.write([.forget(before: moment), .forgetIdle(ids, since: moment)]) } catch {
      for runner in candidates { runner.keeper.wake() }
      throw error
    }
    var failure: StoreError?
    for runner in all {
      let id = runner.stored.id
      var isKept = true
      do throws(StoreError) { isKept = try await writer.read { (store) throws(StoreError) in try store.game(id) != nil } } catch {
        // If the store cannot tell, the game stays.
        failure = error
      }
      if isKept {
        if ids.contains(id) { runner.keeper.wake() }
      } else {
        retire(runner)
      }
    }
    if let failure { throw failure }
  }
}
