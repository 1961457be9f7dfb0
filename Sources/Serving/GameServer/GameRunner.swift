import Basics
import GameHosting
import GameStore
import LiveSession
import Synchronization

/// A running game with its parts: the keeper, the clock, the injection, and the access of its hosts.
final class GameRunner: Sendable {
  let keeper: GameKeeper
  let audience = AudienceCount()
  let access: HostAccess
  /// Tells screens what they show.
  let stage: Stage
  /// The stream on which the game is played.
  let stream: GameStreams.Stream
  private let clock: GameClock
  private let injection: GameInjection
  private let mayTakeStream: StreamPermission

  /// - Parameters:
  ///   - stored: The game in the store.
  ///   - recordNumber: The number of its latest record in the store.
  ///   - answers: Writes answers, if that is not the writer of everything else.
  ///   - mayPlay: Whether the game may be in the stream, whichever game has it now.
  ///   - changed: Called when there may be something new to do for the game.
  ///   - say: Receives messages for the operator.
  init(
    _ stored: StoredGame, _ game: HostedGame, recordNumber: Int = 0, _ writer: StoreWriter, answers: StoreWriter? = nil,
    _ cluster: any Cluster, _ stream: GameStreams.Stream, mayPlay: @escaping @Sendable () -> Bool = { true },
    changed: @escaping @Sendable () -> Void = {}, say: @escaping @Sendable (String) -> Void
  ) {
    self.stream = stream
    let (injector, claim) = (stream.injector, stream.claim)
    keeper = GameKeeper(
      stored, game, recordNumber: recordNumber, writer, answers: answers ?? writer, cluster, injector, claim, changed: changed, say: say)
    stage = Stage(keeper)
    access = HostAccess(stored, writer, cluster)
    injection = GameInjection(keeper, injector, say: say)
    let permission = StreamPermission(stored, access, claim, mayPlay: mayPlay, say: say)
    mayTakeStream = permission
    clock = GameClock(
      keeper, audience, injection, injector, takeStream: { permission.take() }, leader: { [access] in access.leader }, say: say)
  }

  /// The game as it was made.
  var stored: StoredGame { keeper.stored }
  /// Accepts the answers.
  var desk: AnswerDesk { keeper.desk }
  /// Sends messages to the host.
  var feed: LiveFeed { keeper.feed }

  /// Reads the game.
  func look<Value: Sendable>(_ body: @Sendable (inout HostedGame) -> Value) -> Value { keeper.look(body) }

  /// Reads the game at the current state of the show.
  func look<Value: Sendable>(_ body: @Sendable (inout HostedGame, HostedGame.Moment) -> Value) -> Value { keeper.look(body) }

  /// Whether the game is over.
  var hasEnded: Bool { keeper.hasEnded }

  /// Whether the game is over, or its end is on the way into the stream.
  var isEnding: Bool { look { game in game.end != nil } }

  /// Advances the game to the present; returns when to call this next, unless something changes before.
  @discardableResult
  func tick() -> ContinuousClock.Instant? {
    let (next, stage) = (clock.tick(), stage.tick())
    return [next, stage].compactMap(\.self).min()
  }

  /// Puts the events that are ready into the stream, which may wait for a network; returns when to try again.
  @discardableResult
  func inject() -> ContinuousClock.Instant? { injection.inject() }

  /// Takes the stream for this game; returns whether it may be in it.
  func takeStream() -> Bool { mayTakeStream.take() }

  /// Records the operator's decision about the game, made here or in another process.
  func note(_ approval: StoredGame.Approval) {
    guard access.note(approval) else { return }
    mayTakeStream.tellAgain()
    keeper.changed()
  }

  // MARK: Requests

  /// Adds a player; a client that has joined before stays the same player.
  ///
  /// - Throws: `GameFailure`.
  func join(
    _ nickname: String, key: String, team: String? = nil, position: MediaTime?
  ) async throws(GameFailure) -> HostedGame.Joined {
    try await keeper.cluster.join(nickname, key: key, team: team, position: position, in: keeper)
  }

