import AnswerIntake
import Basics
import Foundation
package import GameHosting
import GameEvents
import LibPQ
import Synchronization

/// Games in a PostgreSQL database, which any number of processes share. Commits are on the server's disk, and on that of a synchronous standby,
/// before anybody hears of them.
package final class PostgreSQLStore: GameStore {
  /// Changes, and the lead: what needs the lead cannot come through where it is lost.
  let main: PostgreSQLLane
  /// Answers, which do not wait for anything else.
  let answers: PostgreSQLLane
  let joins: PostgreSQLLane
  let following: PostgreSQLLane
  let listening: PostgreSQLLane
  private let readers: [PostgreSQLLane]
  /// Reads lists that may be long.
  private let lists: PostgreSQLLane
  private let nextReader = Atomic<Int>(0)
  private let nextBatch = Atomic<Int>(0)
  private let clock: @Sendable () -> Int64
  package let node: String
  let isFenced = Atomic<Bool>(false)
  let leadCount = Atomic<Int>(0)
  /// How long answers wait for a server, at most.
  package let patience: Duration
  /// About how many bytes of answers are told at once to a node that follows.
  let newsSize: Int

  /// Connects to the database, and makes the tables where there are none. Older ones are brought up to date.
  ///
  /// - Parameters:
  ///   - address: As libpq takes it, with several hosts where one may take the place of another.
  ///   - password: Where neither `PGPASSWORD` nor a file that libpq knows has it.
  ///   - patience: How long answers wait for a server.
  ///   - newsSize: About how many bytes of answers are told at once to a node that follows.
  ///   - clock: Tells milliseconds since 1970; `nil` for the system's.
  /// - Throws: ``StoreError``; `foreign` where a newer version has made the tables.
  package init(
    address: String, password: String? = nil, patience: Duration = .seconds(8), newsSize: Int = 16 << 20,
    clock: (@Sendable () -> Int64)? = nil
  ) throws(StoreError) {
    if let clock { self.clock = clock } else { self.clock = { Int64(Date().timeIntervalSince1970 * 1_000) } }
    node = String((0..<12).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() ?? "a" })
    (self.patience, self.newsSize) = (patience, newsSize)
    let isNewer: Bool
    do throws(PostgreSQLError) {
      let address = try PostgreSQLConnection.Address(address, password: password)
      func lane(_ name: String) -> PostgreSQLLane { PostgreSQLLane(address, name: "cuelight \(name)") }
      (main, answers, joins, following, listening) = (lane("main"), lane("answers"), lane("joins"), lane("follow"), lane("listen"))
      readers = (1...3).map { lane("read \($0)") }
      lists = lane("lists")
      isNewer = try !PostgreSQLTables.migrate(main)
    } catch {
      throw Self.error(error)
    }
    guard !isNewer else { throw .foreign("a newer version of cuelight-server has made this database; use that one") }
  }

  deinit { close() }

  /// Closes all connections.
  package func close() { for lane in [main, answers, joins, following, listening, lists] + readers { lane.close() } }

  static func error(_ error: PostgreSQLError) -> StoreError {
    switch error {
    case .libraryMissing: .libraryMissing("\(error)")
    case .address(let reason): .address(reason)
    case .connection(let reason): .unavailable(reason)
    case .statement("CL001", _): .closed
    case .statement("CL002", let reason): .unavailable(reason)
    case .statement("53100", _): .full
    // Class 22 is about values.
    case .statement(let code, let reason) where code.hasPrefix("22"): .unfit(reason)
    case .statement: error.isUniqueViolation ? .exists : .unavailable("\(error)")
    }
  }

  /// Does something, and says what goes wrong as stores do.
  static func attempt<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(StoreError) -> Value {
    do throws(PostgreSQLError) { return try body() } catch { throw Self.error(error) }
  }

  // MARK: Changes

  package func apply(_ changes: [StoreChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    let areAnswers = changes.allSatisfy { if case .answers = $0 { true } else { false } }
    let firstBatch = nextBatch.add(changes.count, ordering: .relaxed).oldValue
    try Self.attempt { () throws(PostgreSQLError) in
      // Answers count once, however often they come, so that they may be tried again.
      try (areAnswers ? answers : main).transaction(patience: areAnswers ? patience : .zero) { (transaction) throws(PostgreSQLError) in
        if Self.needLead(changes) { try checkLead() }
        Self.lock(changes, &transaction)
        for (index, change) in changes.enumerated() { try Self.apply(change, batch: "\(node)-\(firstBatch + index)", &transaction) }
        for game in Set(changes.compactMap(\.activeGame)).sorted() { note(game, &transaction) }
        if !areAnswers { transaction.add("NOTIFY cuelight") }
      }
    }
  }

  package func check() throws(StoreError) {
    _ = try Self.attempt { () throws(PostgreSQLError) in try main.rows("SELECT 1") }
  }

  /// Whether changes are those of the node that leads: whoever makes a game writes its first records, too.
  private static func needLead(_ changes: [StoreChange]) -> Bool {
    let made = Set(changes.compactMap { if case .game(let game) = $0 { game.id } else { nil } })
    return changes.contains { change in
      switch change {
      case .record(let game, _): !made.contains(game)
      case .removePlayer, .forget, .forgetIdle: true
      default: false
      }
    }
  }

  /// Takes the locks of all questions that answers are for, always in the same order, before anything is written.
  private static func lock(_ changes: [StoreChange], _ transaction: inout PostgreSQLTransaction) {
    var names: Set<String> = []
    for case .answers(let game, let bytes) in changes { names.formUnion(questions(bytes).map { "\(game)/\($0)" }) }
    for name in names.sorted() { transaction.add("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 2))", [.text(name)]) }
  }

  /// The questions that a batch has answers to.
  private static func questions(_ bytes: [UInt8]) -> [UInt32] {
    Set(((try? AnswerBatch.decode(bytes.span)) ?? []).map(\.question)).sorted()
  }

  /// Keeps when something happened last in a game, to the hour: not every answer shall write one row more.
  func note(_ game: String, _ transaction: inout PostgreSQLTransaction) {
    transaction.add(
      "INSERT INTO activity (game, at) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM activity WHERE game = $1 AND at > $2 - 3600000) "
        + "ON CONFLICT (game) DO UPDATE SET at = excluded.at", [.text(game), .integer(clock())])
  }

  /// - Parameter batch: What a batch of answers is called: the same whenever it is tried.
  private static func apply(
    _ change: StoreChange, batch: String, _ transaction: inout PostgreSQLTransaction
  ) throws(PostgreSQLError) {
    func run(_ text: String, _ values: [PostgreSQLStatement.Value]) { transaction.add(text, values) }
    switch change {
    case .game(let game):
      run(
        "INSERT INTO game (\(gameColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
          + "ON CONFLICT (id) DO UPDATE SET title = excluded.title, rules = excluded.rules, quiz = excluded.quiz, tx = tx()",
        [
          .text(game.id), .text(game.code), .text(game.title), .optional(game.account), .text(game.rules), .text(game.quiz),
          .integer(game.createdAt), .integer(game.hostGeneration), .integer(game.approval.rawValue),
        ])
    case .player(let game, let player):
      run(
        "INSERT INTO player (game, player, nickname, key, joined_at) VALUES ($1, $2, $3, $4, $5)",
        [.text(game), .integer(player.player), .text(player.nickname), .text(player.key), .optional(player.joinedAt?.ticks)])
      run(
        "INSERT INTO look (game, look, player) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING",
        [.text(game), .texts(looks(of: player.nickname)), .integer(player.player)])
    case .removePlayer(let removed): try remove(removed, &transaction)
    case .hostGeneration(let game, let number):
      run("UPDATE game SET host_generation = greatest(host_generation, $1), tx = tx() WHERE id = $2", [.integer(number), .text(game)])
    case .record(let game, let record):
      run(
        "INSERT INTO event (game, number, json) SELECT $1, coalesce(max(number), 0) + 1, $2 FROM event WHERE game = $1",
        [.text(game), .text(JSONValue.object(record.object).text)])
      keep(record, game, &transaction)
    case .answers(let game, let bytes):
      run(
        "SELECT add_answers($1, $2::bigint[], $3, $4)",
        [.text(game), .texts(questions(bytes).map { "\($0)" }), .bytes(bytes), .text(batch)])
    case .account(let account):
      run(
        "INSERT INTO account (name, password, created_at, banned) VALUES ($1, $2, $3, $4)",
        [.text(account.name), .text(account.password), .integer(account.createdAt), .integer(account.isBanned ? 1 : 0)])
    case .removeAccount(let id):
      run("DELETE FROM account WHERE id = $1", [.integer(id)])
      run("DELETE FROM quiz WHERE account = $1", [.integer(id)])
      run("DELETE FROM contact WHERE game IN (SELECT id FROM game WHERE account = $1)", [.integer(id)])
      // The results stay as long as games do, and are nobody's.
      run("UPDATE result SET account = $2 WHERE account = $1", [.integer(id), .integer(StoredGame.nobody)])
      run(
        "UPDATE game SET account = $2, host_generation = host_generation + 1, tx = tx() WHERE account = $1",
        [.integer(id), .integer(StoredGame.nobody)])
    case .ban(let id, let isBanned):
      run("UPDATE account SET banned = $2 WHERE id = $1", [.integer(id), .integer(isBanned ? 1 : 0)])
      guard isBanned else { return }
      run(
        "UPDATE game SET approval = $2, host_generation = host_generation + 1, tx = tx() WHERE account = $1",
        [.integer(id), .integer(StoredGame.Approval.barred.rawValue)])
    case .approval(let game, let approval):
      run("UPDATE game SET approval = $2, tx = tx() WHERE id = $1", [.text(game), .integer(approval.rawValue)])
    case .quiz(let quiz):
      run(
        "INSERT INTO quiz (id, account, title, json, created_at) VALUES ($1, $2, $3, $4, $5)",
        [.text(quiz.id), .integer(quiz.account), .text(quiz.title), .text(quiz.text), .integer(quiz.createdAt)])
    case .removeQuiz(let id): run("DELETE FROM quiz WHERE id = $1", [.text(id)])
    case .result(let result):
      run(
        "INSERT INTO result (game, account, title, ended_at, json) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (game) DO UPDATE "
          + "SET account = excluded.account, title = excluded.title, ended_at = excluded.ended_at, json = excluded.json",
        [.text(result.game), .optional(result.account), .text(result.title), .integer(result.endedAt), .text(result.text)])
    case .contact(let contact):
      run(
        "INSERT INTO contact (game, player, json, at) VALUES ($1, $2, $3, $4) ON CONFLICT (game, player) DO UPDATE "
          + "SET json = excluded.json, at = excluded.at",
        [.text(contact.game), .integer(contact.player), .text(contact.text), .integer(contact.at)])
    case .removeContacts(let game): run("DELETE FROM contact WHERE game = $1", [.text(game)])
    case .revoke(let session, let until):
      run(
        "INSERT INTO revoked (session, until) VALUES ($1, $2) ON CONFLICT (session) DO UPDATE SET until = excluded.until",
        [.text(session), .integer(until)])
    case .forget(let moment):
      forget("SELECT game FROM result WHERE ended_at < $1", [.integer(moment)], &transaction)
      run("DELETE FROM result WHERE ended_at < $1", [.integer(moment)])
      run("DELETE FROM revoked WHERE until < $1", [.integer(moment / 1_000)])
    case .forgetIdle(let games, let moment):
      for game in games { forget("\(idle) AND game = $2", [.integer(moment), .text(game)], &transaction) }
    case .outcome(let request, let text):
      run("UPDATE request SET outcome = $2, tx = tx() WHERE id = $1", [.text(request), .text(text)])
    }
  }

  /// What a nickname must not be mistaken for.
  static func looks(of nickname: String) -> [String] { NicknameLook.looks(of: nickname).filter { !$0.isEmpty }.sorted() }

  private static let idle = "SELECT game FROM activity WHERE at < $1 AND game NOT IN (SELECT game FROM result)"

  /// Forgets the games of a selection, and who played in them.
  private static func forget(_ games: String, _ values: [PostgreSQLStatement.Value], _ transaction: inout PostgreSQLTransaction) {
    for table in ["player", "look", "batch", "event", "decision", "contact", "closed", "presence", "request", "lease"] {
      transaction.add("DELETE FROM \(table) WHERE game IN (\(games))", values)
    }
    transaction.add("DELETE FROM game WHERE id IN (\(games))", values)
    // The last one, since the selection may look at it.
    transaction.add("DELETE FROM activity WHERE game IN (\(games))", values)
  }

  /// Leaves nothing of a player but the place in the roster: the numbers of the others depend on it.
  private static func remove(_ removed: RemovedPlayer, _ transaction: inout PostgreSQLTransaction) throws(PostgreSQLError) {
    let (game, player) = (PostgreSQLStatement.Value.text(removed.game), PostgreSQLStatement.Value.integer(removed.player))
    transaction.add(
      "UPDATE player SET nickname = $1, key = $1, joined_at = NULL WHERE game = $2 AND player = $3", [.text(removed.mark), game, player])
    transaction.add("DELETE FROM look WHERE game = $1 AND player = $2", [game, player])
    transaction.add("DELETE FROM contact WHERE game = $1 AND player = $2", [game, player])
    if let result = removed.result { transaction.add("UPDATE result SET json = $1 WHERE game = $2", [.text(result), game]) }
    var numbers = removed.batches?.map { Int64($0) } ?? []
    if removed.batches == nil {
      numbers = try transaction.rows("SELECT id FROM batch WHERE game = $1 ORDER BY id", [game]).compactMap { $0.integer(0) }
    }
    for number in numbers {
      let found = try transaction.rows("SELECT answers FROM batch WHERE id = $1 AND game = $2 FOR UPDATE", [.integer(number), game]).first
      guard let batch = found?.bytes(0) else { continue }
      guard let left = try? AnswerBatch.removing(UInt32(truncatingIfNeeded: removed.player), from: batch.span) else { continue }
      if left.isEmpty {
        transaction.add("DELETE FROM batch WHERE id = $1", [.integer(number)])
      } else if left.count < batch.count {
        transaction.add("UPDATE batch SET answers = $1 WHERE id = $2", [.bytes(left), .integer(number)])
      }
    }
    for row in try transaction.rows("SELECT number, json FROM event WHERE game = $1 ORDER BY number", [game]) {
      guard let record = HostingRecord(json: row.text(1)) else { continue }
      let left = record.without(nickname: removed.nickname)
      if left != record {
        transaction.add(
          "UPDATE event SET json = $1 WHERE game = $2 AND number = $3",
          [.text(JSONValue.object(left.object).text), game, .integer(row.integer(0) ?? 0)])
      }
      keep(left, removed.game, &transaction)
    }
  }

  /// Keeps what is decided once: the key has no place for a second decision.
  private static func keep(_ record: HostingRecord, _ game: String, _ transaction: inout PostgreSQLTransaction) {
    guard let decision = record.decision else { return }
    transaction.add(
      "INSERT INTO decision (game, question, kind, guid, json) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (game, question, kind) DO UPDATE "
        + "SET guid = excluded.guid, json = excluded.json",
      [
        .text(game), .integer(decision.question), .text(decision.kind), .text(decision.guid.text),
        .text(JSONValue.object(decision.cue).text),
      ])
  }

  // MARK: Questions

  private func rows<Value>(
    _ text: String, _ values: [PostgreSQLStatement.Value] = [], on lane: PostgreSQLLane? = nil, _ value: (PostgreSQLRow) -> Value
  ) throws(StoreError) -> [Value] {
    let reader = lane ?? readers[Int(UInt(bitPattern: nextReader.add(1, ordering: .relaxed).oldValue) % UInt(readers.count))]
    // Reading twice is reading once: a connection that was lost long ago is found out by this.
    return try Self.attempt { () throws(PostgreSQLError) in try reader.rows(text, values, patience: .seconds(2)) }.map(value)
  }

  /// The maximum number of rows of a page.
  private static let mostRows = 1_001

  /// Rows until their JSON has a size, with where the next ones begin.
  ///
  /// - Parameters:
  ///   - source: The table and the condition.
  ///   - order: What the rows are ordered by.
  private func page<Value: Sendable>(
    _ columns: String, of source: String, by order: String, _ values: [PostgreSQLStatement.Value], size: Int,
    _ value: (PostgreSQLRow) -> (Value, StoreCursor)
  ) throws(StoreError) -> StorePage<Value> {
    let weight = "(octet_length(json) + \(StorePage<Value>.entrySize))"
    let rows = try rows(
      "SELECT \(columns), total FROM (SELECT \(columns), count(*) OVER () AS total, sum\(weight) OVER (ORDER BY \(order)) - \(weight) "
        + "AS before FROM (SELECT \(columns) FROM \(source) ORDER BY \(order) LIMIT \(Self.mostRows)) AS page) AS sums "
        + "WHERE before < $\(values.count + 1) ORDER BY \(order)", values + [.integer(max(size, 1))], on: lists
    ) { row in (value(row), row.integer(row.columns.count - 1) ?? 0) }
    let total = Int(rows.first?.1 ?? 0)
    let hasMore = rows.count < total || total == Self.mostRows
    return StorePage(rows.map { $0.0.0 }, next: hasMore ? rows.last?.0.1 : nil)
  }

  package func unfinishedGames() throws(StoreError) -> [StoredGame] {
    try rows("SELECT \(Self.gameColumns) FROM game WHERE id NOT IN (SELECT game FROM result) ORDER BY created_at, id", [], Self.game)
  }

  package func game(_ id: String) throws(StoreError) -> StoredGame? {
    try rows("SELECT \(Self.gameColumns) FROM game WHERE id = $1", [.text(id)], Self.game).first
  }

  package func game(code: String) throws(StoreError) -> StoredGame? {
    try rows("SELECT \(Self.gameColumns) FROM game WHERE code = $1", [.text(code)], Self.game).first
  }

  static let gameColumns = "id, code, title, account, rules, quiz, created_at, host_generation, approval"

  static func game(_ row: PostgreSQLRow) -> StoredGame {
    StoredGame(
      id: row.text(0), code: row.text(1), title: row.text(2), account: row.integer(3).map { Int($0) }, rules: row.text(4),
      quiz: row.text(5), createdAt: row.integer(6) ?? 0, hostGeneration: Int(row.integer(7) ?? 0),
      approval: row.integer(8).flatMap { StoredGame.Approval(rawValue: Int($0)) } ?? .open)
  }

  package func idleGames(since moment: Int64) throws(StoreError) -> [String] {
    try rows("\(Self.idle) ORDER BY game", [.integer(moment)]) { $0.text(0) }
  }

  package func records(of game: String) throws(StoreError) -> [HostingRecord] {
    let records = try rows("SELECT json FROM event WHERE game = $1 ORDER BY number", [.text(game)]) { HostingRecord(json: $0.text(0)) }
    guard records.allSatisfy({ $0 != nil }) else { throw .foreign("the game \(game) has a record that is damaged") }
    return records.compactMap { $0 }
  }

  static let playerColumns = "player, nickname, key, joined_at"

  static func player(_ row: PostgreSQLRow, from column: Int = 0) -> StoredPlayer {
    StoredPlayer(
      player: Int(row.integer(column) ?? 0), nickname: row.text(column + 1), key: row.text(column + 2),
      joinedAt: row.integer(column + 3).map { MediaTime(ticks: $0) })
  }

  package func players(of game: String) throws(StoreError) -> [StoredPlayer] {
    try rows("SELECT \(Self.playerColumns) FROM player WHERE game = $1 ORDER BY player", [.text(game)]) { Self.player($0) }
  }

  package func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch] {
    // As many as have the size together, with the one that goes beyond it.
    try rows(
      "SELECT id, answers FROM (SELECT id, answers, sum(length(answers)) OVER (ORDER BY id) - length(answers) AS before FROM "
        + "(SELECT id, answers FROM batch WHERE game = $1 AND id > $2 ORDER BY id LIMIT $3) AS page) AS sums WHERE before < $4 ORDER BY id",
      [.text(game), .integer(number), .integer(min(max(size, 1), 1_000)), .integer(size)]
    ) { StoredBatch(number: Int($0.integer(0) ?? 0), answers: $0.bytes(1)) }
  }

  package func account(named name: String) throws(StoreError) -> StoredAccount? {
    try rows(
      "SELECT \(Self.accountColumns) FROM account WHERE lower(name) = lower($1 COLLATE \"C\")", [.text(name)], Self.account
    ).first
  }

  package func account(_ id: Int) throws(StoreError) -> StoredAccount? {
    try rows("SELECT \(Self.accountColumns) FROM account WHERE id = $1", [.integer(id)], Self.account).first
  }

  package func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount] {
    try rows(
      "SELECT \(Self.accountColumns) FROM account WHERE id > $1 ORDER BY id LIMIT $2", [.integer(id), .integer(most)], on: lists,
      Self.account)
  }

  private static let accountColumns = "id, name, password, created_at, banned"

  private static func account(_ row: PostgreSQLRow) -> StoredAccount {
    StoredAccount(
      id: Int(row.integer(0) ?? 0), name: row.text(1), password: row.text(2), createdAt: row.integer(3) ?? 0,
      isBanned: row.integer(4) != 0)
  }

  package func quizCount(of account: Int) throws(StoreError) -> Int {
    try rows("SELECT count(*) FROM quiz WHERE account = $1", [.integer(account)]) { Int($0.integer(0) ?? 0) }.first ?? 0
  }

  private static let quizColumns = "id, account, title, json, created_at"

  package func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle] {
    try rows("SELECT id, title, created_at FROM quiz WHERE account = $1 ORDER BY created_at, id", [.integer(account)], on: lists) {
      QuizTitle(id: $0.text(0), title: $0.text(1), createdAt: $0.integer(2) ?? 0)
    }
  }

  package func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz> {
    try page(
      Self.quizColumns, of: "quiz WHERE account = $1 AND (created_at, id) > ($2, $3)", by: "created_at, id",
      [.integer(account), .integer(cursor?.number ?? .min), .text(cursor?.id ?? "")], size: size
    ) { row in
      let quiz = Self.quiz(row)
      return (quiz, StoreCursor(number: quiz.createdAt, id: quiz.id))
    }
  }

  package func quiz(_ id: String) throws(StoreError) -> StoredQuiz? {
    try rows("SELECT \(Self.quizColumns) FROM quiz WHERE id = $1", [.text(id)], on: lists, Self.quiz).first
  }

  private static func quiz(_ row: PostgreSQLRow) -> StoredQuiz {
    StoredQuiz(
      id: row.text(0), account: Int(row.integer(1) ?? 0), title: row.text(2), text: row.text(3), createdAt: row.integer(4) ?? 0)
  }

  private static let resultColumns = "game, account, title, ended_at, json"

  package func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult> {
    let owner = account.map { "account = \($0)" } ?? "account IS NULL"
    return try page(
      Self.resultColumns, of: "result WHERE \(owner) AND (-ended_at, game) > ($1, $2)", by: "ended_at DESC, game",
      [.integer(cursor.map { 0 &- $0.number } ?? .min), .text(cursor?.id ?? "")], size: size
    ) { row in
      let result = Self.result(row)
      return (result, StoreCursor(number: result.endedAt, id: result.game))
    }
  }

  package func result(of game: String) throws(StoreError) -> StoredResult? {
    try rows("SELECT \(Self.resultColumns) FROM result WHERE game = $1", [.text(game)], Self.result).first
  }

  private static func result(_ row: PostgreSQLRow) -> StoredResult {
    StoredResult(
      game: row.text(0), account: row.integer(1).map { Int($0) }, title: row.text(2), endedAt: row.integer(3) ?? 0, text: row.text(4))
  }

  package func games() throws(StoreError) -> [StoredGame] {
    try rows("SELECT \(Self.gameColumns) FROM game ORDER BY created_at, id", [], Self.game)
  }

  package func contacts(of game: String, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredContact> {
    try page(
      "game, player, json, at", of: "contact WHERE game = $1 AND player > $2", by: "player",
      [.text(game), .integer(cursor?.number ?? -1)], size: size
    ) { row in
      let contact = Self.contact(row)
      return (contact, StoreCursor(number: Int64(contact.player)))
    }
  }

  package func contact(of player: Int, in game: String) throws(StoreError) -> StoredContact? {
    try rows("SELECT game, player, json, at FROM contact WHERE game = $1 AND player = $2", [.text(game), .integer(player)], Self.contact)
      .first
  }

  private static func contact(_ row: PostgreSQLRow) -> StoredContact {
    StoredContact(game: row.text(0), player: Int(row.integer(1) ?? 0), text: row.text(2), at: row.integer(3) ?? 0)
  }

  package func isRevoked(session: String) throws(StoreError) -> Bool {
    try !rows("SELECT 1 FROM revoked WHERE session = $1", [.text(session)]) { _ in true }.isEmpty
  }
}

extension PostgreSQLStatement.Value {
  static func optional(_ value: (some BinaryInteger)?) -> Self { value.map { .integer(Int64($0)) } ?? .null }
}
