import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameStore
import Scoring
import Synchronization

/// A game that many nodes serve.
extension GameRunner {
  // MARK: Following

  /// Takes over what other nodes have stored, or this one.
  func follow(_ players: [StoredPlayer], _ events: [StoreNews.Event]) {
    var (newPlayers, removed, messages) = ([StoredPlayer](), [Int](), [HostMessage]())
    var late: Set<Int> = []
    var isMissing = false
    let hasRecords: Bool = state.withLock { state in
      for player in players where player.player == state.game.scored.roster.count {
        if state.game.restore(player: player.nickname, key: player.key, at: player.joinedAt) { newPlayers.append(player) }
      }
      let before = state.recordNumber
      for event in events {
        switch event {
        // What cannot be read was told when it came.
        case .answers(let batch):
          guard let answers = try? AnswerBatch.decode(batch.answers.span) else { continue }
          state.game.record(answers, batch: batch.number)
          if state.isOwn, state.game.hasRemovals { late.formUnion(answers.map { Int($0.player) }.filter { state.game.isRemoved($0) }) }
        case .record(let number, let record):
          state.latestNumber = max(state.latestNumber, number)
          // What this node has written itself is in the game already, and a game that is made again will have it.
          guard !state.isOwn, !state.isBroken, number > state.recordNumber else { continue }
          // One was told while this node still took it for its own.
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
    for player in removed {
      desk.add(player: player, joined: MediaTime(ticks: .max), key: PlayerKey.hash(look { game, _ in game.key(of: player) }))
    }
    if hasRecords { noticeRecords(messages) }
    if isMissing { breakOff() }
    // Another node has taken an answer before it knew that the player had left: it goes, too.
    for player in late { removeAgain(player) }
  }

  // MARK: Leading

  /// Goes on where the node that led before has stopped.
  func beginToLead() {
    state.withLock { state in
      (state.isOwn, state.isClosing) = (true, [])
      state.game.resume()
    }
  }

  /// Others change the game from now on, which is told here. What was not stored has not happened: then the game is made again from the store.
  func endToLead() {
    let isWhole = state.withLock { state in
      // Another one may have led before this one has noticed.
      guard state.storing == 0, !state.isBroken, state.latestNumber <= state.recordNumber else { return false }
      (state.isOwn, state.isClosing) = (false, [])
      state.game.resume()
      return true
    }
    if !isWhole { breakOff() }
  }

  /// Does what somebody wants, here where this node leads, or else where that is done.
  ///
  /// - Throws: `GameFailure`; then nothing has changed.
  func carryOut(_ request: HostRequest) async throws(GameFailure) {
    if let nodes, !nodes.isLeading {
      guard let outcome = await nodes.ask(request.object, of: stored.id) else { throw .hosting(.unavailable) }
      if let problem = HostingProblem(outcome) { throw .hosting(problem) }
      return
    }
    switch request {
    case .command(let command, let id):
      try await change { [self] (game, now) throws(HostingProblem) in
        if command == .next, game.start == nil, game.end == nil, !isApproved {
          throw .notNow("the operator has not approved this game for the stream")
        }
        return ((), try game.carryOut(command, id: id, now: now) { takeStream() }, [])
      }
    case .plan(let automatic, let startsAt, let entryOpensAt):
      try await change { (game, _) throws(HostingProblem) in
        let change = try game.plan(
          automatic: automatic ?? game.isAutomatic, startsAt: startsAt ?? game.startsAt, entryOpensAt: entryOpensAt ?? game.entryOpensAt)
        return ((), change, [])
      }
    case .remove(let player): try await remove(player)
    }
  }

  /// Does what another node asks for; what became of it.
  func answer(_ request: StoreRequest) async -> JSONObject {
    guard let object = (try? JSONValue(parsing: request.text))?.object, let wanted = HostRequest(object) else { return JSONObject() }
    do throws(GameFailure) {
      guard nodes?.isLeading ?? true else { throw .hosting(.unavailable) }
      try await carryOut(wanted)
      return JSONObject()
    } catch {
      guard case .hosting(let problem) = error else { return HostingProblem.unavailable.object }
      return problem.object
    }
  }

  // MARK: Joining

  /// Lets a player join; one who has joined before stays the same player.
  ///
  /// - Throws: `GameFailure`.
  func join(_ nickname: String, key: String, position: MediaTime?) async throws(GameFailure) -> HostedGame.Joined {
    let id = stored.id
    guard let nodes else {
      return try await change { (hosted, now) throws(HostingProblem) in
        let joined = try hosted.join(nickname, key: key, position: position, now: now)
        let player = StoredPlayer(player: joined.player, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt)
        return (joined, HostedGame.Change(), joined.isKnown ? [] : [.player(game: id, player)])
      }
    }
    var joined = try joining(nickname, key, position)
    guard !joined.isKnown else { return joined }
    let (most, endsEntry) = look { game, _ in (game.settings.rules.mostPlayers, game.settings.endsEntry) }
    let outcome: JoinOutcome
    do throws(StoreError) {
      outcome = try await nodes.join(
        JoiningPlayer(
          game: id, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt, most: most, endsEntry: endsEntry))
    } catch {
      throw .store(error)
    }
    switch outcome {
    case .joined(let player):
      joined.player = player
      await follow(upTo: player)
      return joined
    case .known(let player):
      // The client has asked another node before, which this one hears of now.
      await follow(upTo: player)
      return try joining(nickname, key, position)
    case .nicknameTaken: throw .hosting(look { game, _ in game.taken(nickname) })
    case .full: throw .hosting(.full)
    case .entryClosed: throw .hosting(.entryClosed)
    case .gone: throw .hosting(.ended)
    }
  }

  private func joining(_ nickname: String, _ key: String, _ position: MediaTime?) throws(GameFailure) -> HostedGame.Joined {
    let result: Result<HostedGame.Joined, HostingProblem> = look { game, now in
      do throws(HostingProblem) { return .success(try game.joining(nickname, key: key, position: position, now: now)) } catch {
        return .failure(error)
      }
    }
    do throws(HostingProblem) { return try result.get() } catch { throw .hosting(error) }
  }

  /// Waits until this node knows a player, but not for ever: the player has joined all the same.
  private func follow(upTo player: Int) async {
    for _ in 0..<100 {
      if look({ game, _ in game.scored.roster.count > player }) { return }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  // MARK: The host

  /// Whether a console leads the game: no other one does, on any node, or this one takes the lead from it.
  func lead(_ console: HostLease.Console, takesOver: Bool = false) async -> Bool {
    // Where the store cannot say who leads, it cannot take a command either.
    await nodes?.lease(stored.id, to: console, takesOver: takesOver) ?? lease.take(console, takesOver: takesOver)
  }
}
