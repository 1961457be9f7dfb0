import AnswerIntake
import Basics
import Foundation
package import GameHosting
import GRDB
import GameEvents
import Synchronization

/// Games in a folder: one SQLite database (GRDB), whose commits are on the disk before anybody hears of them.
package final class SQLiteStore: GameStore {
  private let database: DatabasePool
  private let clock: @Sendable () -> Int64
  /// Whether the write-ahead log has what was deleted.
  private let hasRemains = Mutex(false)

  /// The database's name in its folder.
  package static let fileName = "games.sqlite"

  /// Opens the database of a folder, and makes it where there is none. An older version is brought up to date.
  ///
  /// - Parameter clock: Tells milliseconds since 1970; `nil` for the system's.
  /// - Throws: ``StoreError``; `foreign` where a newer version has made it, which stays as it is.
  package init(folder: String, clock: (@Sendable () -> Int64)? = nil) throws(StoreError) {
    if let clock { self.clock = clock } else { self.clock = { Int64(Date().timeIntervalSince1970 * 1_000) } }
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      // What SQLite says of a statement would have the answers in it.
      configuration.publicStatementArguments = false
      // What players have deleted is not to be found in pages that are free.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
      database = try DatabasePool(path: "\(folder)/\(Self.fileName)", configuration: configuration)
      let migrator = Self.migrator
      guard try !database.read({ try migrator.hasBeenSuperseded($0) }) else {
        throw StoreError.foreign("\(folder): a newer version of cuelight-server has made this folder; use that one")
      }
      try migrator.migrate(database)
      // GRDB takes NORMAL for the one connection that writes, which would lose what was acknowledged when the power fails.
      try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.error(error)
    }
  }

  /// The versions of the tables. A version that was released is never changed: another one is added.
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in try database.execute(sql: tables) }
    migrator.registerMigration("2") { database in try database.execute(sql: additions) }
    migrator.registerMigration("3") { database in try database.execute(sql: approvals) }
    return migrator
  }

  private static let tables = """
    CREATE TABLE game (id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, account INTEGER, rules TEXT NOT NULL,
      quiz TEXT NOT NULL, createdAt INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE player (game TEXT NOT NULL, player INTEGER NOT NULL, nickname TEXT NOT NULL, key TEXT NOT NULL, joinedAt INTEGER,
      PRIMARY KEY (game, player), UNIQUE (game, key)) WITHOUT ROWID;
    CREATE TABLE event (id INTEGER PRIMARY KEY, game TEXT NOT NULL, json TEXT NOT NULL);
    CREATE INDEX eventOfGame ON event (game);
    CREATE TABLE decision (game TEXT NOT NULL, question INTEGER NOT NULL, kind TEXT NOT NULL, guid TEXT NOT NULL, json TEXT NOT NULL,
      PRIMARY KEY (game, question, kind)) WITHOUT ROWID;
    CREATE TABLE batch (id INTEGER PRIMARY KEY, game TEXT NOT NULL, answers BLOB NOT NULL);
    CREATE TABLE account (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE, password TEXT NOT NULL,
      createdAt INTEGER NOT NULL);
    CREATE TABLE quiz (id TEXT PRIMARY KEY, account INTEGER NOT NULL, title TEXT NOT NULL, json TEXT NOT NULL, createdAt INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE result (game TEXT PRIMARY KEY, account INTEGER, title TEXT NOT NULL, endedAt INTEGER NOT NULL, json TEXT NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE contact (game TEXT NOT NULL, player INTEGER NOT NULL, json TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (game, player))
      WITHOUT ROWID;
    CREATE TABLE revoked (session TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// When something happened last in a game has a table of its own: a row of `game` has the whole quiz.
  private static let additions = """
    ALTER TABLE game ADD COLUMN hostGeneration INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE activity (game TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO activity (game, at) SELECT id, CAST(strftime('%s', 'now') AS INTEGER) * 1000 FROM game;
    """

  private static let approvals = """
    ALTER TABLE game ADD COLUMN approval INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN banned INTEGER NOT NULL DEFAULT 0;
    """

  /// Whether a commit waits until the disk has it.
  package var isSynchronous: Bool {
    (try? database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }) == 2
  }

  // MARK: Changes

  package func apply(_ changes: [StoreChange]) throws(StoreError) {
    var deletes = false
    do {
      deletes = try database.write { database in
        var deletes = false
        for change in changes {
          deletes = try Self.deletes(change, database) || deletes
          try Self.apply(change, database)
        }
        for game in Set(changes.compactMap { $0.activeGame }) { try Self.note(game, at: clock(), database) }
        return deletes
      }
    } catch {
      throw Self.error(error)
    }
    clean(deletes)
  }

  package func check() throws(StoreError) {
    do {
      // The version is this program's to choose, and stays what it is; writing it takes a page of the log.
      try database.write { database in
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        try database.execute(sql: "PRAGMA user_version = \(version)")
      }
    } catch {
      throw Self.error(error)
    }
  }

  /// Whether a change takes out of the store what somebody has written or is known by: also a contact that takes the place of another one.
  private static func deletes(_ change: StoreChange, _ database: Database) throws -> Bool {
    guard case .contact(let contact) = change else { return change.deletesNames }
    let sql = "SELECT 1 FROM contact WHERE game = ? AND player = ?"
    return try Int.fetchOne(database, sql: sql, arguments: [contact.game, contact.player]) != nil
  }

  /// Takes what was deleted out of the write-ahead log, too: pages of before stay there until others overwrite them.
  private func clean(_ isDue: Bool) {
    guard
      hasRemains.withLock({ remains in
        if isDue { remains = true }
        return remains
      })
    else { return }
    // Somebody may be reading for so long that the log cannot be cut off: then the next change does it.
    guard (try? database.writeWithoutTransaction({ _ = try $0.checkpoint(.truncate) })) != nil else { return }
    hasRemains.withLock { $0 = false }
  }

  /// Keeps when something happened last in a game, to the hour: not every answer shall write one page more.
  private static func note(_ game: String, at moment: Int64, _ database: Database) throws {
    try run(
      database,
      "INSERT INTO activity (game, at) VALUES (?, ?) ON CONFLICT (game) DO UPDATE SET at = excluded.at "
        + "WHERE excluded.at >= activity.at + 3600000", [game, moment])
  }

  private static func apply(_ change: StoreChange, _ database: Database) throws {
    switch change {
    case .game(let game):
      try run(
        database,
        "INSERT INTO game (id, code, title, account, rules, quiz, createdAt, hostGeneration, approval) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
          + "ON CONFLICT (id) DO UPDATE SET title = excluded.title, rules = excluded.rules, quiz = excluded.quiz",
        [
          game.id, game.code, game.title, game.account, game.rules, game.quiz, game.createdAt, game.hostGeneration,
          game.approval.rawValue,
        ])
    case .player(let game, let player):
      try run(
        database, "INSERT INTO player (game, player, nickname, key, joinedAt) VALUES (?, ?, ?, ?, ?)",
        [game, player.player, player.nickname, player.key, player.joinedAt?.ticks])
    case .removePlayer(let removed): try remove(removed, database)
    case .hostGeneration(let game, let number):
      try run(database, "UPDATE game SET hostGeneration = max(hostGeneration, ?) WHERE id = ?", [number, game])
    case .record(let game, let record): try add(record, game, database)
    case .answers(let game, let bytes):
      try run(database, "INSERT INTO batch (game, answers) VALUES (?, ?)", [game, Data(bytes)])
    case .account(let account):
      try run(
        database, "INSERT INTO account (name, password, createdAt, banned) VALUES (?, ?, ?, ?)",
        [account.name, account.password, account.createdAt, account.isBanned ? 1 : 0])
    case .removeAccount(let id):
      try run(database, "DELETE FROM account WHERE id = ?", [id])
      try run(database, "DELETE FROM quiz WHERE account = ?", [id])
      try run(database, "DELETE FROM contact WHERE game IN (SELECT id FROM game WHERE account = ?)", [id])
      // The results stay as long as games do, and are nobody's.
      try run(database, "UPDATE result SET account = ? WHERE account = ?", [StoredGame.nobody, id])
      try run(
        database, "UPDATE game SET account = ?, hostGeneration = hostGeneration + 1 WHERE account = ?", [StoredGame.nobody, id])
    case .ban(let id, let isBanned):
      try run(database, "UPDATE account SET banned = ? WHERE id = ?", [isBanned ? 1 : 0, id])
      guard isBanned else { return }
      try run(
        database, "UPDATE game SET approval = ?, hostGeneration = hostGeneration + 1 WHERE account = ?",
        [StoredGame.Approval.barred.rawValue, id])
    case .approval(let game, let approval):
      try run(database, "UPDATE game SET approval = ? WHERE id = ?", [approval.rawValue, game])
    case .quiz(let quiz):
      try run(
        database, "INSERT INTO quiz (id, account, title, json, createdAt) VALUES (?, ?, ?, ?, ?)",
        [quiz.id, quiz.account, quiz.title, quiz.text, quiz.createdAt])
    case .removeQuiz(let id): try run(database, "DELETE FROM quiz WHERE id = ?", [id])
    case .result(let result):
      try run(
        database, "INSERT OR REPLACE INTO result (game, account, title, endedAt, json) VALUES (?, ?, ?, ?, ?)",
        [result.game, result.account, result.title, result.endedAt, result.text])
    case .contact(let contact):
      try run(
        database, "INSERT OR REPLACE INTO contact (game, player, json, at) VALUES (?, ?, ?, ?)",
        [contact.game, contact.player, contact.text, contact.at])
    case .removeContacts(let game): try run(database, "DELETE FROM contact WHERE game = ?", [game])
    case .revoke(let session, let until):
      try run(database, "INSERT OR REPLACE INTO revoked (session, until) VALUES (?, ?)", [session, until])
    case .forget(let moment):
      try forget("SELECT game FROM result WHERE endedAt < ?", [moment], database)
      try run(database, "DELETE FROM result WHERE endedAt < ?", [moment])
      try run(database, "DELETE FROM revoked WHERE until < ?", [moment / 1_000])
    case .forgetIdle(let games, let moment):
      for game in games { try forget("\(idle) AND game = ?", [moment, game], database) }
    // Nobody else has this store.
    case .outcome: break
    }
  }

  private static let idle = "SELECT game FROM activity WHERE at < ? AND game NOT IN (SELECT game FROM result)"

  /// Forgets the games of a selection, and who played in them.
  private static func forget(_ games: String, _ arguments: [(any DatabaseValueConvertible)?], _ database: Database) throws {
    for table in ["player", "batch", "event", "decision", "contact"] {
      try run(database, "DELETE FROM \(table) WHERE game IN (\(games))", arguments)
    }
    try run(database, "DELETE FROM game WHERE id IN (\(games))", arguments)
    // The last one, since the selection may look at it.
    try run(database, "DELETE FROM activity WHERE game IN (\(games))", arguments)
  }

  /// Leaves nothing of a player but the place in the roster: the numbers of the others depend on it.
  private static func remove(_ removed: RemovedPlayer, _ database: Database) throws {
    let game = removed.game
    try run(
      database, "UPDATE player SET nickname = ?, key = ?, joinedAt = NULL WHERE game = ? AND player = ?",
      [removed.mark, removed.mark, game, removed.player])
    try run(database, "DELETE FROM contact WHERE game = ? AND player = ?", [game, removed.player])
    if let result = removed.result { try run(database, "UPDATE result SET json = ? WHERE game = ?", [result, game]) }
    for id in try removed.batches ?? Int.fetchAll(database, sql: "SELECT id FROM batch WHERE game = ?", arguments: [game]) {
      let data = try Data.fetchOne(database, sql: "SELECT answers FROM batch WHERE id = ? AND game = ?", arguments: [id, game])
      guard let data else { continue }
      let batch = [UInt8](data)
      let left = try AnswerBatch.removing(UInt32(truncatingIfNeeded: removed.player), from: batch.span)
      if left.isEmpty {
        try run(database, "DELETE FROM batch WHERE id = ?", [id])
      } else if left.count < batch.count {
        try run(database, "UPDATE batch SET answers = ? WHERE id = ?", [Data(left), id])
      }
    }
    for row in try Row.fetchAll(database, sql: "SELECT id, json FROM event WHERE game = ? ORDER BY id", arguments: [game]) {
      let (id, text): (Int64, String) = (row["id"], row["json"])
      guard let record = HostingRecord(json: text) else { continue }
      let left = record.without(nickname: removed.nickname)
      if left != record { try run(database, "UPDATE event SET json = ? WHERE id = ?", [JSONValue.object(left.object).text, id]) }
      try keep(left, game, database)
    }
  }

  private static func add(_ record: HostingRecord, _ game: String, _ database: Database) throws {
    let json = JSONValue.object(record.object).text
    try run(database, "INSERT INTO event (game, json) VALUES (?, ?)", [game, json])
    try keep(record, game, database)
  }

  /// Keeps what is decided once. Where the injector has another result it is that one, and where a player is removed the same without the name: the key has
  /// no place for two.
  private static func keep(_ record: HostingRecord, _ game: String, _ database: Database) throws {
    guard let decision = record.decision else { return }
    try run(
      database, "INSERT OR REPLACE INTO decision (game, question, kind, guid, json) VALUES (?, ?, ?, ?, ?)",
      [game, decision.question, decision.kind, decision.guid.text, JSONValue.object(decision.cue).text])
  }

  private static func run(_ database: Database, _ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
    try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
  }

  // MARK: Questions

  package func unfinishedGames() throws(StoreError) -> [StoredGame] {
    try rows("SELECT * FROM game WHERE id NOT IN (SELECT game FROM result) ORDER BY createdAt, id", [], Self.game)
  }

  package func game(_ id: String) throws(StoreError) -> StoredGame? {
    try rows("SELECT * FROM game WHERE id = ?", [id], Self.game).first
  }

  package func game(code: String) throws(StoreError) -> StoredGame? {
    try rows("SELECT * FROM game WHERE code = ?", [code], Self.game).first
  }

  private static func game(_ row: Row) -> StoredGame {
    StoredGame(
      id: row["id"], code: row["code"], title: row["title"], account: row["account"], rules: row["rules"], quiz: row["quiz"],
      createdAt: row["createdAt"], hostGeneration: row["hostGeneration"], approval: .init(rawValue: row["approval"]) ?? .open)
  }

  package func games() throws(StoreError) -> [StoredGame] { try rows("SELECT * FROM game ORDER BY createdAt, id", [], Self.game) }

  package func idleGames(since moment: Int64) throws(StoreError) -> [String] {
    try rows("\(Self.idle) ORDER BY game", [moment]) { row -> String in row["game"] }
  }

  package func records(of game: String) throws(StoreError) -> [HostingRecord] {
    let records = try rows("SELECT json FROM event WHERE game = ? ORDER BY id", [game]) { row in HostingRecord(json: row["json"]) }
    guard records.allSatisfy({ $0 != nil }) else { throw .foreign("the game \(game) has a record that is damaged") }
    return records.compactMap { $0 }
  }

  package func players(of game: String) throws(StoreError) -> [StoredPlayer] {
    try rows("SELECT * FROM player WHERE game = ? ORDER BY player", [game]) { row in
      let ticks: Int64? = row["joinedAt"]
      return StoredPlayer(player: row["player"], nickname: row["nickname"], key: row["key"], joinedAt: ticks.map { MediaTime(ticks: $0) })
    }
  }

  package func batches(of game: String, after number: Int, size: Int) throws(StoreError) -> [StoredBatch] {
    do {
      return try database.read { database in
        var (batches, left) = ([StoredBatch](), size)
        let cursor = try Row.fetchCursor(
          database, sql: "SELECT id, answers FROM batch WHERE game = ? AND id > ? ORDER BY id", arguments: [game, number])
        while left > 0, let row = try cursor.next() {
          let data: Data = row["answers"]
          batches.append(StoredBatch(number: row["id"], answers: [UInt8](data)))
          left -= data.count
        }
        return batches
      }
    } catch {
      throw Self.error(error)
    }
  }

  package func account(named name: String) throws(StoreError) -> StoredAccount? {
    try rows("SELECT * FROM account WHERE name = ?", [name], Self.account).first
  }

  package func accounts(after id: Int, most: Int) throws(StoreError) -> [StoredAccount] {
    try rows("SELECT * FROM account WHERE id > ? ORDER BY id LIMIT ?", [id, most], Self.account)
  }

  package func account(_ id: Int) throws(StoreError) -> StoredAccount? {
    try rows("SELECT * FROM account WHERE id = ?", [id], Self.account).first
  }

  private static func account(_ row: Row) -> StoredAccount {
    StoredAccount(
      id: row["id"], name: row["name"], password: row["password"], createdAt: row["createdAt"], isBanned: row["banned"] != 0)
  }

  package func quizCount(of account: Int) throws(StoreError) -> Int {
    try rows("SELECT COUNT(*) AS count FROM quiz WHERE account = ?", [account]) { row -> Int in row["count"] }.first ?? 0
  }

  package func quizTitles(of account: Int) throws(StoreError) -> [QuizTitle] {
    try rows("SELECT id, title, createdAt FROM quiz WHERE account = ? ORDER BY createdAt, id", [account]) { row in
      QuizTitle(id: row["id"], title: row["title"], createdAt: row["createdAt"])
    }
  }

  package func quizzes(of account: Int, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredQuiz> {
    try page(
      "SELECT * FROM quiz WHERE account = ? AND (createdAt, id) > (?, ?) ORDER BY createdAt, id",
      [account, cursor?.number ?? .min, cursor?.id ?? ""], size: size
    ) { row in
      let quiz = Self.quiz(row)
      return (quiz, StoreCursor(number: quiz.createdAt, id: quiz.id), quiz.text.utf8.count)
    }
  }

  package func quiz(_ id: String) throws(StoreError) -> StoredQuiz? { try rows("SELECT * FROM quiz WHERE id = ?", [id], Self.quiz).first }

  private static func quiz(_ row: Row) -> StoredQuiz {
    StoredQuiz(id: row["id"], account: row["account"], title: row["title"], text: row["json"], createdAt: row["createdAt"])
  }

  package func results(of account: Int?, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredResult> {
    try page(
      "SELECT * FROM result WHERE account IS ? AND (-endedAt, game) > (?, ?) ORDER BY endedAt DESC, game",
      [account, cursor.map { 0 &- $0.number } ?? .min, cursor?.id ?? ""], size: size
    ) { row in
      let result = Self.result(row)
      return (result, StoreCursor(number: result.endedAt, id: result.game), result.text.utf8.count)
    }
  }

  package func result(of game: String) throws(StoreError) -> StoredResult? {
    try rows("SELECT * FROM result WHERE game = ?", [game], Self.result).first
  }

  private static func result(_ row: Row) -> StoredResult {
    StoredResult(game: row["game"], account: row["account"], title: row["title"], endedAt: row["endedAt"], text: row["json"])
  }

  package func contacts(of game: String, after cursor: StoreCursor?, size: Int) throws(StoreError) -> StorePage<StoredContact> {
    try page("SELECT * FROM contact WHERE game = ? AND player > ? ORDER BY player", [game, cursor?.number ?? -1], size: size) { row in
      let contact = Self.contact(row)
      return (contact, StoreCursor(number: Int64(contact.player)), contact.text.utf8.count)
    }
  }

  package func contact(of player: Int, in game: String) throws(StoreError) -> StoredContact? {
    try rows("SELECT * FROM contact WHERE game = ? AND player = ?", [game, player], Self.contact).first
  }

  private static func contact(_ row: Row) -> StoredContact {
    StoredContact(game: row["game"], player: row["player"], text: row["json"], at: row["at"])
  }

  package func isRevoked(session: String) throws(StoreError) -> Bool {
    try !rows("SELECT 1 FROM revoked WHERE session = ?", [session]) { _ in true }.isEmpty
  }

  private func rows<Value>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = [], _ value: (Row) throws -> Value
  ) throws(StoreError) -> [Value] {
    do {
      return try database.read { database in
        try Row.fetchAll(database.cachedStatement(sql: sql), arguments: StatementArguments(arguments)).map(value)
      }
    } catch {
      throw Self.error(error)
    }
  }

  /// Rows until they have a size, with where the next ones begin.
  private func page<Value: Sendable>(
    _ sql: String, _ arguments: [(any DatabaseValueConvertible)?], size: Int, _ value: (Row) -> (Value, StoreCursor, Int)
  ) throws(StoreError) -> StorePage<Value> {
    do {
      return try database.read { database in
        var (page, left, last) = (StorePage<Value>(), size, StoreCursor?.none)
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: StatementArguments(arguments))
        while let row = try cursor.next() {
          guard left > 0 else {
            page.next = last
            break
          }
          let (element, place, count) = value(row)
          page.elements.append(element)
          last = place
          left -= count + StorePage<Value>.entrySize
        }
        return page
      }
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ error: any Error) -> StoreError {
    guard let failure = error as? DatabaseError else { return .unavailable("\(error)") }
    return self.error(failure.resultCode, failure.message)
  }

  /// What a code of SQLite means.
  static func error(code: Int32, _ message: String?) -> StoreError { error(ResultCode(rawValue: code), message) }

  private static func error(_ code: ResultCode, _ message: String?) -> StoreError {
    switch code {
    case .SQLITE_CONSTRAINT: return .exists
    case .SQLITE_TOOBIG, .SQLITE_MISMATCH: return .unfit(message ?? "\(code)")
    case .SQLITE_FULL: return .full
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: return .foreign("\(fileName) is no database, or is damaged: \(message ?? "")")
    default: return .unavailable(message ?? "\(code)")
    }
  }
}
