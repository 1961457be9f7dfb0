import AnswerIntake
import Basics
import GameHosting
import GameStore
import LiveSession
import Scoring
import Synchronization

/// A game that other processes serve as well.
extension GameKeeper {
  /// Applies what this or another process has stored.
  func follow(_ players: [StoredPlayer], _ events: [StoreNews.Event]) {
    var (newPlayers, removed, messages) = ([StoredPlayer](), [Int](), [HostMessage]())
    var late: Set<Int> = []
    var (isMissing, haveChanged) = (false, false)
    let hasRecords: Bool = state.withLock { state in
      for player in players {
        if player.player < state.game.scored.roster.count {
          let isChanged = state.game.alter(player: player.player, nickname: player.nickname, key: player.key, team: player.team)
          haveChanged = haveChanged || isChanged
        } else if player.player == state.game.scored.roster.count,
          state.game.restore(player: player.nickname, key: player.key, at: player.joinedAt, team: player.team)
        {
          newPlayers.append(player)
        }
      }
      let before = state.recordNumber
      for event in events {
        switch event {
        // Answers that cannot be read were reported when they arrived.
        case .answers(let batch):
          guard let answers = try? AnswerBatch.decode(batch.answers.span) else { continue }
          state.game.record(answers, batch: batch.number)
          if state.isOwn, state.game.hasRemovals { late.formUnion(answers.map { Int($0.player) }.filter { state.game.isRemoved($0) }) }
        case .record(let number, let record):
          state.latestNumber = max(state.latestNumber, number)
          // Records of this process are in the game already, and a game that is being made again will have them.
          guard !state.isOwn, !state.isBroken, number > state.recordNumber else { continue }
          // A record was delivered while this process still took the game for its own.
          guard number == state.recordNumber + 1 else {
            isMissing = true
            continue
          }
          state.recordNumber = number
          messages += state.game.restore(record)
          if case .removed(let player) = record { removed.append(player) }
        }
      }
      return state.recordNumber > before
    }
    welcome(newPlayers.map { .player(game: stored.id, $0) })
    if !newPlayers.isEmpty || haveChanged { playersChanged.tell() }
    for player in removed {
      desk.add(player: player, joined: MediaTime(ticks: .max), key: PlayerKey.hash(look { game in game.key(of: player) }))
    }
    if hasRecords {
      noticeRecords(messages)
      changed()
    }
    if isMissing { breakOff() }
    // Another process has accepted an answer before it knew that the player had left: the answer is removed, too.
    for player in late { removeAgain(player) }
  }

  // MARK: Leading

  /// Takes over where the process that led before has stopped.
  func beginToLead() {
    state.withLock { state in
      (state.isOwn, state.isClosing) = (true, [])
      state.game.resume()
    }
  }

  /// Other processes change the game from now on, and their changes are delivered here. A change that was not stored has not happened: then the game
  /// is made again from the store.
  func endToLead() {
    let isWhole = state.withLock { state in
      // Another process may have led before this one noticed.
      guard state.storing == 0, !state.isBroken, state.latestNumber <= state.recordNumber else { return false }
      (state.isOwn, state.isClosing) = (false, [])
      state.game.resume()
      return true
    }
    if !isWhole { breakOff() }
  }

  // MARK: Joining

  /// The player that a client would be if it joined.
  ///
  /// - Throws: `GameFailure`.
  func joining(_ nickname: String, _ key: String, _ team: String?, _ position: MediaTime?) throws(GameFailure) -> HostedGame.Joined {
    do throws(HostingProblem) {
      return try look { (game, now) throws(HostingProblem) in
        try game.joining(nickname, key: key, team: team, position: position, now: now)
      }
    } catch {
      throw .hosting(error)
    }
  }

  /// Waits until this process knows a player, but only for a limited time: the player has joined in any case.
  func follow(upTo player: Int) async {
    await playersChanged.wait(until: .now + Self.joiningPatience) { state.withLock { $0.game.scored.roster.count > player } }
  }

  /// Waits until this process knows a change of a player, but only for a limited time.
  func follow(change player: StoredPlayer) async {
    await playersChanged.wait(until: .now + Self.joiningPatience) {
      look { game in
        game.scored.roster.count > player.player && game.scored.roster.nicknames[player.player].text.hasSameBytes(as: player.nickname)
          && game.team(of: player.player) == player.team
      }
    }
  }

  /// How long the call of a player who has joined waits for that.
  private static let joiningPatience = Duration.seconds(2)
}
