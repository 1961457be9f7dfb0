import Basics
import GameHosting
import GameStore
import LibC
import Questions
import Scoring
import Sheets
import Synchronization
import WebSupport

/// Makes games, and reads them from the store.
extension GameDirectory {
  /// The properties of a new game.
  struct Plan: Sendable {
    var id: String?
    var title: String
    var bank: QuestionBank
    var rules = GameRules()
    var account: Int?
    /// The name of the stream; `nil` for the first one.
    var stream: String?
    var isAutomatic = false
    var startsAt: Int64?
    var entryOpensAt: Int64?
  }

  /// Checks whether there is room for one more game: the operator's games have no limit.
  ///
  /// - Throws: `GameFailure`.
  private func requireRoom(for account: Int?) throws(GameFailure) {
    guard let account else { return }
    let games = all.filter { runner in runner.stored.account != nil && !runner.look { game in game.end != nil } }
    guard games.count(where: { $0.stored.account == account }) < Self.mostOfAccount else {
      throw .hosting(.notNow("an account has \(Self.mostOfAccount) games that are not over at most; end some of them"))
    }
    guard games.count < Self.mostRunning else { throw .hosting(.notNow("there are \(Self.mostRunning) games; come back later")) }
  }

  /// Makes a game, and returns when it is in the store.
  func make(_ plan: Plan) async throws(GameFailure) -> GameRunner {
    try requireRoom(for: plan.account)
    var game = StoredGame(
      id: plan.id ?? Self.newID(), code: Self.newCode(), title: plan.title, account: plan.account,
      rules: plan.rules.object.text, quiz: plan.bank.json, createdAt: WallClock.now,
      stream: plan.stream ?? streams.first)
    var planned = HostedGame(HostedGame.Settings(id: game.id, code: game.code, title: game.title, questions: [], rules: plan.rules))
    let change: HostedGame.Change
    do throws(HostingProblem) {
      change = try planned.plan(automatic: plan.isAutomatic, startsAt: plan.startsAt, entryOpensAt: plan.entryOpensAt)
    } catch {
      throw .hosting(error)
    }
    for number in 1... {
      do throws(StoreError) {
        // Stored together, so that a crash never leaves a game without its plan.
        try await writer.write([.game(game)] + change.records.map { .record(game: game.id, $0) })
        break
      } catch {
        // Only the store knows the codes of all games.
        guard error == .exists, number < Self.tries else { throw .store(error) }
        game.code = Self.newCode()
      }
    }
    let made = game
    do throws(StoreError) {
      guard let runner = try await load({ (_) throws(StoreError) in made }) else { throw .unavailable("the game is not there") }
      return runner
    } catch {
      throw .store(error)
    }
  }

  /// Reads a game from the store, if there is one, unless it has been loaded in the meantime.
  func load(_ find: @escaping @Sendable (any GameStore) throws(StoreError) -> StoredGame?) async throws(StoreError) -> GameRunner? {
    try await loader.run { [self] () throws(StoreError) in try find(writer.store).map { (stored) throws(StoreError) in try bring(stored) } }
  }

  /// Brings a game into memory. Changes by other processes in the meantime are applied afterwards.
  private func bring(_ stored: StoredGame) throws(StoreError) -> GameRunner {
    if let known = game(stored.id) ?? comeBack(stored.id) { return known }
    return try cluster.exclusively { () throws(StoreError) in
      if let known = game(stored.id) { return known }
      return try add(stored)
    }
  }

  @discardableResult
  func add(_ stored: StoredGame) throws(StoreError) -> GameRunner {
    let (bank, rules) = try Self.contents(of: stored)
    var settings = HostedGame.Settings(
      id: stored.id, code: stored.code, title: stored.title, questions: bank.questions.map(\.value), rules: rules)
    settings.boardAddress = boardAddress?(stored.id)
    settings.recording = recordKey?.recording(of: stored.id)
    let stream = streams.stream(of: stored.stream)
    settings.largestTagSize = stream.injector.largestTagSize
    let mayPlay: @Sendable () -> Bool = { [weak self] in
      stored.account == nil || self.map { $0.hasAccounts && $0.isFreeOfOperator(stream) } ?? false
    }
    let (game, recordNumber) = try GameKeeper.restored(settings, from: writer.store)
    let runner = GameRunner(
      stored, game, recordNumber: recordNumber, writer, answers: answerWriter, cluster, stream, mayPlay: mayPlay,
      changed: { [gamesToAdvance, gamesToInject] in
        gamesToAdvance.tell(stored.id)
        gamesToInject.tell(stored.id)
      }, say: say)
    tellNews(of: runner)
    keep(runner)
    return runner
  }

  /// The questions and the rules of a game as they are stored.
  static func contents(of stored: StoredGame) throws(StoreError) -> (QuestionBank, GameRules) {
    let reading = QuizFile.read(Array(stored.quiz.utf8), format: .json)
    guard !reading.bank.questions.isEmpty else {
      throw .foreign("the game \(stored.id) is damaged: its quiz has no question\(reading.problems.first.map { " (\($0))" } ?? "")")
    }
    var rules = GameRules()
    do {
      guard let object = try JSONValue(parsing: stored.rules).object else {
        throw StoreError.foreign("the game \(stored.id) is damaged: its rules are no object")
      }
      try rules.change(object)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .foreign("the game \(stored.id) is damaged: its rules cannot be read: \(error)")
    }
    return (reading.bank, rules)
  }

  /// Adds a game that another node has made.
  func comeToKnow(_ stored: StoredGame) {
    do throws(StoreError) { try add(stored) } catch { say("\(error); it is left out") }
  }

  /// Drops a game that another node has forgotten.
  func retire(_ runner: GameRunner) {
    leave(runner)
    runner.keeper.retire()
  }

  func keep(_ runner: GameRunner) {
    let stored = runner.stored
    state.withLock { state in
      state.entries[stored.id] = Entry(runner: runner)
      state.codes[stored.code] = stored.id
      state.order.append(stored.id)
      if stored.account == nil { state.own.append(runner) }
    }
    gamesToAdvance.tell(stored.id)
    gamesToInject.tell(stored.id)
    dismiss(at: .now)
  }

  /// Whether no game of the operator waits for a stream: it takes precedence over games of accounts.
  private func isFreeOfOperator(_ stream: GameStreams.Stream) -> Bool {
    state.withLock { $0.own }.allSatisfy { runner in runner.hasEnded || runner.stream !== stream }
  }

  /// The maximum number of unfinished games of accounts.
  private static let mostRunning = 1_000
  /// The number of attempts to choose a code that no other game has.
  private static let tries = 8

  // Without letters and digits that are easily confused.
  private static func newID() -> String { .random(12, of: "abcdefghjklmnpqrstuvwxyz23456789") }

  private static func newCode() -> String { .random(6, of: "ABCDEFGHJKLMNPQRSTUVWXYZ23456789") }
}