  /// Carries out a request, here if this process leads, otherwise in the one that does.
  ///
  /// - Throws: `GameFailure`; then nothing has changed.
  func carryOut(_ request: HostRequest) async throws(GameFailure) {
    guard keeper.cluster.isLeading else {
      if let problem = await keeper.cluster.ask(request, of: stored.id) { throw .hosting(problem) }
      return
    }
    switch request {
    case .command(let command, let id):
      try await keeper.change { [self] (game, now) throws(HostingProblem) in
        if command == .next, game.start == nil, game.end == nil, !access.isApproved {
          throw .notNow("the operator has not approved this game for the stream")
        }
        return ((), try game.carryOut(command, id: id, now: now) { takeStream() }, [])
      }
    case .plan(let automatic, let startsAt, let entryOpensAt):
      try await keeper.change { (game, _) throws(HostingProblem) in
        let change = try game.plan(
          automatic: automatic ?? game.isAutomatic, startsAt: startsAt ?? game.startsAt, entryOpensAt: entryOpensAt ?? game.entryOpensAt)
        return ((), change, [])
      }
    case .remove(let player): try await PlayerRemoval(game: keeper).remove(player)
    }
  }

  /// Carries out a request of another process; returns why not, or `nil`.
  func answer(_ request: StoreRequest) async -> HostingProblem? {
    guard let object = (try? JSONValue(parsing: request.text))?.object, let wanted = HostRequest(object) else {
      return .unavailable
    }
    // Passing it on again could go round in circles.
    guard keeper.cluster.isLeading else { return .unavailable }
    do throws(GameFailure) {
      try await carryOut(wanted)
      return nil
    } catch {
      guard case .hosting(let problem) = error else { return .unavailable }
      return problem
    }
  }

  /// Ends the game, which has no host any more. A game that is over needs no end; one whose end could not be stored is ended again when the directory
  /// looks for games that must end.
  func end() {
    guard keeper.cluster.isLeading else {
      Task { [self] in try? await carryOut(.command(.end, id: Self.endOfAccount)) }
      return
    }
    keeper.act { (game, now) throws(HostingProblem) in try game.carryOut(.end, id: Self.endOfAccount, now: now) }
  }

  /// The identifier of the command that ends a game whose account is gone: it is ended once.
  private static let endOfAccount = "end of the account"

  // MARK: Leaving the memory

  /// Whether the game can be removed from memory unnoticed: it is over, and neither a host nor a screen listens.
  var isAtRest: Bool { hasEnded && feed.listenerCount == 0 && stage.isUnused }
}

/// Whether a game may be in the stream.
private final class StreamPermission: Sendable {
  private let stored: StoredGame
  private let access: HostAccess
  private let claim: StreamClaim
  private let mayPlay: @Sendable () -> Bool
  private let say: @Sendable (String) -> Void
  private let hasWaited = Atomic<Bool>(false)

  init(
    _ stored: StoredGame, _ access: HostAccess, _ claim: StreamClaim, mayPlay: @escaping @Sendable () -> Bool,
    say: @escaping @Sendable (String) -> Void
  ) {
    (self.stored, self.access, self.claim, self.mayPlay, self.say) = (stored, access, claim, mayPlay, say)
  }

  /// Takes the stream for the game; returns whether it may be in it. Tells the operator once why not.
  func take() -> Bool {
    if access.isApproved, mayPlay(), claim.take(stored.id) { return true }
    if !hasWaited.exchange(true, ordering: .relaxed) {
      let reason = access.isApproved ? "another game is in the stream" : "the operator has not approved it"
      say("\(stored.id): \(stored.title.visible(.text)) waits: \(reason)")
    }
    return false
  }

  /// Tells the operator again the next time.
  func tellAgain() { hasWaited.store(false, ordering: .relaxed) }
}
