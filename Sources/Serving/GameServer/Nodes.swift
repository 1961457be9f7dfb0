import Basics
import Dispatch
import GameHosting
import GameStore
import LibC
import LiveSession
import Synchronization
import WebSupport

/// Makes this process one of many nodes: it applies what the others have stored, leads if no other node does, and passes requests to the leading
/// node.
final class Nodes: Cluster {
  private struct Join: Sendable {
    var player: JoiningPlayer
    var done: @Sendable (Result<JoinOutcome, StoreError>) -> Void
  }

  private struct Waiting: Sendable {
    var until: ContinuousClock.Instant
    var done: @Sendable (JSONObject?) -> Void
  }

  private struct State {
    weak var listener: (any ClusterListener)?
    var place: Int64
    /// Whether the place was set back since the store was last available.
    var isSetBack = false
    var waiting: [String: Waiting] = [:]
    /// Requests that are being answered.
    var answering: Set<String> = []
    /// When this node last knew of all finished changes.
    var lastStep = ContinuousClock.now
    var underway = 0
    var failure: StoreError?
    var troubles = NodeTroubles()
    /// Why nothing can be written, and since when.
    var writing: (failure: StoreError, since: ContinuousClock.Instant)?
  }

  let store: any SharedStore
  /// Ensures that games are changed by news, or read again, one at a time.
  private let folding = Mutex(())
  private let state: Mutex<State>
  /// The number of the term in which games here are led; 0 if this node does not lead.
  private let leading = Atomic<Int>(0)
  private let stop = StopFlag()
  private let isLeaving = Atomic<Bool>(false)
  private let joins = JobQueue<Join>()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let slow = DispatchQueue(label: "nodes", attributes: .concurrent)

  /// How often it looks for changes of other nodes without being woken.
  private static let interval = Duration.milliseconds(100)
  /// The minimum interval however often it is woken: each commit of each node wakes all nodes.
  private static let shortestInterval = Duration.milliseconds(20)
  /// The minimum interval at which a node stores answers. Larger batches cost all nodes and the database less, and a player waits a hundredth of a
  /// second more.
  static let commitInterval = Duration.milliseconds(10)
  /// How often it tries to lead, or checks that it still does.
  private static let leadInterval = Duration.milliseconds(500)
  private static let presenceInterval = Duration.seconds(AudienceCount.interval)
  /// How far back it reads after the store was away: a standby that has taken over, or a server after a crash, reuses the numbers of transactions
  /// that were lost. News that is delivered twice changes nothing.
  private static let setBack: Int64 = 1_000
  /// How long the database must be away before clients are told to send no more: answers wait for it that long. A standby usually replaces it sooner.
  private static let grace = Duration.seconds(4)
  /// After this long without an answer the database counts as gone.
  private static let silence = Duration.seconds(2)
  /// How long another node may take to answer a request.
  private static let patience = Duration.seconds(6)
  /// The maximum time, when all is well, until this node knows what another one has done.
  private static let longestLag = DispatchTimeInterval.milliseconds(300)
  /// The maximum difference between the numbers that two nodes give to the same message, in milliseconds.
  let messageOverlap = 5_000
  /// The maximum number of waiting players.
  private static let mostJoining = 20_000

  init(_ store: any SharedStore) throws(StoreError) {
    self.store = store
    state = Mutex(State(place: try store.place()))
  }

  var questionLag: DispatchTimeInterval? { Self.longestLag }
  /// Among many nodes, each applies the answers of all nodes, including its own.
  var returnsAnswers: Bool { true }

  func makeFeed() -> LiveFeed { LiveFeed { Int(WallClock.now) } }

  /// Whether this node leads.
  var isLeading: Bool { store.leadNumber.map { $0 == leading.load(ordering: .acquiring) } ?? false }

  /// How long ago this node last knew of all finished changes, and how many unfinished changes of the database nobody can know yet.
  var lag: (seconds: Double, underway: Int)? {
    state.withLock { ((ContinuousClock.now - $0.lastStep).inSeconds, $0.underway) }
  }

