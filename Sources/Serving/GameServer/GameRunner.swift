import Basics
import GameHosting
import GameStore
import LiveSession
import Synchronization

/// A game that runs, with all that makes it go on: what keeps it, its clock, its injection, and who leads it.
final class GameRunner: Sendable {
  let keeper: GameKeeper
  let audience = AudienceCount()
  let access: HostAccess
  private let clock: GameClock
  private let injection: GameInjection
  private let mayTakeStream: StreamPermission

  /// - Parameters:
  ///   - stored: The game as the store has it.
  ///   - recordNumber: The number of its latest record there.
  ///   - answers: What writes answers, if that is not the writer of everything else.
  ///   - mayPlay: Whether the game may be in the stream, whoever has it now.
  ///   - changed: Called when the game may have something else to do than before.
  ///   - say: Receives messages for the operator.
  init(
    _ stored: StoredGame, _ game: HostedGame, recordNumber: Int = 0, _ writer: StoreWriter, answers: StoreWriter? = nil,
    _ cluster: any Cluster, _ injector: any Injector, _ claim: StreamClaim, mayPlay: @escaping @Sendable () -> Bool = { true },
    changed: @escaping @Sendable () -> Void = {}, say: @escaping @Sendable (String) -> Void
  ) {
    keeper = GameKeeper(
      stored, game, recordNumber: recordNumber, writer, answers: answers ?? writer, cluster, injector, claim, changed: changed, say: say)
    access = HostAccess(stored, writer, cluster)
    injection = GameInjection(keeper, injector, say: say)
    let permission = StreamPermission(stored, access, claim, mayPlay: mayPlay, say: say)
    mayTakeStream = permission
    clock = GameClock(keeper, audience, injection, injector, takeStream: { permission.take() }, say: say)
  }

  /// The game as it was made.
  var stored: StoredGame { keeper.stored }
  /// Takes the answers.
  var desk: AnswerDesk { keeper.desk }
  /// Tells the host what happens.
  var feed: LiveFeed { keeper.feed }

  /// Looks at the game.
  func look<Value: Sendable>(_ body: @Sendable (inout HostedGame, HostedGame.Moment) -> Value) -> Value { keeper.look(body) }

  /// Whether the game is over.
  var hasEnded: Bool { keeper.hasEnded }

  /// Whether the game is over, or its end is on the way into the stream.
  var isEnding: Bool { look { game, _ in game.end != nil } }

  /// Goes on to now; returns when the game goes on next by itself, unless something changes before.
  @discardableResult
  func tick() -> ContinuousClock.Instant? { clock.tick() }

  /// Puts what is ready into the stream, which may wait for a network; returns when to try again.
  @discardableResult
  func inject() -> ContinuousClock.Instant? { injection.inject() }

  /// Takes the stream for this game; returns whether it may be in it.
  func takeStream() -> Bool { mayTakeStream.take() }

  /// Records what the operator says of the game, here or in another process.
  func note(_ approval: StoredGame.Approval) {
    guard access.note(approval) else { return }
    mayTakeStream.tellAgain()
    keeper.changed()
  }

  // MARK: What somebody wants

  /// Lets a player join; one who has joined before stays the same player.
  ///
  /// - Throws: `GameFailure`.
  func join(_ nickname: String, key: String, position: MediaTime?) async throws(GameFailure) -> HostedGame.Joined {
    try await keeper.cluster.join(nickname, key: key, position: position, in: keeper)
  }

  /// Does what somebody wants, here if this process leads, or else in the one that does.
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

  /// Does what another process asks for; returns why not, or `nil`.
  func answer(_ request: StoreRequest) async -> HostingProblem? {
    guard let object = (try? JSONValue(parsing: request.text))?.object, let wanted = HostRequest(object) else {
      return .unavailable
    }
    // It would go round in circles.
    guard keeper.cluster.isLeading else { return .unavailable }
    do throws(GameFailure) {
      try await carryOut(wanted)
      return nil
    } catch {
      guard case .hosting(let problem) = error else { return .unavailable }
      return problem
    }
  }

  /// Ends the game, which nobody leads any more. A game that is over needs no end; one whose end could not be stored is ended again by whoever looks for
  /// games that must end.
  func end() {
    guard keeper.cluster.isLeading else {
      Task { [self] in try? await carryOut(.command(.end, id: Self.endOfAccount)) }
      return
    }
    keeper.act { (game, now) throws(HostingProblem) in try game.carryOut(.end, id: Self.endOfAccount, now: now) }
  }

  /// What the end of a game is called whose account is gone: it is ended once.
  private static let endOfAccount = "end of the account"

  // MARK: Leaving the memory

  /// Whether nobody would notice that the game is not in memory: it is over, and no host listens.
  var isAtRest: Bool { hasEnded && feed.listenerCount == 0 }
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

  /// Takes the stream for the game; returns whether it may be in it. The operator is told once why not.
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
