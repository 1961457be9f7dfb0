import AnswerIntake
import Dispatch
import GameHosting
import GameStore
import Synchronization
import Testing

/// A door at which whoever comes waits while it is closed.
final class Gate: Sendable {
  private struct State {
    var isClosed = false
    var waiting = 0
  }

  private let state = Mutex(State())
  private let opened = DispatchSemaphore(value: 0)

  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    let waiting = state.withLock { state in
      defer { (state.isClosed, state.waiting) = (false, 0) }
      return state.waiting
    }
    for _ in 0..<waiting { opened.signal() }
  }

  /// Goes through, once it is open.
  func pass() {
    let isClosed = state.withLock { state in
      state.waiting += state.isClosed ? 1 : 0
      return state.isClosed
    }
    // A test that fails shall end, too; but a busy machine may take minutes until a test goes on.
    if isClosed { _ = opened.wait(timeout: .now() + 3_600) }
  }

  /// How many wait.
  var waiting: Int { state.withLock { $0.waiting } }
}

/// A store in memory that fails and waits when a test wants it.
final class FakeStore: GameStore {
  private struct State {
    var games: [StoredGame] = []
    var players: [(game: String, player: StoredPlayer)] = []
    var records: [(game: String, record: HostingRecord)] = []
    var batches: [(game: String, batch: [UInt8])] = []
    var results: [StoredResult] = []
    var accounts: [StoredAccount] = []
    var contacts: [StoredContact] = []
    var revoked: Set<String> = []
    /// The games in which nothing has happened for long, as the test says.
    var idle: Set<String> = []
    /// What came into the store together.
    var transactions: [[StoreChange]] = []
    var attempts = 0
    var checks = 0
    var failure: StoreError?
    var readingFailure: StoreError?
    var breaksRule: @Sendable (StoreChange) -> Bool = { _ in false }
    var refusal = StoreError.exists
  }

  private let state = Mutex(State())
  /// What is written waits here before anything is done.
  let writing = Gate()
  /// Who reads long lists waits here.
  let lists = Gate()
  /// Who reads players waits here.
  let reading = Gate()

  /// Makes every change fail from now on, or none any more.
  func fail(_ failure: StoreError?) { state.withLock { $0.failure = failure } }

  /// Makes everybody fail who reads players, or nobody any more.
  func failReading(_ failure: StoreError?) { state.withLock { $0.readingFailure = failure } }

  /// Which changes break a rule of the tables.
  func refuse(with refusal: StoreError = .exists, _ breaksRule: @escaping @Sendable (StoreChange) -> Bool) {
    state.withLock { ($0.refusal, $0.breaksRule) = (refusal, breaksRule) }
  }

  /// What came into the store together, in order.
  var transactions: [[StoreChange]] { state.withLock { $0.transactions } }
  /// How often somebody wanted to change something.
  var attempts: Int { state.withLock { $0.attempts } }
  var results: [StoredResult] { state.withLock { $0.results } }

  func apply(_ changes: [StoreChange]) throws(StoreError) {
    state.withLock { $0.attempts += 1 }
    writing.pass()
    let failure: StoreError? = state.withLock { state in
      if let failure = state.failure { return failure }
      if changes.contains(where: state.breaksRule) { return state.refusal }
      for change in changes { Self.apply(change, &state) }
      state.transactions.append(changes)
      return nil
    }
    if let failure { throw failure }
  }

