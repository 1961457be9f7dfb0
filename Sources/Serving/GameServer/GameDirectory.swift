import Basics
import Dispatch
import GameHosting
import GameStore
import LiveSession
import Synchronization

/// The games of a server: finds them, makes them, and advances them.
///
/// Unfinished games are in memory. A finished game leaves the memory when nobody has asked for it for a while, and is loaded again from the store.
final class GameDirectory: Sendable {
  struct Entry {
    var runner: GameRunner
    /// When the game was last asked for.
    var lastAsked = ContinuousClock.now
  }

  struct Gone {
    weak var runner: GameRunner?
  }

  struct State {
    var entries: [String: Entry] = [:]
    var codes: [String: String] = [:]
    /// The names of the games in the order in which they were loaded.
    var order: [String] = []
    /// The operator's games.
    var own: [GameRunner] = []
    /// Games that were removed from memory but are still referenced: no game may be in memory twice.
    var gone: [String: Gone] = [:]
    /// The counts of answers of the games that were removed from memory.
    var counts = (recorded: 0, refused: 0)
  }

  let writer: StoreWriter
  /// Writes answers: with many nodes, each node writes them separately from everything else.
  let answerWriter: StoreWriter
  /// The processes that serve these games.
  let cluster: any Cluster
  /// The streams on which games are played.
  let streams: GameStreams
  let boardAddress: (@Sendable (String) -> String)?
  let state = Mutex(State())
  /// Whether people other than the operator may have accounts and games.
  let hasAccounts: Bool
  /// The key of public records; `nil` if games keep none.
  let recordKey: RecordKey?
  private let stop = StopFlag()
  private let isLeaving = Atomic<Bool>(false)
  private let workers: Mutex<[Worker]> = Mutex([])
  let say: @Sendable (String) -> Void
  /// Receives what becomes of games, on the node that leads.
  let news = Relay<GameNews>()
  /// Reads games from the store one after another, which may take a while.
  let loader = DispatchQueue(label: "games")

  /// The games to advance, and the games with events for the stream.
  let (gamesToAdvance, gamesToInject) = (Timetable(), Timetable())
  /// How often listening hosts get a sign of life, by which either side notices that the other one is gone.
  private static let signInterval = Duration.seconds(10)

  /// The maximum number of unfinished games of one account.
  static let mostOfAccount = 10
  /// How long a finished game stays in memory while nobody asks for it.
  static let patience = Duration.seconds(600)
  /// The maximum number of finished games in memory.
  static let mostFinished = 64

  /// - Parameters:
  ///   - streams: The streams on which games are played.
  ///   - hasAccounts: Whether people other than the operator may have accounts and games.
  ///   - boardAddress: The address of a game's scoreboards for readers of the stream.
  ///   - recordKey: The key of public records; `nil` if games keep none.
  ///   - say: Receives messages for the operator.
  init(
    _ store: any GameStore, _ streams: GameStreams, hasAccounts: Bool, boardAddress: (@Sendable (String) -> String)?,
    recordKey: RecordKey? = nil,
    say: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    writer = StoreWriter(store, say: say)
    if let shared = store as? any SharedStore {
      answerWriter = StoreWriter(store, interval: Nodes.commitInterval, say: say)
      // Begins to follow changes before it reads the games, so that none is missed.
      cluster = try Nodes(shared)
    } else {
      answerWriter = writer
      cluster = LoneProcess(writer)
    }
    (self.streams, self.hasAccounts, self.boardAddress, self.recordKey, self.say) = (streams, hasAccounts, boardAddress, recordKey, say)
    for game in try store.unfinishedGames() {
      // A game that cannot be read must not keep the others from being played.
      do throws(StoreError) { try add(game) } catch {
        guard case .foreign(let reason) = error else { throw error }
        say("\(reason); it is left out")
      }
    }
  }

