import AnswerIntake
import Basics
import GameEvents
import GameHosting
import GameJSON
import GameStore
import LiveSession
import Scoring
import Synchronization

/// Runs a game: keeps the strict order of store and tell, puts its events into the stream, and tells its host what happens.
final class GameRunner: Sendable {
  struct State {
    var game: HostedGame
    /// The number of the latest record in it that is in the store.
    var recordNumber = 0
    /// The number of the latest record that the store has told of, whoever has written it.
    var latestNumber = 0
    /// Whether this node writes the records of the game: then it does not follow them.
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
    var information: HostedGame.Outgoing?
    /// Events that the injector has refused, and when to try again.
    var pauses: [GUID: ContinuousClock.Instant] = [:]
    /// What the host was told last of the stream: why the game waits with its next question, or whose answers do not count.
    var warning: String?
    /// What the host was told last of the answers, and when.
    var progress = JSONObject()
    var progressInstant = ContinuousClock.now

    /// Whether something may be done.
    var isReady: Bool { !isBroken && !isResting }
  }

  /// The game as it was made.
  let stored: StoredGame
  /// Takes the answers.
  let desk: AnswerDesk
  /// Tells the host what happens.
  let feed: LiveFeed
  let audience = AudienceCount()
  let lease = HostLease()
  /// Which game the stream belongs to.
  private let claim: StreamClaim
  /// Whether the game may be in the stream.
  private let mayPlay: @Sendable () -> Bool
  /// Whether the game is over, for others who must not wait for it.
  private let isOver = Atomic<Bool>(false)
  private let hasWaited = Atomic<Bool>(false)
  /// How often the host's access was renewed, as the store has it, and how often somebody has begun to.
  private let renewed: Atomic<Int>
  private let renewing: Atomic<Int>
  /// What the operator says of the game: the number of a `StoredGame.Approval`.
  private let approved: Atomic<Int>
  let state: Mutex<State>
  private let writer: StoreWriter
  /// The other nodes; `nil` where this process is the only one.
  let nodes: Nodes?
  let injector: any Injector
  let say: @Sendable (String) -> Void

  /// - Parameters:
  ///   - game: The game as the store has it.
  ///   - recordNumber: The number of its latest record there.
  ///   - answers: What writes answers, where that is not the writer of everything else.
  ///   - say: Receives messages for the operator.
  init(
    _ stored: StoredGame, _ game: HostedGame, recordNumber: Int = 0, _ writer: StoreWriter, answers: StoreWriter? = nil,
    nodes: Nodes? = nil,
    _ injector: any Injector, _ claim: StreamClaim, mayPlay: @escaping @Sendable () -> Bool = { true },
    say: @escaping @Sendable (String) -> Void
  ) {
    (self.stored, self.writer, self.injector, self.claim, self.say) = (stored, writer, injector, claim, say)
    (self.nodes, self.mayPlay) = (nodes, mayPlay)
    feed = nodes == nil ? LiveFeed() : LiveFeed { Int(WallClock.now) }
    renewed = Atomic(stored.hostGeneration)
    renewing = Atomic(stored.hostGeneration)
    approved = Atomic(stored.approval.rawValue)
    isOver.store(game.isOver, ordering: .relaxed)
    if game.start != nil, game.endedAt == nil { _ = claim.take(stored.id) }
    state = Mutex(State(game: game, recordNumber: recordNumber, isOwn: nodes?.isLeading ?? true))
    // The runner does not exist yet when its desk is made.
    let relay = Relay<[PackedAnswer]>()
    desk = AnswerDesk(
      stored.id, answers ?? writer, lag: nodes == nil ? nil : Nodes.questionLag, edge: { injector.liveEdge }, record: relay.send)
    welcome(all: game)
    // Of many nodes each one follows the answers of all, its own among them.
    if nodes == nil { relay.reach { [weak self] answers in self?.record(answers) } } else { relay.reach { _ in } }
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
    HostedGame.Moment(
      edge: injector.edge, wallClock: SteadyClock.now, hasEnded: injector.hasEnded, stream: injector.condition)
  }

  /// Looks at the game.
  func look<Value: Sendable>(_ body: @Sendable (inout HostedGame, HostedGame.Moment) -> Value) -> Value {
    let now = now
    return state.withLock { body(&$0.game, now) }
  }

