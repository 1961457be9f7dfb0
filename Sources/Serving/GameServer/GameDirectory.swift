import Basics
import Dispatch
import GameHosting
import GameStore
import LiveSession
import Synchronization

/// The games of a server: finds them, makes them, and keeps them going.
///
/// Games that are not over are in memory. One that is over leaves it when nobody has asked for it for a while, and comes back from the store.
final class GameDirectory: Sendable {
  struct Entry {
    var runner: GameRunner
    /// When somebody asked for it last.
    var lastAsked = ContinuousClock.now
  }

  struct Gone {
    weak var runner: GameRunner?
  }

  struct State {
    var entries: [String: Entry] = [:]
    var codes: [String: String] = [:]
    /// The games in the order in which they came into memory.
    var order: [String] = []
    /// The operator's games.
    var own: [GameRunner] = []
    /// Games that have left, as long as somebody still has something to do with them: no game may be in memory twice.
    var gone: [String: Gone] = [:]
    /// What the desks of games that have left had counted.
    var counts = (recorded: 0, refused: 0)
  }

  let writer: StoreWriter
  /// Writes answers: of many nodes each does that beside everything else.
  let answerWriter: StoreWriter
  /// The processes that serve these games.
  let cluster: any Cluster
  let injector: any Injector
  /// What everybody may know of the stream: where it is to be watched.
  let stream: String?
  let boardAddress: (@Sendable (String) -> String)?
  let state = Mutex(State())
  let claim = StreamClaim()
  /// Whether others than the operator may have accounts and games.
  let hasAccounts: Bool
  private let stop = StopFlag()
  private let isLeaving = Atomic<Bool>(false)
  private let workers: Mutex<[Worker]> = Mutex([])
  let say: @Sendable (String) -> Void
  /// Games are read from the store one after the other, which may take a while.
  let loader = DispatchQueue(label: "games")

  /// Which games go on with time, and which have events for the stream.
  let (gamesToAdvance, gamesToInject) = (Timetable(), Timetable())
  /// How often hosts who listen get a sign, by which both sides notice that the other one has gone.
  private static let signInterval = Duration.seconds(10)

  /// The most games of one account that are not over.
  static let mostOfAccount = 10
  /// How long a game that is over stays in memory while nobody asks for it.
  static let patience = Duration.seconds(600)
  /// The most games in memory that are over.
  static let mostFinished = 64

  /// - Parameters:
  ///   - stream: Where the stream is to be watched.
  ///   - hasAccounts: Whether others than the operator may have accounts and games.
  ///   - boardAddress: The address of the scoreboards of a game, for those who see it in the stream.
  ///   - say: Receives messages for the operator.
  init(
    _ store: any GameStore, _ injector: any Injector, stream: String?, hasAccounts: Bool, boardAddress: (@Sendable (String) -> String)?,
    say: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    writer = StoreWriter(store, say: say)
    if let shared = store as? any SharedStore {
      answerWriter = StoreWriter(store, interval: Nodes.commitInterval, say: say)
      // What happens from now on is followed, and what has happened before is read.
      cluster = try Nodes(shared)
    } else {
      answerWriter = writer
      cluster = LoneProcess(writer)
    }
    (self.injector, self.stream, self.hasAccounts, self.boardAddress, self.say) = (injector, stream, hasAccounts, boardAddress, say)
    for game in try store.unfinishedGames() {
      // One that cannot be read must not keep the others from being played.
      do throws(StoreError) { try add(game) } catch {
        guard case .foreign(let reason) = error else { throw error }
        say("\(reason); it is left out")
      }
    }
  }

  /// Begins to write and to go on.
  func start() {
    writer.start()
    answerWriter.start()
    cluster.start(self)
    // An account may have gone right before the process ended. Of many nodes the one that leads sees to that.
    if cluster.isLeading { endUnwanted() }
    injector.onChange { [weak self] in self?.tellAll() }
    claim.left.reach { [weak self] _ in self?.tellAll() }
    workers.withLock { $0 = [Worker("games") { [self] in goOn() }, Worker("inject") { [self] in inject() }] }
  }