  /// Begins to write and to advance games.
  func start() {
    writer.start()
    answerWriter.start()
    cluster.start(self)
    // An account may have been deleted right before the process ended. Among many nodes the leading one handles that.
    if cluster.isLeading { endUnwanted() }
    streams.observe { [weak self] stream in
      stream.injector.onChange { [weak self] in self?.tellAll() }
      stream.claim.left.reach { [weak self] _ in self?.tellAll() }
    }
    workers.withLock { $0 = [Worker("games") { [self] in goOn() }, Worker("inject") { [self] in inject() }] }
  }

  /// Advances games with time, until the end.
  private func goOn() {
    var nextSign = ContinuousClock.now
    var watches: [String: StreamWatch] = [:]
    while !stop.isSet {
      let told = gamesToAdvance.take(at: .now)
      if told == nil {
        for stream in streams.all { tell(watches[stream.name, default: StreamWatch()].see(stream.injector.condition), of: stream) }
      }
      for runner in all where told?.contains(runner.stored.id) ?? true {
        gamesToAdvance.note(runner.stored.id, at: runner.hasEnded ? runner.stage.tick() : runner.tick())
      }
      if nextSign < .now {
        nextSign = .now + Self.signInterval
        for runner in all {
          runner.feed.keepAlive()
          runner.stage.keepAlive()
        }
        dismiss(at: .now)
        // Ends a game again if its end could not be stored.
        if cluster.isLeading { endUnwanted() }
      }
      gamesToAdvance.wait(until: nextSign)
    }
  }

  /// Puts events of games into the stream, until the end.
  private func inject() {
    while !stop.isSet {
      let told = gamesToInject.take(at: .now)
      if cluster.isLeading {
        for runner in running where told?.contains(runner.stored.id) ?? true { gamesToInject.note(runner.stored.id, at: runner.inject()) }
      }
      gamesToInject.wait(until: .now + Self.signInterval)
    }
  }

  /// Makes the threads look at all games.
  func tellAll() {
    gamesToAdvance.tellAll()
    gamesToInject.tellAll()
  }

  /// Tells the operator and the hosts of a stream's games about changes of the stream.
  private func tell(_ notices: [StreamWatch.Notice], of stream: GameStreams.Stream) {
    for notice in notices {
      say(stream.name.isEmpty ? notice.text : "\(stream.name): \(notice.text)")
      for runner in running where runner.stream === stream { runner.feed.send(notice.event, notice.object) }
    }
  }

  /// Announces that this server ends soon, and lets another node lead; everything else continues.
  func leave() {
    isLeaving.store(true, ordering: .releasing)
    cluster.leave()
  }

  /// Reasons why the server cannot do its work, in words.
  var missing: [String] {
    var missing: [String] = []
    if isLeaving.load(ordering: .acquiring) { missing.append("this server ends") }
    if let failure = cluster.lastingFailure { missing.append("\(failure)") }
    for runner in running {
      if let failure = runner.keeper.readingFailure { missing.append("the game \(runner.stored.id) cannot be read: \(failure)") }
    }
    // One stream without a picture must not take the games of the others away from their players.
    let faults = streams.all.map { stream in
      Self.fault(of: stream).map { stream.name.isEmpty ? $0 : "\(stream.name): \($0)" }
    }
    return faults.contains(nil) ? missing : missing + faults.compactMap(\.self)
  }

  private static func fault(of stream: GameStreams.Stream) -> String? {
    if stream.injector.liveEdge == nil { return "nothing is heard of the stream" }
    return stream.injector.condition.picture == .down ? "the picture is away: nothing comes from the encoder" : nil
  }

  /// Ends the server; acknowledged changes are stored.
  func end() {
    stop.set()
    tellAll()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    answerWriter.close()
    writer.close()
    cluster.end()
    endMessages()
  }

  /// Ends the streams of messages to hosts, which would otherwise have no end.
  func endMessages() {
    for runner in all {
      runner.feed.close()
      runner.stage.close()
    }
  }

  /// Why nothing can be stored, or why what others store is unknown; `nil` if all is well.
  var storeFailure: StoreError? { cluster.failure }

  // MARK: Finding

  /// The games in memory.
  var all: [GameRunner] { state.withLock { state in state.order.compactMap { state.entries[$0]?.runner } } }