  /// Whether the game is over.
  var hasEnded: Bool { isOver.load(ordering: .relaxed) }

  /// Whether the game is over, or its end is on the way into the stream.
  var isEnding: Bool { look { game, _ in game.end != nil } }

  /// Takes the stream for this game; returns whether it may be in it.
  func takeStream() -> Bool {
    guard isApproved, mayPlay(), claim.take(stored.id) else {
      if !hasWaited.exchange(true, ordering: .relaxed) {
        let reason = isApproved ? "another game is in the stream" : "the operator has not approved it"
        say("\(stored.id): \(stored.title.visible(.text)) waits: \(reason)")
      }
      return false
    }
    return true
  }

  // MARK: What the operator says of it

  /// What the operator says of the game.
  var approval: StoredGame.Approval { StoredGame.Approval(rawValue: approved.load(ordering: .acquiring)) ?? .open }

  /// Whether the game may be in the stream: the operator's own, and those that the operator has approved.
  var isApproved: Bool { stored.account == nil || approval == .approved }

  /// Records what the operator says of the game, here or on another node.
  func note(_ approval: StoredGame.Approval) {
    let before = approved.exchange(approval.rawValue, ordering: .acquiringAndReleasing)
    if before != approval.rawValue { hasWaited.store(false, ordering: .relaxed) }
  }

  /// Ends all tokens of the host of a game whose account has lost it, which the store knows already.
  func endHostAccess() async {
    noteRenewal(hostGeneration + 1)
    await nodes?.endLease(stored.id, of: nil)
  }

  // MARK: Changing

