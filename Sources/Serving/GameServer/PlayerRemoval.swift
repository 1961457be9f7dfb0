import Basics
import GameHosting
import GameStore
import Scoring

/// Removes players from a game for good, with everything that is stored about them.
struct PlayerRemoval: Sendable {
  let game: GameKeeper

  /// Forgets a player, and returns when nothing about the player is left in the store: neither name nor answers nor contact.
  ///
  /// - Throws: `GameFailure`; then the player stays.
  func remove(_ player: Int) async throws(GameFailure) {
    // Answers on the way to the store would be stored after the deletion.
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      game.desk.close(player: player) { continuation.resume() }
    }
    do throws(GameFailure) {
      let batches = try await batches(of: player)
      try await game.change { [id = game.stored.id] (hosted, _) throws(HostingProblem) in
        let isThere = (0..<hosted.scored.roster.count).contains(player)
        let nickname = isThere ? hosted.scored.roster.nicknames[player].text : ""
        let change = try hosted.remove(player)
        guard !change.records.isEmpty else { return ((), change, []) }
        let removed = RemovedPlayer(
          game: id, player: player, nickname: nickname, mark: hosted.key(of: player),
          result: hosted.isOver ? GameKeeper.outcome(of: hosted) : nil,
          batches: batches)
        return ((), change, [.removePlayer(removed)])
      }
    } catch {
      game.desk.reopen(player: player)
      throw error
    }
    // The token belongs to nobody from now on.
    let key = game.look { hosted in hosted.key(of: player) }
    game.desk.add(player: player, joined: MediaTime(ticks: .max), key: PlayerKey.hash(key))
  }

  /// The batches with answers of a player, whose answers are no longer accepted. This search does not use the writer, for which all other answers
  /// wait.
  private func batches(of player: Int) async throws(GameFailure) -> [Int] {
    do throws(StoreError) {
      return try await game.writer.read { [id = game.stored.id] (store) throws(StoreError) in try store.batches(of: id, with: player) }
    } catch {
      throw .store(error)
    }
  }
}
