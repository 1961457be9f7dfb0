import Basics
import Dispatch
import GameHosting
import GameStore
import LiveSession
import Synchronization
import WebSupport

/// What makes this process one of many nodes: it follows what the others have stored, leads if nobody else does, and asks the one that leads.
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
    /// Whether the place was set back since the store was there last.
    var isSetBack = false
    var waiting: [String: Waiting] = [:]
    /// Requests that are being answered.
    var answering: Set<String> = []
    /// When everything that was finished was known here last.
    var lastStep = ContinuousClock.now
    var underway = 0
    var failure: StoreError?
    var troubles = NodeTroubles()
    /// Why nothing can be written, and since when.
    var writing: (failure: StoreError, since: ContinuousClock.Instant)?
  }

  let store: any SharedStore
  /// Games change by what others have done, or are read anew, one at a time.
  private let folding = Mutex(())
  private let state: Mutex<State>
  /// The number of the lead that games here go by; 0 where this node does not lead.
  private let leading = Atomic<Int>(0)
  private let stop = StopFlag()
  private let isLeaving = Atomic<Bool>(false)
  private let joins = JobQueue<Join>()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let slow = DispatchQueue(label: "nodes", attributes: .concurrent)

  /// How often it looks for what others have done, if nobody wakes it.
  private static let interval = Duration.milliseconds(100)
  /// How often at most, however often it is woken: each commit of each node wakes all.
  private static let shortestInterval = Duration.milliseconds(20)
  /// How often at most a node stores answers. Bigger batches cost all nodes and the database less, and a player waits a hundredth of a second more.
  static let commitInterval = Duration.milliseconds(10)
  /// How often it tries to lead, or makes sure that it does.
  private static let leadInterval = Duration.milliseconds(500)
  private static let presenceInterval = Duration.seconds(AudienceCount.interval)
  /// How far back it looks once the store was away: a standby that has taken over, or a server after a crash, gives numbers again that transactions had
  /// which came to nothing. What is told twice changes nothing.
  private static let setBack: Int64 = 1_000
  /// Answers wait for a database that is away, so that it has to be away for so long before nobody is to send any more. Where a standby takes its place
  /// that is sooner.
  private static let grace = Duration.seconds(4)
  /// After so long without an answer the database is not there.
  private static let silence = Duration.seconds(2)
  /// How long another node may take for what it is asked for.
  private static let patience = Duration.seconds(6)
  /// How long it takes at most, when all is well, until this node knows what another one has done.
  private static let longestLag = DispatchTimeInterval.milliseconds(300)
  /// How far the numbers of messages on two nodes may be apart for the same thing, in milliseconds.
  let messageOverlap = 5_000
  /// The most players who wait.
  private static let mostJoining = 20_000

  init(_ store: any SharedStore) throws(StoreError) {
    self.store = store
    state = Mutex(State(place: try store.place()))
  }

  var questionLag: DispatchTimeInterval? { Self.longestLag }
  /// Of many nodes each one follows the answers of all, its own among them.
  var returnsAnswers: Bool { true }

  func makeFeed() -> LiveFeed { LiveFeed { Int(WallClock.now) } }

  /// Whether this node leads.
  var isLeading: Bool { store.leadNumber.map { $0 == leading.load(ordering: .acquiring) } ?? false }

  /// How long ago everything that was finished was known here, and how many changes are under way in the database that nobody can know yet.
  var lag: (seconds: Double, underway: Int)? {
    state.withLock { ((ContinuousClock.now - $0.lastStep).inSeconds, $0.underway) }
  }

  /// Why the store could not be followed last, or nothing be written.
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
            // A node that was away for long catches up piece by piece.
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

  /// Lets another node lead, and no longer leads.
  func leave() { isLeaving.store(true, ordering: .releasing) }

  /// Lets the others go on.
  func end() {
    stop.set()
    joins.close()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    store.standDown()
  }

  /// Tells the operator how something went, if that is news.
  func report(_ kind: NodeTroubles.Kind, _ failure: StoreError?) {
    let (text, listener) = state.withLock { ($0.troubles.note(kind, failure), $0.listener) }
    if let text { listener?.say(text) }
  }

  /// Does something, and tells the operator if it goes wrong; `nil` then.
  private func attempt<Value>(_ kind: NodeTroubles.Kind, _ body: () throws(StoreError) -> Value) -> Value? {
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

  /// Waits until something has happened, or for a while; returns whether it could.
  private func waitForNews() -> Bool {
    attempt(.listening) { () throws(StoreError) in try store.waitForNews(for: Self.interval) } != nil
  }

  /// Changes games where nothing that others have done changes them meanwhile.
  func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try folding.withLock { (_) throws(StoreError) in try body() }
  }

  /// Follows what has happened; returns whether there is more of it.
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
        // An outcome that nobody can read is none.
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

  /// Follows everything that was committed until now, also what others have to wait for.
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
    // What the one before has stored comes first.
    guard number != 0, attempt(.catchingUp, { () throws(StoreError) in try catchUp(from: Self.setBack) }) != nil else { return }
    listener.lead(true)
    leading.store(number, ordering: .releasing)
    listener.tellAll()
  }

  /// Stops taking answers to a question on all nodes, and calls `done` once this one knows all that were taken.
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
          // What could not be written down is asked for again: the same request does nothing a second time.
          _ = attempt(.outcomes) { () throws(StoreError) in try store.apply([.outcome(request: request.id, outcome)]) }
          state.withLock { _ = $0.answering.remove(request.id) }
        }
      }
    }
  }

  // MARK: Viewers

  /// Tells the others how many viewers there are here, and hears of theirs; returns whether that worked.
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

  /// Asks the node that leads for something; `nil` where none has done it in time.
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
        // Whoever asks hears that it is not done.
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

  /// Ends the lead of a session, or of whoever leads; with `nil` in all games. If the store does not do it, it ends by itself in half a minute.
  func endLease(_ game: String?, of session: String?) async {
    await slow.run { [self] in _ = attempt(.leases) { () throws(StoreError) in try store.endLease(game, of: session) } }
  }

  // MARK: Joining

  /// Lets a player join a game. The database decides who has a nickname.
  func join(_ nickname: String, key: String, position: MediaTime?, in game: GameKeeper) async throws(GameFailure) -> HostedGame.Joined {
    var joined = try game.joining(nickname, key, position)
    guard !joined.isKnown else { return joined }
    let (most, endsEntry) = game.look { game, _ in (game.settings.rules.mostPlayers, game.settings.endsEntry) }
    let outcome: JoinOutcome
    do throws(StoreError) {
      outcome = try await join(
        JoiningPlayer(
          game: game.stored.id, nickname: joined.nickname, key: key, joinedAt: joined.joinedAt, most: most, endsEntry: endsEntry))
    } catch {
      throw .store(error)
    }
    switch outcome {
    case .joined(let player):
      joined.player = player
      await game.follow(upTo: player)
      return joined
    case .known(let player):
      // The client has asked another node before, which this one hears of now.
      await game.follow(upTo: player)
      return try game.joining(nickname, key, position)
    case .nicknameTaken: throw .hosting(game.look { game, _ in game.taken(nickname) })
    case .full: throw .hosting(.full)
    case .entryClosed: throw .hosting(.entryClosed)
    case .gone: throw .hosting(.ended)
    }
  }

  private func join(_ player: JoiningPlayer) async throws(StoreError) -> JoinOutcome {
    let result: Result<JoinOutcome, StoreError> = await withCheckedContinuation { continuation in
      guard joins.count < Self.mostJoining else { return continuation.resume(returning: .failure(.unavailable("too many join at once"))) }
      joins.add(Join(player: player) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  private func join(_ waiting: [Join]) {
    // All that came meanwhile, in one transaction, but not so many that the others wait for long.
    for start in stride(from: 0, to: waiting.count, by: 500) {
      let part = waiting[start..<min(start + 500, waiting.count)]
      do throws(StoreError) {
        let outcomes = try store.join(part.map(\.player))
        for (join, outcome) in zip(part, outcomes) { join.done(.success(outcome)) }
        for join in part.dropFirst(outcomes.count) { join.done(.failure(.unavailable("the server has said nothing of it"))) }
      } catch {
        // One that breaks a rule must not take the others with it.
        guard part.count > 1, error.isRefusal else {
          for join in part { join.done(.failure(error)) }
          continue
        }
        for waiting in part { join([waiting]) }
      }
    }
  }
}