  /// Why the store could last not be followed or written to.
  var failure: StoreError? {
    state.withLock { state in
      if let failure = state.failure ?? state.writing?.failure { return failure }
      return ContinuousClock.now - state.lastStep < Self.silence ? nil : .unavailable("the database does not answer")
    }
  }

  /// Why the store cannot be used, if that has lasted for a while.
  var lastingFailure: StoreError? {
    let since = state.withLock { state in min(state.lastStep, state.writing?.since ?? state.lastStep) }
    return ContinuousClock.now - since < Self.grace ? nil : failure
  }

  func start(_ listener: any ClusterListener) {
    state.withLock { $0.listener = listener }
    store.requireLead()
    workers.withLock { workers in
      workers = [
        Worker("follow") { [self] in
          while !stop.isSet {
            if !waitForNews() { stop.wait(until: .now + Self.interval) }
            let start = ContinuousClock.now
            // A node that was away for long catches up step by step.
            while !stop.isSet, step() {}
            stop.wait(until: start + Self.shortestInterval)
          }
        },
        Worker("lead") { [self] in
          while !stop.isSet {
            lead()
            stop.wait(until: .now + Self.leadInterval)
          }
        },
        Worker("join") { [self] in while let waiting = joins.take(seconds: 1) { join(waiting) } },
        Worker("presence") { [self] in
          while !stop.isSet {
            stop.wait(until: .now + (exchange() ? Self.presenceInterval : Self.leadInterval))
          }
        },
      ]
    }
  }

  /// Gives up the lead, so that another node can take it.
  func leave() { isLeaving.store(true, ordering: .releasing) }

  /// Lets the others go on.
  func end() {
    stop.set()
    joins.close()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    store.standDown()
  }

  /// Tells the operator about an outcome, if that is new.
  func report(_ kind: NodeTroubles.Kind, _ failure: StoreError?) {
    let (text, listener) = state.withLock { ($0.troubles.note(kind, failure), $0.listener) }
    if let text { listener?.say(text) }
  }

  /// Performs an action, and tells the operator if it fails; returns `nil` then.
  func attempt<Value>(_ kind: NodeTroubles.Kind, _ body: () throws(StoreError) -> Value) -> Value? {
    do throws(StoreError) {
      let value = try body()
      report(kind, nil)
      return value
    } catch {
      report(kind, error)
      return nil
    }
  }

  // MARK: Following

  /// Waits until something has happened, or for a while; returns whether waiting worked.
  private func waitForNews() -> Bool {
    attempt(.listening) { () throws(StoreError) in try store.waitForNews(for: Self.interval) } != nil
  }