  /// Whether this node writes down what happens.
  private var leads: Bool { nodes?.isLeading ?? true }

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
    let result: Result<(Value, HostedGame.Change, Bool), HostingProblem> = state.withLock { state in
      do throws(HostingProblem) {
        guard state.isReady else { throw .unavailable }
        let wasOver = state.game.isOver
        // What another node has not written down yet is not known here.
        guard leads else {
          let (value, change, others) = try body(&state.game, now)
          guard change.records.isEmpty else {
            // The lead is lost just now, and what the game has of this has not happened.
            state.generation += 1
            state.isBroken = true
            throw .unavailable
          }
          writer.submit(others) { done(value, $0) }
          return .success((value, change, true))
        }
        state.isOwn = true
        let (value, change, others) = try body(&state.game, now)
        var changes = change.records.map { StoreChange.record(game: stored.id, $0) } + others
        if !wasOver, state.game.isOver { changes.append(.result(outcome(of: &state.game, now))) }
        let kept = changes
        // Who sees the question in the stream may answer at once. A place that is lost is told again by the injector.
        if change.records.contains(where: { if case .placed = $0 { true } else { false } }) { follow(&state.game) }
        // What changes nothing builds on what is being stored, and waits for that, too.
        guard !changes.isEmpty || state.storing > 0 else { return .success((value, change, false)) }
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
        return .success((value, change, true))
      } catch {
        return .failure(error)
      }
    }
    let (value, change, isStored) = try result.get()
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
      // What was not stored has not happened.
      state.generation += 1
      state.isBroken = true
      state.isClosing = []
      return true
    }
    guard failure == nil else {
      if isLost { restore() }
      return
    }
    tell(change)
  }

  /// Makes the game again from the store. Only the store's thread calls this, so that nothing is stored meanwhile.
  private func restore() {
    do throws(StoreError) {
      if let nodes {
        try nodes.exclusively { () throws(StoreError) in try readAnew() }
      } else {
        try readAnew()
      }
      noteReading(nil)
    } catch {
      noteReading(error)
    }
  }

  /// Records why the game cannot be made again, or that it was, and tells the operator once.
  private func noteReading(_ failure: StoreError?) {
    let before = state.withLock { state in
      defer { state.readingFailure = failure }
      return state.readingFailure
    }
    guard before != failure else { return }
    say("\(stored.id): " + (failure.map { "the game cannot be read, and stands still: \($0)" } ?? "the game goes on"))
  }

  /// Why the game cannot be read, so that it stands still; `nil` if it does not.
  var readingFailure: StoreError? { state.withLock { $0.readingFailure } }

  private func readAnew() throws(StoreError) {
    let (settings, known) = state.withLock { ($0.game.settings, $0.recordNumber) }
    var messages: [HostMessage] = []
    let (game, number) = try Self.restored(settings, from: writer.store) { if $0 > known { messages += $1 } }
    state.withLock { state in
      (state.game, state.recordNumber, state.isOwn) = (game, number, nodes?.isLeading ?? true)
      state.isBroken = false
      if game.start == nil { claim.leave(stored.id) }
    }
    welcome(all: game)
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
  }

  /// Does what follows from records that another node has written.
  func noticeRecords(_ messages: [HostMessage]) {
    var change = HostedGame.Change()
    change.messages = messages
    followDesk()
    if state.withLock({ $0.game.start != nil && !$0.game.isOver }) { _ = claim.take(stored.id) }
    tell(change)
  }

  /// Forgets what was not stored.
  func breakOff() {
    state.withLock { state in
      state.generation += 1
      state.isBroken = true
      state.isClosing = []
    }
    writer.submit([]) { [self] _ in if state.withLock({ $0.isBroken }) { restore() } }
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
      guard let nodes else { return decide(index) }
      nodes.close(question: index, of: stored.id) { [self] failure in
        guard failure != nil else { return decide(index) }
        // Whoever leads next closes it again.
        state.withLock { state in
          state.isClosing.remove(index)
          state.game.resume()
        }
      }
    }
  }

  private func decide(_ index: Int) {
    act { game, now in game.decide(index, now: now) }
  }

  private func record(_ answers: [PackedAnswer]) {
    state.withLock { state in
      state.game.record(answers)
    }
  }

  /// Changes the game where nobody waits for it.
  func act(_ body: @Sendable (inout HostedGame, HostedGame.Moment) -> HostedGame.Change) {
    try? commit(now) { (game, now) throws(HostingProblem) in
      ((), body(&game, now), [])
    } done: { _, _ in
    }
  }

  /// Ends the game where nobody leads it any more.
  func end() {
    guard nodes == nil else {
      Task { try? await carryOut(.command(.end, id: Self.endOfAccount)) }
      return
    }
    try? commit(now) { (game, now) throws(HostingProblem) in
      ((), try game.carryOut(.end, id: Self.endOfAccount, now: now), [])
    } done: { _, _ in
    }
  }

  /// What the end of a game is called whose account is gone: it is ended once.
  private static let endOfAccount = "end of the account"

  // MARK: Time

  /// Goes on to now.
  func tick() {
    if state.withLock({ $0.isBroken }) { writer.submit([]) { [self] _ in if state.withLock({ $0.isBroken }) { restore() } } }
    let viewers = audience.viewers(at: .now)
    let now = now
    if leads {
      act { [self] game, now in game.advance(now) { takeStream() } }
      warn(now)
    } else {
      for message in state.withLock({ $0.game.notice(now) }) { feed.send(message.name, message.object) }
    }
    state.withLock { state in
      if leads, let information = state.game.information(viewers: viewers, now: now) { state.information = information }
    }
    tellProgress(viewers)
  }

  /// Tells the operator and the host why a game that follows its plan does not ask its next question, or that answers of usual viewers do not count.
  private func warn(_ now: HostedGame.Moment) {
    let warning: String? = state.withLock { state in
      let isWaiting = state.game.isAutomatic && state.game.start != nil && state.game.current == nil && !state.game.hasAskedAll
      let obstacle = isWaiting ? state.game.obstacle(now).map { "the next question waits: \($0)" } : nil
      let warning = state.game.end == nil ? obstacle ?? state.game.excluded(now) : nil
      defer { state.warning = warning }
      return warning == state.warning ? nil : warning
    }
    guard let warning else { return }
    say("\(stored.id): \(warning)")
    var object = JSONObject()
    object.append("reason", warning)
    feed.send("waiting", object)
  }

  /// Tells the host how many play, and what they have answered, twice a second where that changes.
  private func tellProgress(_ viewers: Int) {
    guard feed.listenerCount > 0 else { return }
    let progress: JSONObject? = state.withLock { state in
      guard state.progressInstant <= .now else { return nil }
      state.progressInstant = .now + .milliseconds(500)
      let progress = Self.progress(&state.game, viewers)
      guard progress != state.progress else { return nil }
      state.progress = progress
      return progress
    }
    if let progress { feed.send("counts", progress) }
  }

  /// How many play, and what they have answered to the question that takes answers.
  static func progress(_ game: inout HostedGame, _ viewers: Int) -> JSONObject {
    var object = JSONObject()
    object.append("players", game.playerCount)
    object.append("viewers", viewers)
    if let index = game.current, game.asked[index].opensAt != nil {
      let counts = game.counts(index)
      object.append("question", game.asked[index].guid.text)
      object.append("number", index + 1)
      object.append("answered", counts.reduce(0, +))
      object.append("counts", counts)
    }
    return object
  }

  // MARK: What came of it

  private func outcome(of game: inout HostedGame, _ now: HostedGame.Moment) -> StoredResult {
    StoredResult(
      game: stored.id, account: stored.account, title: game.settings.title, endedAt: now.wallClock, text: Self.outcome(of: game))
  }

  /// Players, winners and leaders as the store has them.
  private static func outcome(of game: HostedGame) -> String {
    var object = JSONObject()
    if let results = game.boards.last?.results {
      object.append("players", results.playerCount)
      object.append("questions", game.asked.count)
      object.append("winners", results.winners.map { $0.nickname.text })
      object.append("leaders", results.leaders.map(\.object))
    }
    return JSONValue.object(object).text
  }

  // MARK: Players who leave for good

  /// Forgets a player, and returns when nothing of the player is left in the store: neither name nor answers nor contact.
  ///
  /// - Throws: `GameFailure`; then the player stays.
  func remove(_ player: Int) async throws(GameFailure) {
    // What is on its way to the store would come behind what is deleted there.
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      desk.close(player: player) { continuation.resume() }
    }
    do throws(GameFailure) {
      let batches = try await batches(of: player)
      try await change { [id = stored.id] (game, _) throws(HostingProblem) in
        let isThere = (0..<game.scored.roster.count).contains(player)
        let nickname = isThere ? game.scored.roster.nicknames[player].text : ""
        let change = try game.remove(player)
        guard !change.records.isEmpty else { return ((), change, []) }
        let removed = RemovedPlayer(
          game: id, player: player, nickname: nickname, mark: game.key(of: player), result: game.isOver ? Self.outcome(of: game) : nil,
          batches: batches)
        return ((), change, [.removePlayer(removed)])
      }
    } catch {
      desk.reopen(player: player)
      throw error
    }
    // The token is nobody's from now on.
    let key = look { game, _ in game.key(of: player) }
    desk.add(player: player, joined: MediaTime(ticks: .max), key: PlayerKey.hash(key))
  }

  /// The batches that have answers of a player, of whom no more are taken. They are looked for beside the writer, on whom all other answers wait.
  private func batches(of player: Int) async throws(GameFailure) -> [Int] {
    do throws(StoreError) {
      return try await writer.read { [id = stored.id] (store) throws(StoreError) in try store.batches(of: id, with: player) }
    } catch {
      throw .store(error)
    }
  }

  /// Takes out of the store what has come of a player who had left already.
  func removeAgain(_ player: Int) {
    let mark = look { game, _ in game.key(of: player) }
    // The name has gone before.
    writer.submit([.removePlayer(RemovedPlayer(game: stored.id, player: player, nickname: "", mark: mark, result: nil))]) { _ in }
  }

  // MARK: The host's access

  /// How often the host's access was renewed: tokens from before hold no more.
  var hostGeneration: Int { renewed.load(ordering: .acquiring) }

  /// Ends all tokens of the host, and returns, when that is in the store, what new ones are made with.
  func renewHost() async throws(StoreError) -> Int {
    let number = renewing.add(1, ordering: .relaxed).newValue
    try await writer.write([.hostGeneration(game: stored.id, number)])
    noteRenewal(number)
    await nodes?.endLease(stored.id, of: nil)
    return number
  }

  /// Takes over that the host's access was renewed, also on another node.
  func noteRenewal(_ number: Int) {
    _ = renewing.max(number, ordering: .relaxed)
    guard renewed.max(number, ordering: .releasing).oldValue < number else { return }
    lease.end()
  }

  // MARK: Leaving the memory

  /// Whether nobody would notice that the game is not in memory: it is over, and no host listens.
  var isAtRest: Bool { hasEnded && feed.listenerCount == 0 }

  /// Does nothing any more, and returns when all that was taken is in the store.
  func rest() async {
    state.withLock { $0.isResting = true }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in desk.close { continuation.resume() } }
  }

  /// Goes on after a rest.
  func wake() {
    state.withLock { $0.isResting = false }
    followDesk()
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
