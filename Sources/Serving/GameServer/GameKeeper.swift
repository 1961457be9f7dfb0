import AnswerIntake
import Basics
import Dispatch
import GameEvents
import GameHosting
import GameJSON
import GameStore
import LiveSession
import PublicRecord
import Scoring
import Synchronization

/// Keeps a game: stores each change before it answers the caller, tells the host or puts an event into the stream, applies the changes of other
/// processes, and makes the game again from the store if a change was not stored. Reading may see a change that is being stored.
final class GameKeeper: Sendable {
  struct State {
    var game: HostedGame
    /// The number of the latest stored record that the game contains.
    var recordNumber = 0
    /// The number of the latest record that the store has delivered, whichever process has written it.
    var latestNumber = 0
    /// Whether this process writes the records of the game: then it does not apply delivered ones.
    var isOwn = true
    /// How many times the game had to be made again from the store. Changes of an earlier generation are dropped.
    var generation = 0
    /// The number of changes that are not stored yet, and how many of them have records.
    var storing = 0
    var underway = 0
    /// The game contains changes that were not stored: it refuses changes until it is made again.
    var isBroken = false
    /// Why the game cannot be made again; `nil` if it need not be, or if that was not tried yet.
    var readingFailure: StoreError?
    /// Why the store refused the last change; `nil` if it has it.
    var refusal: StoreError?
    /// Why the public record could not be signed the last time; `nil` if it was.
    var signingFailure: RecordSigningError?
    /// The game may be about to be forgotten: it refuses changes.
    var isResting = false
    var isClosing: Set<Int> = []

    /// Whether changes are accepted.
    var isReady: Bool { !isBroken && !isResting }

    /// Changes that were not stored have not happened.
    mutating func breakOff() {
      generation += 1
      (isBroken, isClosing) = (true, [])
    }
  }

  /// The game as it was made.
  let stored: StoredGame
  /// Accepts the answers.
  let desk: AnswerDesk
  /// Sends messages to the host.
  let feed: LiveFeed
  let cluster: any Cluster
  let writer: StoreWriter
  private let injector: any Injector
  /// Which game the stream belongs to.
  private let claim: StreamClaim
  /// Whether the game is over, for callers that must not wait for the lock of the game.
  private let isOver = Atomic<Bool>(false)
  let state: Mutex<State>
  /// Signals that players have joined in any process, or that the game was made again.
  let playersChanged = Changes()
  /// How long to wait before a failed change is tried again.
  static let retryInterval = Duration.seconds(1)
  /// Called when there may be something new to do for the game.
  let changed: @Sendable () -> Void
  /// Receives why the game stands still, or why a change of it was not stored; `nil` when it goes on.
  let troubles = Relay<String?>()
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - stored: The game in the store.
  ///   - recordNumber: The number of its latest record in the store.
  ///   - answers: Writes answers.
  ///   - changed: Called when there may be something new to do for the game.
  ///   - say: Receives messages for the operator.
  init(
    _ stored: StoredGame, _ game: HostedGame, recordNumber: Int, _ writer: StoreWriter, answers: StoreWriter, _ cluster: any Cluster,
    _ injector: any Injector, _ claim: StreamClaim, changed: @escaping @Sendable () -> Void, say: @escaping @Sendable (String) -> Void
  ) {
    (self.stored, self.writer, self.cluster, self.injector) = (stored, writer, cluster, injector)
    (self.claim, self.changed, self.say) = (claim, changed, say)
    feed = cluster.makeFeed()
    isOver.store(game.isOver, ordering: .relaxed)
    if game.start != nil, game.endedAt == nil { _ = claim.take(stored.id) }
    state = Mutex(State(game: game, recordNumber: recordNumber, isOwn: cluster.isLeading))
    // The keeper does not exist yet when its desk is made.
    let relay = Relay<[PackedAnswer]>()
    desk = AnswerDesk(stored.id, answers, lag: cluster.questionLag, edge: { injector.liveEdge }, record: relay.send)
    welcome(all: game)
    let returnsAnswers = cluster.returnsAnswers
    relay.reach { [weak self] answers in if !returnsAnswers { self?.record(answers) } }
    giveRules()
  }