  /// Changes games while no change by another node is applied to them.
  func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try folding.withLock { (_) throws(StoreError) in try body() }
  }

  /// Applies what has happened; returns whether there is more.
  private func step() -> Bool {
    do throws(StoreError) {
      let start = ContinuousClock.now
      let place = state.withLock { $0.place }
      let news = try store.news(after: place)
      follow(news)
      let finished: [(Waiting, JSONObject?)] = state.withLock { state in
        (state.place, state.isSetBack) = (news.place, false)
        if !news.hasMore { state.lastStep = start }
        (state.underway, state.failure) = (news.underway, nil)
        // An outcome that cannot be read counts as none.
        var finished: [(Waiting, JSONObject?)] = news.outcomes.compactMap { id, outcome in
          state.waiting.removeValue(forKey: id).map { ($0, (try? JSONValue(parsing: outcome))?.object) }
        }
        for (id, waiting) in state.waiting where waiting.until < start {
          state.waiting[id] = nil
          finished.append((waiting, nil))
        }
        return finished
      }
      for (waiting, outcome) in finished { waiting.done(outcome) }
      if isLeading { answer(try store.openRequests()) }
      return news.hasMore
    } catch {
      let late: [Waiting] = state.withLock { state in
        state.failure = error
        if !state.isSetBack { (state.place, state.isSetBack) = (max(state.place - Self.setBack, 0), true) }
        let late = state.waiting.filter { $0.value.until < .now }
        for id in late.keys { state.waiting[id] = nil }
        return Array(late.values)
      }
      for waiting in late { waiting.done(nil) }
      return false
    }
  }

  private func follow(_ news: StoreNews) {
    guard let listener = state.withLock({ $0.listener }) else { return }
    folding.withLock { _ in listener.follow(news) }
  }

  /// Applies everything that was committed until now, including changes that are not delivered in order yet.
  private func catchUp(from distance: Int64 = 0) throws(StoreError) {
    var place = state.withLock { max($0.place - distance, 0) }
    while case let news = try store.news(after: place), news.hasMore {
      follow(news)
      place = news.place
    }
    follow(try store.unfinishedNews(after: place))
  }

  // MARK: Leading

  private func lead() {
    let before = leading.load(ordering: .acquiring)
    var number = 0
    if !isLeaving.load(ordering: .acquiring) {
      number = attempt(.leading) { () throws(StoreError) in try store.lead() ?? 0 } ?? 0
    } else if before != 0 {
      store.standDown()
    }
    guard number != before, let listener = state.withLock({ $0.listener }) else { return }
    if before != 0 {
      leading.store(0, ordering: .releasing)
      listener.lead(false)
    }
    // First applies what the previous leader has stored.
    guard number != 0, attempt(.catchingUp, { () throws(StoreError) in try catchUp(from: Self.setBack) }) != nil else { return }
    listener.lead(true)
    leading.store(number, ordering: .releasing)
    listener.tellAll()
  }

  /// Stops accepting answers to a question on all nodes, and calls `done` once this node knows all accepted ones.
  func close(question: Int, of game: String, _ done: @escaping @Sendable (StoreError?) -> Void) {
    slow.async { [self] in
      do throws(StoreError) {
        try store.close(question: question, of: game)
        try catchUp()
        done(nil)
      } catch {
        done(error)
      }
    }
  }

  private func answer(_ requests: [StoreRequest]) {
    guard let listener = state.withLock({ $0.listener }) else { return }
    for request in requests where state.withLock({ $0.answering.insert(request.id).inserted }) {
      Task { [self] in
        let outcome = (await listener.answer(request)?.object ?? JSONObject()).text
        slow.async { [self] in
          // If the outcome cannot be stored, the request is delivered again: carrying it out a second time does nothing.
          _ = attempt(.outcomes) { () throws(StoreError) in try store.apply([.outcome(request: request.id, outcome)]) }
          state.withLock { _ = $0.answering.remove(request.id) }
        }
      }
    }
  }

  // MARK: Viewers

  /// Tells the other nodes how many viewers this one has, and receives their numbers; returns whether that worked.
  @discardableResult
  func exchange() -> Bool {
    guard let listener = state.withLock({ $0.listener }) else { return true }
    do throws(StoreError) {
      listener.meet(try store.exchange(viewers: listener.ownViewers), self)
      state.withLock { $0.writing = nil }
      return true
    } catch {
      state.withLock { $0.writing = (error, $0.writing?.since ?? .now) }
      return false
    }
  }

  // MARK: Asking

  /// Passes a request to the leading node; returns the problem `unavailable` if no node has carried it out in time.
  func ask(_ request: HostRequest, of game: String) async -> HostingProblem? {
    guard let outcome = await ask(request.object, of: game) else { return .unavailable }
    return HostingProblem(outcome)
  }

  private func ask(_ object: JSONObject, of game: String) async -> JSONObject? {
    let id = "\(store.node)-\(GameAPI.newSession())"
    return await withCheckedContinuation { continuation in
      state.withLock { $0.waiting[id] = Waiting(until: .now + Self.patience) { continuation.resume(returning: $0) } }
      slow.async { [self] in
        let request = StoreRequest(id: id, game: game, text: object.text)
        // The caller learns that the request was not carried out.
        guard (try? store.ask(request)) == nil, let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        waiting.done(nil)
      }
    }
  }

  // MARK: Hosts

  /// Lets a console lead a game for a while; `nil` if the store cannot say whether it may.
  func lease(_ game: String, to console: HostLease.Console, takesOver: Bool) async -> Bool? {
    await slow.run { [self] in
      attempt(.leases) { () throws(StoreError) in
        try store.lease(game, to: console.name, milliseconds: HostLease.milliseconds, takesOver: takesOver)
      }
    }
  }

  /// Ends the lead of a session, or of any session for `nil`; in all games if `game` is `nil`. If the store fails, the lead expires within half a
  /// minute.
  func endLease(_ game: String?, of session: String?) async {
    await slow.run { [self] in _ = attempt(.leases) { () throws(StoreError) in try store.endLease(game, of: session) } }
  }

  // MARK: Joining

  /// Adds a player to a game. The database decides who gets a nickname.
  func join(
    _ nickname: String, key: String, team: String?, position: MediaTime?, in game: GameKeeper
  ) async throws(GameFailure) -> HostedGame.Joined {
    var joined = try game.joining(nickname, key, team, position)
    if joined.isChanged { try await change(StoredPlayer(joined, key: key), in: game) }
    guard !joined.isKnown else { return joined }
    let (most, endsEntry) = game.look { game in (game.settings.rules.mostPlayers, game.settings.endsEntry) }
    let outcome: JoinOutcome
    do throws(StoreError) {
      outcome = try await join(
        JoiningPlayer(
          game: game.stored.id, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt, most: most, endsEntry: endsEntry,
          team: joined.team))
    } catch {
      throw .store(error)
    }
    switch outcome {
    case .joined(let player):
      joined.player = player
      await game.follow(upTo: player)
      return joined
    case .known(let player):
      // The client has asked another node before; this one learns of the player now.
      await game.follow(upTo: player)
      return try game.joining(nickname, key, team, position)
    case .nicknameTaken: throw .hosting(game.look { game in game.taken(nickname) })
    case .full: throw .hosting(.full)
    case .entryClosed: throw .hosting(.entryClosed)
    case .gone: throw .hosting(.ended)
    }
  }

  /// Gives a player another nickname and team, and returns once this node knows it. The database decides who gets a nickname.
  private func change(_ player: StoredPlayer, in game: GameKeeper) async throws(GameFailure) {
    let failure: StoreError? = await slow.run { [store] in
      do throws(StoreError) {
        try store.change(player, of: game.stored.id)
        return nil
      } catch {
        return error
      }
    }
    if failure == .exists { throw .hosting(game.look { game in game.taken(player.nickname) }) }
    if let failure { throw .store(failure) }
    await game.follow(change: player)
  }

  private func join(_ player: JoiningPlayer) async throws(StoreError) -> JoinOutcome {
    let result: Result<JoinOutcome, StoreError> = await withCheckedContinuation { continuation in
      guard joins.count < Self.mostJoining else { return continuation.resume(returning: .failure(.unavailable("too many join at once"))) }
      joins.add(Join(player: player) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  private func join(_ waiting: [Join]) {
    // Stores all joins that arrived in the meantime together, but not so many that other changes wait for long.
    for start in stride(from: 0, to: waiting.count, by: 500) {
      let part = waiting[start..<min(start + 500, waiting.count)]
      do throws(StoreError) {
        let outcomes = try store.join(part.map(\.player))
        for (join, outcome) in zip(part, outcomes) { join.done(.success(outcome)) }
        for join in part.dropFirst(outcomes.count) { join.done(.failure(.unavailable("the server has said nothing of it"))) }
      } catch {
        // A join that breaks a rule must not make the others fail.
        guard part.count > 1, error.isRefusal else {
          for join in part { join.done(.failure(error)) }
          continue
        }
        for waiting in part { join([waiting]) }
      }
    }
  }
}
