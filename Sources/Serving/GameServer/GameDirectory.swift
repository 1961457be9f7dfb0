import Basics
import GameHosting
import GameStore
import LiveSession
import Questions
import Scoring
import Sheets
import Synchronization

/// All games of a server: finds them, makes them, and keeps them going.
final class GameDirectory: Sendable {
  private struct State {
    var runners: [String: GameRunner] = [:]
    var codes: [String: String] = [:]
    /// The games in the order in which they were made.
    var order: [String] = []
    /// The operator's games.
    var own: [GameRunner] = []
  }

  let writer: StoreWriter
  let injector: any Injector
  /// What everybody may know of the stream: where it is to be watched.
  let stream: String?
  private let boardAddress: (@Sendable (String) -> String)?
  private let state = Mutex(State())
  private let claim = StreamClaim()
  /// Whether others than the operator may have accounts, and play.
  let isOpen: Bool
  private let stop = StopFlag()
  private let workers: Mutex<[Worker]> = Mutex([])
  private let say: @Sendable (String) -> Void

  /// How often games go on.
  private static let interval = Duration.milliseconds(20)
  /// How often hosts who listen get a sign, by which both sides notice where the other one has gone.
  private static let signInterval = Duration.seconds(10)
  /// The most games that are not over.
  private static let mostRunning = 1_000