  func check() throws(StoreError) {
    state.withLock { $0.checks += 1 }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// How often somebody wanted to know whether it can be written to.
  var checks: Int { state.withLock { $0.checks } }

  private static func apply(_ change: StoreChange, _ state: inout State) {
    switch change {
    case .game(let game):
      state.games.removeAll { $0.id == game.id }
      state.games.append(game)
    case .player(let game, let player): state.players.append((game, player))
    case .changePlayer(let game, let player):
      for index in state.players.indices where state.players[index].game == game && state.players[index].player.player == player.player {
        state.players[index].player = player
      }
    case .record(let game, let record): state.records.append((game, record))
    case .answers(let game, let batch): state.batches.append((game, batch))
    case .result(let result): state.results.append(result)
    case .account(let account): state.accounts.append(account)
    case .contact(let contact): state.contacts.append(contact)
    case .revoke(let session, _): state.revoked.insert(session)
    case .hostGeneration(let game, let number):
      for index in state.games.indices where state.games[index].id == game { state.games[index].hostGeneration = number }
    case .approval(let game, let approval):
      for index in state.games.indices where state.games[index].id == game { state.games[index].approval = approval }
    case .ban(let account, let isBanned):
      for index in state.accounts.indices where state.accounts[index].id == account { state.accounts[index].isBanned = isBanned }
    case .removePlayer(let removed): remove(removed, &state)
    case .forgetIdle(let games, _): state.games.removeAll { state.idle.contains($0.id) && games.contains($0.id) }
    case .removeAccount, .quiz, .removeQuiz, .removeContacts, .forget, .outcome: break
    }
  }

  private static func remove(_ removed: RemovedPlayer, _ state: inout State) {
    for index in state.players.indices {
      guard state.players[index].game == removed.game, state.players[index].player.player == removed.player else { continue }
      state.players[index].player = StoredPlayer(player: removed.player, nickname: removed.mark, key: removed.mark, joinedAt: nil)
    }
    state.contacts.removeAll { $0.game == removed.game && $0.player == removed.player }
    for index in state.batches.indices where state.batches[index].game == removed.game {
      let batch = state.batches[index].batch
      state.batches[index].batch = (try? AnswerBatch.removing(UInt32(removed.player), from: batch.span)) ?? []
    }
    state.batches.removeAll { $0.batch.isEmpty }
    for index in state.records.indices where state.records[index].game == removed.game {
      state.records[index].record = state.records[index].record.without(nickname: removed.nickname)
    }
    for index in state.results.indices where state.results[index].game == removed.game {
      if let result = removed.result { state.results[index].text = result }
    }
  }

  /// Says that nothing has happened in a game for long.
  func fallAsleep(_ game: String) { state.withLock { _ = $0.idle.insert(game) } }

  func unfinishedGames() throws(StoreError) -> [StoredGame] {
    state.withLock { state in state.games.filter { game in !state.results.contains { $0.game == game.id } } }
  }

  func games() throws(StoreError) -> [StoredGame] { state.withLock { $0.games } }
  func game(_ id: String) throws(StoreError) -> StoredGame? { state.withLock { $0.games.first { $0.id == id } } }
  func game(code: String) throws(StoreError) -> StoredGame? { state.withLock { $0.games.first { $0.code == code } } }
  func idleGames(since moment: Int64) throws(StoreError) -> [String] { state.withLock { $0.idle.sorted() } }

  func records(of game: String) throws(StoreError) -> [HostingRecord] {
    state.withLock { state in state.records.filter { $0.game == game }.map { $0.record } }
  }

  func players(of game: String) throws(StoreError) -> [StoredPlayer] {
    reading.pass()
    if let failure = state.withLock({ $0.readingFailure }) { throw failure }
    return state.withLock { state in state.players.filter { $0.game == game }.map { $0.player } }
  }

  func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch] {
    state.withLock { state in
      var (batches, left) = ([StoredBatch](), size)
      for (index, entry) in state.batches.enumerated().dropFirst(number) where entry.game == game && left > 0 {
        batches.append(StoredBatch(number: index + 1, answers: entry.batch))
        left -= entry.batch.count
      }
      return batches
    }
  }

  func account(named name: String) throws(StoreError) -> StoredAccount? { state.withLock { $0.accounts.first { $0.name == name } } }
  func account(_ id: Int) throws(StoreError) -> StoredAccount? { state.withLock { $0.accounts.first { $0.id == id } } }
  func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount] {
    state.withLock { Array($0.accounts.filter { $0.id > id }.prefix(most)) }
  }
  func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle] { [] }
  func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz> {
    lists.pass()
    return StorePage()
  }
  func quizCount(of account: Int) throws(StoreError) -> Int { 0 }
  func quiz(_ id: String) throws(StoreError) -> StoredQuiz? { nil }
  func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult> {
    lists.pass()
    return StorePage()
  }
  func result(of game: String) throws(StoreError) -> StoredResult? { state.withLock { $0.results.last { $0.game == game } } }
  func contacts(of game: String, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredContact> {
    StorePage(state.withLock { state in state.contacts.filter { $0.game == game && $0.player > cursor?.number ?? -1 } })
  }
  func contact(of player: Int, in game: String) throws(StoreError) -> StoredContact? {
    state.withLock { state in state.contacts.last { $0.game == game && $0.player == player } }
  }
  func isRevoked(session: String) throws(StoreError) -> Bool { state.withLock { $0.revoked.contains(session) } }
}

/// What has happened, in order, as many threads say it.
final class Log: Sendable {
  private let state = Mutex<[String]>([])

  func add(_ line: String) { state.withLock { $0.append(line) } }

  var lines: [String] { state.withLock { $0 } }
}

/// Waits until something is so. It looks so many times rather than for so long: among other tests a task may not have its turn for a minute.
func until(_ what: String, _ isSo: @Sendable () async -> Bool) async throws {
  for _ in 0..<20_000 {
    if await isSo() { return }
    try await Task.sleep(for: .milliseconds(1))
  }
  throw NeverSo(what: what)
}

/// What was waited for in vain.
struct NeverSo: Error { let what: String }