  /// Makes a game from the store.
  ///
  /// - Parameter told: Receives the number of each record, and the resulting messages to the host.
  /// - Throws: ``StoreError``.
  static func restored(
    _ settings: HostedGame.Settings, from store: any GameStore, told: (Int, [HostMessage]) -> Void = { _, _ in }
  ) throws(StoreError) -> (game: HostedGame, recordNumber: Int) {
    var game = HostedGame(settings)
    for (index, player) in try store.players(of: settings.id).enumerated() {
      guard player.player == index,
        game.restore(player: player.nickname, key: player.key, at: player.joinedAt, team: player.team)
      else {
        throw .foreign("the game \(settings.id) has a damaged player \(index)")
      }
    }
    // Answers refer to questions by number, so that the records have to be applied first.
    let records = try store.records(of: settings.id)
    for (index, record) in records.enumerated() { told(index + 1, game.restore(record)) }
    var failure: ParseError?
    try store.batches(of: settings.id) { batch in
      do throws(ParseError) { game.record(try AnswerBatch.decode(batch.answers.span), batch: batch.number) } catch { failure = error }
    }
    if let failure { throw .foreign("the game \(settings.id) has damaged answers: \(failure)") }
    game.republish()
    game.resume()
    return (game, records.count)
  }

  // MARK: Reading

  /// The current state of the show.
  var now: HostedGame.Moment {
    HostedGame.Moment(edge: injector.edge, wallClock: SteadyClock.now, hasEnded: injector.hasEnded, stream: injector.condition)
  }

  /// Reads the game.
  func look<Value: Sendable>(_ body: @Sendable (inout HostedGame) -> Value) -> Value { state.withLock { body(&$0.game) } }

  /// Reads the game at the current state of the show, which asks the stream for its time and condition.
  func look<Value: Sendable, Failure: Error>(
    _ body: @Sendable (inout HostedGame, HostedGame.Moment) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let now = now
    return try state.withLock { (state) throws(Failure) in try body(&state.game, now) }
  }

  /// Whether the game is over.
  var hasEnded: Bool { isOver.load(ordering: .relaxed) }

  /// The events that are ready for the stream, in this order. A change that was not stored has not happened.
  var outgoing: [HostedGame.Outgoing] {
    state.withLock { state in state.underway == 0 && state.isReady ? state.game.outgoing : [] }
  }

  // MARK: Changing

