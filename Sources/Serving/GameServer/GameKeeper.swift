import AnswerIntake
import Basics
import Dispatch
import GameEvents
import GameHosting
import GameJSON
import GameStore
import LiveSession
import Scoring
import Synchronization

/// Keeps a game: makes its changes in the strict order of store and tell, follows those of other processes, and makes the game again from the store if
/// something was not stored.
final class GameKeeper: Sendable {
  struct State {
    var game: HostedGame
    /// The number of the latest record in it that is in the store.
    var recordNumber = 0
    /// The number of the latest record that the store has told of, whoever has written it.
    var latestNumber = 0
    /// Whether this process writes the records of the game: then it does not follow them.
    var isOwn = true
    /// How often the game was made again from the store. Changes of the one before are not in it.
    var generation = 0
    /// How many changes are not in the store yet, and how many of them are records.
    var storing = 0
    var underway = 0
    /// What was not stored is still in the game: nothing is done before it is made again.
    var isBroken = false
    /// Why the game cannot be made again; `nil` if it need not be, or nobody has tried.
    var readingFailure: StoreError?
    /// The game may be about to be forgotten: nothing is done.
    var isResting = false
    var isClosing: Set<Int> = []

    /// Whether something may be done.
    var isReady: Bool { !isBroken && !isResting }

    /// What was not stored has not happened.
    mutating func breakOff() {
      generation += 1
      (isBroken, isClosing) = (true, [])
    }
  }