  /// - Parameters:
  ///   - stream: Where the stream is to be watched.
  ///   - isOpen: Whether others than the operator may have accounts, and play.
  ///   - boardAddress: The address of the scoreboards of a game, for those who see it in the stream.
  ///   - say: Receives messages for the operator.
  init(
    _ store: any GameStore, _ injector: any Injector, stream: String?, isOpen: Bool, boardAddress: (@Sendable (String) -> String)?,
    say: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    writer = StoreWriter(store)
    (self.injector, self.stream, self.isOpen, self.boardAddress, self.say) = (injector, stream, isOpen, boardAddress, say)
    for game in try store.games() {
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
    let time = Worker("games") { [self] in
      var nextSign = ContinuousClock.now
      while !stop.isSet {
        for runner in running { runner.tick() }
        if nextSign < .now {
          nextSign = .now + Self.signInterval
          for runner in all { runner.feed.keepAlive() }
        }
        stop.wait(until: .now + Self.interval)
      }
    }
    let injecting = Worker("inject") { [self] in
      while !stop.isSet {
        for runner in running { runner.inject() }
        stop.wait(until: .now + Self.interval)
      }
    }
    workers.withLock { $0 = [time, injecting] }
  }

  /// Ends: what was acknowledged is stored.
  func end() {
    stop.set()
    for worker in workers.withLock({ $0 }) { worker.join(seconds: 2) }
    writer.close()
    for runner in all { runner.feed.close() }
  }

  /// All games, in the order in which they were made.
  var all: [GameRunner] { state.withLock { state in state.order.compactMap { state.runners[$0] } } }

  private var running: [GameRunner] { all.filter { !$0.hasEnded } }

  /// The game of a name.
  func game(_ id: String) -> GameRunner? { state.withLock { $0.runners[id] } }

  /// The game of a code, in whatever case.
  func game(code: String) -> GameRunner? {
    let code = code.uppercased()
    return state.withLock { state in state.codes[code].flatMap { state.runners[$0] } }
  }

  /// The game that comes next, or runs: of those that are not over, the one that begins first.
  var next: GameRunner? {
    let games = all.map { runner in runner.look { game, _ in (runner, game.end == nil, game.start != nil, game.startsAt) } }.filter(\.1)
    // One that runs, then by the time of its beginning, then the one that was made first.
    let own = games.filter { $0.0.stored.account == nil }
    return games.first { $0.2 }?.0 ?? Self.first(of: own) ?? Self.first(of: games)
  }

  private static func first(of games: [(GameRunner, Bool, Bool, Int64?)]) -> GameRunner? {
    games.filter { $0.3 != nil }.min { ($0.3 ?? 0) < ($1.3 ?? 0) }?.0 ?? games.first?.0
  }

  // MARK: Making games

  /// What a game is made of.
  struct Plan: Sendable {
    var id: String?
    var title: String
    var bank: QuestionBank
    var rules = GameRules()
    var account: Int?
    var isAutomatic = false
    var startsAt: Int64?
    var entryOpensAt: Int64?
  }

  /// Makes a game, and returns when it is in the store.
  func make(_ plan: Plan) async throws(GameFailure) -> GameRunner {
    guard all.count(where: { runner in !runner.look { game, _ in game.end != nil } }) < Self.mostRunning else {
      throw .hosting(.notNow("there are \(Self.mostRunning) games; end some of them"))
    }
    let game = StoredGame(
      id: plan.id ?? newID(), code: newCode(), title: plan.title, account: plan.account, rules: JSONValue.object(plan.rules.object).text,
      quiz: plan.bank.json, createdAt: WallClock.now)
    var planned = HostedGame(HostedGame.Settings(id: game.id, code: game.code, title: game.title, questions: [], rules: plan.rules))
    let change: HostedGame.Change
    do throws(HostingProblem) {
      change = try planned.plan(automatic: plan.isAutomatic, startsAt: plan.startsAt, entryOpensAt: plan.entryOpensAt)
    } catch {
      throw .hosting(error)
    }
    do throws(StoreError) {
      // Together, so that no crash leaves a game without its plan.
      try await writer.write([.game(game)] + change.records.map { .record(game: game.id, $0) })
      return try add(game)
    } catch {
      throw .store(error)
    }
  }

  @discardableResult
  private func add(_ stored: StoredGame) throws(StoreError) -> GameRunner {
    let bank = QuizFile.read(Array(stored.quiz.utf8), format: .json).bank
    var rules = GameRules()
    guard let object = (try? JSONValue(parsing: stored.rules))?.object, (try? rules.change(object)) != nil, !bank.questions.isEmpty else {
      throw .foreign("the game \(stored.id) is damaged")
    }
    var settings = HostedGame.Settings(
      id: stored.id, code: stored.code, title: stored.title, questions: bank.questions.map(\.value), rules: rules)
    settings.boardAddress = boardAddress?(stored.id)
    let mayPlay: @Sendable () -> Bool = { [weak self] in stored.account == nil || self?.isFreeOfOperator ?? false }
    let runner = GameRunner(
      stored, try GameRunner.restored(settings, from: writer.store), writer, injector, claim, mayPlay: mayPlay, say: say)
    state.withLock { state in
      state.runners[stored.id] = runner
      state.codes[stored.code] = stored.id
      state.order.append(stored.id)
      if stored.account == nil { state.own.append(runner) }
    }
    return runner
  }

  /// Whether no game of the operator waits for the stream: games of accounts come behind those.
  private var isFreeOfOperator: Bool {
    state.withLock { $0.own }.allSatisfy { runner in runner.hasEnded }
  }

  /// Forgets games that are over and older than a moment, and who played in them.
  func forget(before moment: Int64) async throws(StoreError) {
    try await writer.write([.forget(before: moment)])
    let left = Set(try await writer.read { (store) throws(StoreError) in try store.games().map(\.id) })
    state.withLock { state in
      state.order.removeAll { !left.contains($0) }
      state.own.removeAll { !left.contains($0.stored.id) }
      state.runners = state.runners.filter { left.contains($0.key) }
      state.codes = state.codes.filter { left.contains($0.value) }
    }
  }

  private func newID() -> String {
    let id = String((0..<12).map { _ in Self.letters.randomElement() ?? "A" }).lowercased()
    return game(id) == nil ? id : newID()
  }

  private func newCode() -> String {
    let code = String((0..<6).map { _ in Self.letters.randomElement() ?? "A" })
    return game(code: code) == nil ? code : newCode()
  }

  /// Without letters and digits that are mistaken for one another.
  private static let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
}