  var running: [GameRunner] { all.filter { !$0.hasEnded } }

  /// The game of a name, if it is in memory.
  func game(_ id: String) -> GameRunner? {
    state.withLock { state in
      guard let runner = state.entries[id]?.runner else { return nil }
      state.entries[id]?.lastAsked = .now
      return runner
    }
  }

  /// The game of a name, if it is in memory; does not count as asking for it.
  func inMemory(_ id: String) -> GameRunner? { state.withLock { $0.entries[id]?.runner ?? $0.gone[id]?.runner } }

  /// The game of a name.
  func find(_ id: String) async throws(StoreError) -> GameRunner? {
    if let runner = game(id) { return runner }
    return try await load { (store) throws(StoreError) in try store.game(id) }
  }

  /// The game of a code, in either case.
  func find(code: String) async throws(StoreError) -> GameRunner? {
    let code = code.uppercased()
    if let runner = state.withLock({ $0.codes[code] }).flatMap({ game($0) }) { return runner }
    return try await load { (store) throws(StoreError) in try store.game(code: code) }
  }

  /// The current or next game: of the unfinished games, the one that begins first.
  var next: GameRunner? {
    let games = all.map { runner in runner.look { game in (runner, game.end == nil, game.start != nil, game.startsAt) } }.filter(\.1)
    // A running game first, then by start time, then the one that was made first.
    let own = games.filter { $0.0.stored.account == nil }
    let approved = games.filter { isServed($0.0) && $0.0.access.isApproved }
    return approved.first { $0.2 }?.0 ?? Self.first(of: own) ?? Self.first(of: approved)
  }

  private static func first(of games: [(GameRunner, Bool, Bool, Int64?)]) -> GameRunner? {
    games.filter { $0.3 != nil }.min { ($0.3 ?? 0) < ($1.3 ?? 0) }?.0 ?? games.first?.0
  }

  /// The number of answers that were accepted and refused since the start, in all games.
  var answerCounts: (recorded: Int, refused: Int) {
    let before = state.withLock { $0.counts }
    return all.map(\.desk.counts).reduce(before) { ($0.recorded + $1.recorded, $0.refused + $1.refused) }
  }

  /// Ends a session's lead in all games.
  func endLead(of session: String) async {
    for runner in all { runner.access.lease.end(session) }
    await cluster.endLease(nil, of: session)
  }

  // MARK: Ending

  /// Whether a game is played here: games of accounts are not if accounts are disabled.
  func isServed(_ runner: GameRunner) -> Bool { hasAccounts || runner.stored.account == nil }

  /// Whether a game must end: its account is deleted or banned, the operator has barred it, or it has begun although accounts are disabled.
  func mustEnd(_ stored: StoredGame, hasBegun: Bool) -> Bool {
    stored.account == StoredGame.nobody || stored.approval == .barred || (!hasAccounts && stored.account != nil && hasBegun)
  }

  /// Ends the games that must end.
  func endUnwanted() {
    for runner in running {
      var stored = runner.stored
      stored.approval = runner.access.approval
      if mustEnd(stored, hasBegun: runner.look { game in game.start != nil }) { runner.end() }
    }
  }

  /// Ends the games of an account that is deleted or banned, and the tokens of their hosts. The store has changed already.
  func endGames(of account: Int) async {
    for runner in all where runner.stored.account == account {
      runner.note(.barred)
      await runner.access.end()
      runner.end()
    }
  }

  /// Lets a game of an account into the stream, or withdraws that: a game that has begun ends then.
  ///
  /// - Throws: `StoreError`; then nothing has changed.
  func approve(_ runner: GameRunner, _ isApproved: Bool) async throws(StoreError) {
    let hasBegun = runner.look { game in game.start != nil }
    let approval: StoredGame.Approval = isApproved ? .approved : hasBegun ? .barred : .open
    try await writer.write([.approval(game: runner.stored.id, approval)])
    runner.note(approval)
    if approval == .barred { runner.end() }
  }
}