  /// The game as it was made.
  let stored: StoredGame
  /// Takes the answers.
  let desk: AnswerDesk
  /// Tells the host what happens.
  let feed: LiveFeed
  let cluster: any Cluster
  let writer: StoreWriter
  private let injector: any Injector
  /// Which game the stream belongs to.
  private let claim: StreamClaim
  /// Whether the game is over, for others who must not wait for it.
  private let isOver = Atomic<Bool>(false)
  let state: Mutex<State>
  /// Told of players who have joined in any process, and when the game is made again.
  let playersChanged = Changes()
  /// How much time passes before something is tried again that could not be done.
  static let retryInterval = Duration.seconds(1)
  /// Called when the game may have something else to do than before.
  let changed: @Sendable () -> Void
  private let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - stored: The game as the store has it.
  ///   - recordNumber: The number of its latest record there.
  ///   - answers: What writes answers.
  ///   - changed: Called when the game may have something else to do than before.
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
    followDesk()
  }

  /// A game that a store tells of.
  ///
  /// - Parameter told: Receives the number of each record, and what the host is told of it.
  /// - Throws: ``StoreError``.
  static func restored(
    _ settings: HostedGame.Settings, from store: any GameStore, told: (Int, [HostMessage]) -> Void = { _, _ in }
  ) throws(StoreError) -> (game: HostedGame, recordNumber: Int) {
    var game = HostedGame(settings)
    for (index, player) in try store.players(of: settings.id).enumerated() {
      guard player.player == index, game.restore(player: player.nickname, key: player.key, at: player.joinedAt) else {
        throw .foreign("the game \(settings.id) has a damaged player \(index)")
      }
    }
    // Answers are told by their places among the questions, so that these come first.
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

  // MARK: Looking

  /// Where the show is.
  var now: HostedGame.Moment {
    HostedGame.Moment(edge: injector.edge, wallClock: SteadyClock.now, hasEnded: injector.hasEnded, stream: injector.condition)
  }

  /// Looks at the game.
  func look<Value: Sendable, Failure: Error>(
    _ body: @Sendable (inout HostedGame, HostedGame.Moment) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let now = now
    return try state.withLock { (state) throws(Failure) in try body(&state.game, now) }
  }

  /// Whether the game is over.
  var hasEnded: Bool { isOver.load(ordering: .relaxed) }

  /// What is ready to go into the stream, in this order. What is not stored has not happened.
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
    let (value, change, isStored): (Value, HostedGame.Change, Bool) = try state.withLock { (state) throws(HostingProblem) in
      guard state.isReady else { throw .unavailable }
      let wasOver = state.game.isOver
      // What another process has not written down yet is not known here.
      guard cluster.isLeading else {
        let (value, change, others) = try body(&state.game, now)
        guard change.records.isEmpty else {
          // The lead is lost just now, and what the game has of this has not happened.
          state.generation += 1
          state.isBroken = true
          throw .unavailable
        }
        writer.submit(others) { done(value, $0) }
        return (value, change, true)
      }
      state.isOwn = true
      let (value, change, others) = try body(&state.game, now)
      var changes = change.records.map { StoreChange.record(game: stored.id, $0) } + others
      if !wasOver, state.game.isOver { changes.append(.result(outcome(of: &state.game, now))) }
      let kept = changes
      // Whoever sees the question in the stream may answer at once. A place that is lost is told again by the injector.
      if change.records.contains(where: { if case .placed = $0 { true } else { false } }) { follow(&state.game) }
      // What changes nothing builds on what is being stored, and waits for that, too.
      guard !changes.isEmpty || state.storing > 0 else { return (value, change, false) }
      let isEvent = !change.records.isEmpty
      state.storing += 1
      state.underway += isEvent ? 1 : 0
      let generation = state.generation
      // Within the lock, so that the store has the changes in the order in which the game has them.
      writer.submit(changes, isValid: { [self] in self.state.withLock { $0.generation == generation } }) { [self] failure in
        finish(change, isEvent: isEvent, generation, failure)
        if failure == nil { welcome(kept) }
        done(value, failure)
      }
      return (value, change, true)
    }
    guard !isStored else { return }
    tell(change)
    done(value, nil)
  }

  /// Lets new players answer, before they are told that they may.
  func welcome(_ changes: [StoreChange]) {
    for case .player(_, let player) in changes {
      desk.add(player: player.player, joined: player.joinedAt ?? MediaTime(ticks: .min), key: PlayerKey.hash(player.key))
    }
  }

  private func finish(_ change: HostedGame.Change, isEvent: Bool, _ generation: Int, _ failure: StoreError?) {
    let isLost = state.withLock { state in
      state.storing -= 1
      state.underway -= isEvent ? 1 : 0
      guard state.generation == generation else { return false }
      guard failure != nil else {
        state.recordNumber += change.records.count
        return false
      }
      state.breakOff()
      return true
    }
    guard failure == nil else {
      if isLost { restore() }
      // At once it would fail again: a disk may be full for hours.
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval.inSeconds) { [changed] in changed() }
      return
    }
    tell(change)
  }

  /// Makes the game again from the store. Only the store's thread calls this, so that nothing is stored meanwhile.
  private func restore() {
    do throws(StoreError) {
      try cluster.exclusively { () throws(StoreError) in try readAnew() }
      noteReading(nil)
    } catch {
      noteReading(error)
    }
  }

  /// Records why the game cannot be made again, or that it was, and tells the operator once.
  private func noteReading(_ failure: StoreError?) {
    guard state.withLock({ exchange(&$0.readingFailure, with: failure) != failure }) else { return }
    say("\(stored.id): " + (failure.map { "the game cannot be read, and stands still: \($0)" } ?? "the game goes on"))
  }

  /// Why the game cannot be read, so that it stands still; `nil` if it does not.
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
    // What others have done meanwhile, or this node without hearing of it.
    noticeRecords(messages)
  }

  private func welcome(all game: HostedGame) {
    for player in 0..<game.scored.roster.count {
      desk.add(player: player, joined: game.joinTime(of: player), key: PlayerKey.hash(game.key(of: player)))
    }
  }

  private func tell(_ change: HostedGame.Change) {
    if let index = change.closing { close(index) }
    if !change.records.isEmpty { followDesk() }
    if !hasEnded, state.withLock({ $0.game.isOver }) {
      isOver.store(true, ordering: .relaxed)
      claim.leave(stored.id)
    }
    for message in change.messages { feed.send(message.name, message.object) }
    if !change.records.isEmpty { changed() }
  }

  /// Does what follows from records that another process has written.
  func noticeRecords(_ messages: [HostMessage]) {
    var change = HostedGame.Change()
    change.messages = messages
    followDesk()
    if state.withLock({ $0.game.start != nil && !$0.game.isOver }) { _ = claim.take(stored.id) }
    tell(change)
  }

  /// Whether something was not stored, so that nothing is done before the game is made again.
  var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Makes the game again from the store if something was not stored.
  func mend() {
    guard isBroken else { return }
    writer.submit([]) { [self] _ in
      guard isBroken else { return }
      restore()
      changed()
    }
  }

  /// Forgets what was not stored.
  func breakOff() {
    state.withLock { $0.breakOff() }
    mend()
    changed()
  }

  private func follow(_ game: inout HostedGame) { desk.follow(AnswerDesk.Rules(windows: game.windows, barred: game.barred())) }

  private func followDesk() {
    // Within the lock, so that older rules never replace newer ones.
    state.withLock { state in if !state.isResting { follow(&state.game) } }
  }

  /// Lets the answers to a question come to rest, and decides.
  private func close(_ index: Int) {
    let guid: GUID? = state.withLock { state in
      guard state.isClosing.insert(index).inserted, state.game.asked.indices.contains(index) else { return nil }
      return state.game.asked[index].guid
    }
    guard let guid else { return }
    desk.close(guid) { [self] in
      cluster.close(question: index, of: stored.id) { [self] failure in
        guard failure != nil else { return act { game, now in game.decide(index, now: now) } }
        // Whoever leads next closes it again.
        state.withLock { state in
          state.isClosing.remove(index)
          state.game.resume()
        }
      }
    }
  }

  private func record(_ answers: [PackedAnswer]) { state.withLock { $0.game.record(answers) } }

  /// Changes the game; nobody waits for it.
  func act(_ body: @Sendable (inout HostedGame, HostedGame.Moment) throws(HostingProblem) -> HostedGame.Change) {
    try? commit(now, { (game, now) throws(HostingProblem) in ((), try body(&game, now), []) }, done: { _, _ in })
  }

  // MARK: What came of it

  private func outcome(of game: inout HostedGame, _ now: HostedGame.Moment) -> StoredResult {
    StoredResult(
      game: stored.id, account: stored.account, title: game.settings.title, endedAt: now.wallClock, text: Self.outcome(of: game))
  }

  /// Players, winners and leaders as the store has them.
  static func outcome(of game: HostedGame) -> String {
    guard let results = game.boards.last?.results else { return JSONObject().text }
    return JSONObject(fields: [
      "players": results.playerCount, "questions": game.asked.count, "winners": results.winners.map { $0.nickname.text },
      "leaders": results.leaders.map(\.object),
    ]).text
  }

  /// Takes out of the store what has come of a player who had left already.
  func removeAgain(_ player: Int) {
    let mark = look { game, _ in game.key(of: player) }
    // The name has gone before.
    writer.submit([.removePlayer(RemovedPlayer(game: stored.id, player: player, nickname: "", mark: mark, result: nil))]) { _ in }
  }

  // MARK: Leaving the memory

  /// Stops doing anything, and returns when all that was taken is in the store.
  func rest() async {
    state.withLock { $0.isResting = true }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in desk.close { continuation.resume() } }
  }

  /// Goes on after a rest.
  func wake() {
    state.withLock { state in
      (state.isResting, state.isClosing) = (false, [])
      // A question whose answers came to rest meanwhile was not decided.
      state.game.resume()
    }
    followDesk()
    changed()
  }

  /// Ends for good: the game is forgotten.
  func retire() {
    isOver.store(true, ordering: .relaxed)
    claim.leave(stored.id)
    feed.close()
  }
}

/// Why a game has not done what it was asked.
enum GameFailure: Error, Sendable {
  case hosting(HostingProblem)
  case store(StoreError)
}