  /// Lets games go on with time, until the end.
  private func goOn() {
    var nextSign = ContinuousClock.now
    var watch = StreamWatch()
    while !stop.isSet {
      let told = gamesToAdvance.take(at: .now)
      if told == nil { tell(watch.see(injector.condition)) }
      for runner in running where told?.contains(runner.stored.id) ?? true { gamesToAdvance.note(runner.stored.id, at: runner.tick()) }
      if nextSign < .now {
        nextSign = .now + Self.signInterval
        for runner in all { runner.feed.keepAlive() }
        dismiss(at: .now)
        // One whose end could not be stored is ended again.
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

  /// Lets all games look whether they have something to do.
  func tellAll() {
    gamesToAdvance.tellAll()
    gamesToInject.tellAll()
  }

  /// Tells the operator and the hosts of all games what is new of the stream.
  private func tell(_ notices: [StreamWatch.Notice]) {
    for notice in notices {
      say(notice.text)
      for runner in running { runner.feed.send(notice.event, notice.object) }
    }
  }

  /// Says that it ends soon, and lets another node lead; everything else goes on.
  func leave() {
    isLeaving.store(true, ordering: .releasing)
    cluster.leave()
  }

  /// What keeps the server from doing its work, in words.
  var missing: [String] {
    var missing: [String] = []
    if isLeaving.load(ordering: .acquiring) { missing.append("this server ends") }
    if let failure = cluster.lastingFailure { missing.append("\(failure)") }
    for runner in running {
      if let failure = runner.keeper.readingFailure { missing.append("the game \(runner.stored.id) cannot be read: \(failure)") }
    }
    if injector.liveEdge == nil {
      missing.append("nothing is heard of the stream")
    } else if injector.condition.picture == .down {
      missing.append("the picture is away: nothing comes from the encoder")
    }
    return missing
  }

  /// Ends: what was acknowledged is stored.
  func end() {
    stop.set()
    tellAll()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    answerWriter.close()
    writer.close()
    cluster.end()
    endMessages()
  }

  /// Ends the messages to hosts, which would have no end otherwise.
  func endMessages() {
    for runner in all { runner.feed.close() }
  }

  /// Why nothing can be stored, or why what others store is not known; `nil` if all is well.
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

  /// The game of a name, if it is in memory, which nobody asks for.
  func inMemory(_ id: String) -> GameRunner? { state.withLock { $0.entries[id]?.runner ?? $0.gone[id]?.runner } }

  /// The game of a name.
  func find(_ id: String) async throws(StoreError) -> GameRunner? {
    if let runner = game(id) { return runner }
    return try await load { (store) throws(StoreError) in try store.game(id) }
  }

  /// The game of a code, in whatever case.
  func find(code: String) async throws(StoreError) -> GameRunner? {
    let code = code.uppercased()
    if let runner = state.withLock({ $0.codes[code] }).flatMap({ game($0) }) { return runner }
    return try await load { (store) throws(StoreError) in try store.game(code: code) }
  }

  /// The game that comes next, or runs: of those that are not over, the one that begins first.
  var next: GameRunner? {
    let games = all.map { runner in runner.look { game, _ in (runner, game.end == nil, game.start != nil, game.startsAt) } }.filter(\.1)
    // One that runs, then by the time of its beginning, then the one that was made first.
    let own = games.filter { $0.0.stored.account == nil }
    let approved = games.filter { isServed($0.0) && $0.0.access.isApproved }
    return approved.first { $0.2 }?.0 ?? Self.first(of: own) ?? Self.first(of: approved)
  }

  private static func first(of games: [(GameRunner, Bool, Bool, Int64?)]) -> GameRunner? {
    games.filter { $0.3 != nil }.min { ($0.3 ?? 0) < ($1.3 ?? 0) }?.0 ?? games.first?.0
  }

  /// What was taken and what was not since the start, of all games.
  var answerCounts: (recorded: Int, refused: Int) {
    let before = state.withLock { $0.counts }
    return all.map(\.desk.counts).reduce(before) { ($0.recorded + $1.recorded, $0.refused + $1.refused) }
  }

  /// Takes a session's right to lead from it, in all games.
  func endLead(of session: String) async {
    for runner in all { runner.access.lease.end(session) }
    await cluster.endLease(nil, of: session)
  }

  // MARK: Ending

  /// Whether a game is played here: games of accounts are not where there are no accounts.
  func isServed(_ runner: GameRunner) -> Bool { hasAccounts || runner.stored.account == nil }

  /// Whether a game must end: its account is deleted or banned, the operator has barred it, or it is in the stream where there are no accounts.
  func mustEnd(_ stored: StoredGame, hasBegun: Bool) -> Bool {
    stored.account == StoredGame.nobody || stored.approval == .barred || (!hasAccounts && stored.account != nil && hasBegun)
  }

  /// Ends the games that must end.
  func endUnwanted() {
    for runner in running {
      var stored = runner.stored
      stored.approval = runner.access.approval
      if mustEnd(stored, hasBegun: runner.look { game, _ in game.start != nil }) { runner.end() }
    }
  }

  /// Ends the games of an account that is deleted or banned, and the tokens of their hosts. The store has done its part already.
  func endGames(of account: Int) async {
    for runner in all where runner.stored.account == account {
      runner.note(.barred)
      await runner.access.end()
      runner.end()
    }
  }

  /// Lets a game of an account into the stream, or takes that back: a game that has begun ends then.
  ///
  /// - Throws: `StoreError`; then nothing has changed.
  func approve(_ runner: GameRunner, _ isApproved: Bool) async throws(StoreError) {
    let hasBegun = runner.look { game, _ in game.start != nil }
    let approval: StoredGame.Approval = isApproved ? .approved : hasBegun ? .barred : .open
    try await writer.write([.approval(game: runner.stored.id, approval)])
    runner.note(approval)
    if approval == .barred { runner.end() }
  }
}