  /// Changes the game, and returns when the change is in the store.
  ///
  /// - Throws: `GameFailure`; then nothing has changed.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> (Value, HostedGame.Change, [StoreChange])
  ) async throws(GameFailure) -> Value {
    let result: Result<Value, GameFailure> = await withCheckedContinuation { continuation in
      let now = now
      do throws(HostingProblem) {
        try commit(now, body) { value, failure in
          continuation.resume(returning: failure.map { .failure(.store($0)) } ?? .success(value))
        }
      } catch {
        continuation.resume(returning: .failure(.hosting(error)))
      }
    }
    return try result.get()
  }

  /// Changes the game, and calls `done` when the change is in the store.
  private func commit<Value: Sendable>(
    _ now: HostedGame.Moment,
    _ body: (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> (Value, HostedGame.Change, [StoreChange]),
    done: @escaping @Sendable (Value, StoreError?) -> Void
  ) throws(HostingProblem) {
    var signingFailure: RecordSigningError?
    defer { if let signingFailure { refuse(signingFailure) } }
    let (value, change, isSubmitted): (Value, HostedGame.Change, Bool) = try state.withLock { (state) throws(HostingProblem) in
      guard state.isReady else { throw .unavailable }
      let wasOver = state.game.isOver
      // What another process has not stored yet is unknown here.
      guard cluster.isLeading else {
        let (value, change, others) = try body(&state.game, now)
        guard change.records.isEmpty else {
          // The lead was lost just now, and this change of the game has not happened.
          state.breakOff()
          throw .unavailable
        }
        writer.submit(others) { done(value, $0) }
        return (value, change, true)
      }
      state.isOwn = true
      let (value, change, others) = try body(&state.game, now)
      guard change.signingFailure == nil else {
        // Nothing of a change is stored without the lines of the public record that tell of it.
        signingFailure = change.signingFailure
        state.breakOff()
        throw .unavailable
      }
      var changes = change.records.map { StoreChange.record(game: stored.id, $0) } + others
      if !wasOver, state.game.isOver { changes.append(.result(outcome(of: &state.game, now))) }
      let kept = changes
      // Whoever sees the question in the stream may answer at once. If the record of its place is lost, the injector reports the place again.
      if change.records.contains(where: { if case .placed = $0 { true } else { false } }) { giveRules(of: &state.game) }
      // A reply that changes nothing may rest on changes that are being stored, so it waits for them.
      guard !changes.isEmpty || state.storing > 0 else { return (value, change, false) }
      let isEvent = !change.records.isEmpty
      state.storing += 1
      state.underway += isEvent ? 1 : 0
      let generation = state.generation
      // Submitted within the lock, so that the store gets the changes in the order in which the game made them.
      writer.submit(changes, isValid: { [self] in self.state.withLock { $0.generation == generation } }) { [self] failure in
        finish(change, isEvent: isEvent, generation, failure)
        if failure == nil { welcome(kept) }
        done(value, failure)
      }
      return (value, change, true)
    }
    guard !isSubmitted else { return }
    tell(change)
    done(value, nil)
  }

  /// Lets the desk know new players before they are told that they may answer.
  func welcome(_ changes: [StoreChange]) {
    for case .player(_, let player) in changes {
      desk.add(player: player.player, joined: player.joinedAt ?? MediaTime(ticks: .min), key: PlayerKey.hash(player.key))
    }
  }

  private func finish(_ change: HostedGame.Change, isEvent: Bool, _ generation: Int, _ failure: StoreError?) {
    let (isLost, refusal) = state.withLock { state -> (Bool, StoreError?) in
      state.storing -= 1
      state.underway -= isEvent ? 1 : 0
      guard state.generation == generation else { return (false, nil) }
      guard let failure else {
        state.recordNumber += change.records.count
        state.refusal = nil
        if state.signingFailure != nil, change.records.contains(where: { if case .recorded = $0 { true } else { false } }) {
          state.signingFailure = nil
        }
        return (false, nil)
      }
      state.breakOff()
      let isNew = failure.isRefusal && exchange(&state.refusal, with: failure) != failure
      return (true, isNew ? failure : nil)
    }
    // `StoreWriter` tells why nothing can be stored.
    if let refusal {
      say("\(stored.id): the store refuses a change of the game: \(refusal)")
      troubles.send("\(refusal)")
    }
    guard failure == nil else {
      if isLost { restore() }
      retryLater()
      return
    }
    tell(change)
  }

  private func retryLater() {
    // An immediate retry would fail again: a disk may be full for hours.
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval.inSeconds) { [changed] in changed() }
  }

  private func refuse(_ failure: RecordSigningError) {
    noteSigning(failure)
    retryLater()
  }

  /// Records that a line or a receipt of the public record cannot be signed, and tells the operator once.
  func noteSigning(_ failure: RecordSigningError) {
    guard state.withLock({ exchange(&$0.signingFailure, with: failure) != failure }) else { return }
    let reason = "the public record cannot be signed: \(failure)"
    say("\(stored.id): \(reason)")
    troubles.send(reason)
  }

  /// Makes the game again from the store. Only the store's thread calls this, so that nothing is stored in the meantime.
  private func restore() {
    do throws(StoreError) {
      try cluster.exclusively { () throws(StoreError) in try readAnew() }
      noteReading(nil)
    } catch {
      noteReading(error)
    }
  }

  /// Records why the game cannot be made again, or that it was made again, and tells the operator once.
  private func noteReading(_ failure: StoreError?) {
    guard state.withLock({ exchange(&$0.readingFailure, with: failure) != failure }) else { return }
    say("\(stored.id): " + (failure.map { "the game cannot be read, and stands still: \($0)" } ?? "the game goes on"))
    troubles.send(failure.map { "\($0)" })
  }

  /// Why the game cannot be read and is therefore stopped; `nil` if it is not.
  var readingFailure: StoreError? { state.withLock { $0.readingFailure } }

  private func readAnew() throws(StoreError) {
    let (settings, known) = state.withLock { ($0.game.settings, $0.recordNumber) }
    var messages: [HostMessage] = []
    let (game, number) = try Self.restored(settings, from: writer.store) { if $0 > known { messages += $1 } }
    state.withLock { state in
      (state.game, state.recordNumber, state.isOwn) = (game, number, cluster.isLeading)
      state.isBroken = false
      if game.start == nil { claim.leave(stored.id) }
    }
    welcome(all: game)
    playersChanged.tell()
    // Changes that others have made in the meantime, or that this node has made without learning that they were stored.
    noticeRecords(messages)
  }

  private func welcome(all game: HostedGame) {
    for player in 0..<game.scored.roster.count {
      desk.add(player: player, joined: game.joinTime(of: player), key: PlayerKey.hash(game.key(of: player)))
    }
  }

  private func tell(_ change: HostedGame.Change) {
    if let index = change.closing { close(index) }
    if !change.records.isEmpty { giveRules() }
    if !hasEnded, state.withLock({ $0.game.isOver }) {
      isOver.store(true, ordering: .relaxed)
      claim.leave(stored.id)
    }
    for message in change.messages { feed.send(message.name, message.object) }
    if !change.records.isEmpty { changed() }
  }

  /// Carries out the consequences of records that another process has written.
  func noticeRecords(_ messages: [HostMessage]) {
    var change = HostedGame.Change()
    change.messages = messages
    giveRules()
    if state.withLock({ $0.game.start != nil && !$0.game.isOver }) { _ = claim.take(stored.id) }
    tell(change)
  }

  /// Whether a change was not stored, so that changes are refused until the game is made again.
  var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Makes the game again from the store if a change was not stored.
  func mend() {
    guard isBroken else { return }
    writer.submit([]) { [self] _ in
      guard isBroken else { return }
      restore()
      changed()
    }
  }

  /// Discards changes that were not stored.
  func breakOff() {
    state.withLock { $0.breakOff() }
    mend()
    changed()
  }

  private func giveRules(of game: inout HostedGame) { desk.apply(AnswerDesk.Rules(windows: game.windows, barred: game.barred())) }

  private func giveRules() {
    // Applied within the lock, so that older rules never replace newer ones.
    state.withLock { state in if !state.isResting { giveRules(of: &state.game) } }
  }

  /// Waits until all accepted answers to a question are stored, and decides.
  private func close(_ index: Int) {
    let guid: GUID? = state.withLock { state in
      guard state.isClosing.insert(index).inserted, state.game.asked.indices.contains(index) else { return nil }
      return state.game.asked[index].guid
    }
    guard let guid else { return }
    desk.close(guid) { [self] in
      cluster.close(question: index, of: stored.id) { [self] failure in
        guard failure != nil else { return act { game, now in game.decide(index, now: now) } }
        // The next leading process closes it again.
        state.withLock { state in
          state.isClosing.remove(index)
          state.game.resume()
        }
      }
    }
  }

  private func record(_ answers: [PackedAnswer]) { state.withLock { $0.game.record(answers) } }

  /// Changes the game without waiting for the store.
  func act(_ body: @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> HostedGame.Change) {
    try? commit(now, { (game, now) throws(HostingProblem) in ((), try body(&game, now), []) }, done: { _, _ in })
  }

  // MARK: Outcome

  private func outcome(of game: inout HostedGame, _ now: HostedGame.Moment) -> StoredResult {
    StoredResult(
      game: stored.id, account: stored.account, title: game.settings.title, endedAt: now.wallClock, text: Self.outcome(of: game))
  }

  /// Players, winners and leaders in the form for the store.
  static func outcome(of game: HostedGame) -> String {
    guard let results = game.boards.last?.results else { return JSONObject().text }
    return JSONObject(fields: [
      "players": results.playerCount, "questions": game.asked.count, "winners": results.winners.map { $0.nickname.text },
      "leaders": results.leaders.map(\.object),
    ]).with("teams", game.boards.last?.teams?.prefix(HostedGame.boardCount).map(\.object)).text
  }

  /// Removes what was stored about a player who had already left.
  func removeAgain(_ player: Int) {
    let mark = look { game in game.key(of: player) }
    // The name was removed earlier.
    writer.submit([.removePlayer(RemovedPlayer(game: stored.id, player: player, nickname: "", mark: mark, result: nil))]) { _ in }
  }

  // MARK: Leaving the memory

  /// Refuses changes from now on, and returns when all accepted changes are in the store.
  func rest() async {
    state.withLock { $0.isResting = true }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in desk.close { continuation.resume() } }
  }

  /// Accepts changes again after ``rest()``.
  func wake() {
    state.withLock { state in
      (state.isResting, state.isClosing) = (false, [])
      // A question whose last answers were stored in the meantime was not decided.
      state.game.resume()
    }
    giveRules()
    changed()
  }

  /// Ends for good: the game is forgotten.
  func retire() {
    isOver.store(true, ordering: .relaxed)
    claim.leave(stored.id)
    feed.close()
  }
}

/// Why a game has not carried out a request.
enum GameFailure: Error, Sendable {
  case hosting(HostingProblem)
  case store(StoreError)
}
