import Basics
import Foundation
import GRDB
import LibPQ

/// A statement in the dialects of SQLite and of PostgreSQL.
struct SQLStatement: Equatable, Sendable {
  let sqlite: String
  let postgreSQL: String
  /// Whether its result may be long, so that short queries must not wait for it.
  let isLong: Bool

  /// A statement that differs between the databases.
  init(sqlite: String, postgreSQL: String, isLong: Bool = false) {
    (self.sqlite, self.postgreSQL, self.isLong) = (sqlite, postgreSQL, isLong)
  }

  /// - Parameter text: In PostgreSQL's dialect. It is translated for SQLite.
  init(_ text: String, isLong: Bool = false) {
    self.init(sqlite: Self.words.reduce(text) { $0.replacing($1.0, with: $1.1) }, postgreSQL: text, isLong: isLong)
  }

  /// Words in PostgreSQL's tables and statements, and their replacements in SQLite's.
  private static let words = [
    ("$", "?"), ("created_at", "createdAt"), ("joined_at", "joinedAt"), ("ended_at", "endedAt"), ("host_generation", "hostGeneration"),
    ("event.number", "event.id"), (", tx = tx()", ""), (" FOR UPDATE", ""),
  ]
}

/// The statements for both databases. Those for only one of them are in its store.
extension SQLStatement {
  // MARK: Games

  static let gameColumns = "id, code, title, account, rules, quiz, created_at, host_generation, approval, stream"
  static let addGame = Self(
    "INSERT INTO game (\(gameColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
      + "ON CONFLICT (id) DO UPDATE SET title = excluded.title, rules = excluded.rules, quiz = excluded.quiz, tx = tx()")
  static let renewHost = Self(
    "UPDATE game SET host_generation = CASE WHEN host_generation < $1 THEN $1 ELSE host_generation END, tx = tx() WHERE id = $2")
  static let approve = Self("UPDATE game SET approval = $2, tx = tx() WHERE id = $1")
  static let game = Self("SELECT \(gameColumns) FROM game WHERE id = $1")
  static let gameOfCode = Self("SELECT \(gameColumns) FROM game WHERE code = $1")
  static let games = Self("SELECT \(gameColumns) FROM game ORDER BY created_at, id")
  static let unfinishedGames = Self(
    "SELECT \(gameColumns) FROM game WHERE id NOT IN (SELECT game FROM result) ORDER BY created_at, id")

  /// Stores when something last happened in a game, to the hour, so that not every answer writes one row more.
  static let note = Self(
    "INSERT INTO activity (game, at) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM activity WHERE game = $1 AND at > $2 - 3600000) "
      + "ON CONFLICT (game) DO UPDATE SET at = excluded.at")
  /// The games that are not over and in which nothing has happened since a moment.
  static let idle = "SELECT game FROM activity WHERE at < $1 AND game NOT IN (SELECT game FROM result)"
  static let idleGames = Self("\(idle) ORDER BY game")
  /// The games that were over before a moment.
  static let over = "SELECT game FROM result WHERE ended_at < $1"

  /// Deletes the rows of a table that belong to selected games.
  static func forget(_ games: String, in table: String, column: String = "game") -> Self {
    Self("DELETE FROM \(table) WHERE \(column) IN (\(games))")
  }

  // MARK: Players

  static let playerColumns = "player, nickname, key, joined_at, team"
  static let addPlayer = Self("INSERT INTO player (game, \(playerColumns)) VALUES ($1, $2, $3, $4, $5, $6)")
  static let changePlayer = Self("UPDATE player SET nickname = $3, team = $4 WHERE game = $1 AND player = $2 AND key = $5")
  static let blankPlayer = Self(
    "UPDATE player SET nickname = $3, key = $3, joined_at = NULL, team = NULL WHERE game = $1 AND player = $2")
  static let players = Self("SELECT \(playerColumns) FROM player WHERE game = $1 ORDER BY player")

  // MARK: Records

  static let addRecord = Self(
    sqlite: "INSERT INTO event (game, json) VALUES (?1, ?2)",
    postgreSQL: "INSERT INTO event (game, number, json) SELECT $1, coalesce(max(number), 0) + 1, $2 FROM event WHERE game = $1")
  static let changeRecord = Self("UPDATE event SET json = $3 WHERE game = $1 AND event.number = $2")
  static let records = Self("SELECT json, event.number FROM event WHERE game = $1 ORDER BY event.number")
  /// The key allows one decision: a second one replaces the first.
  static let decide = Self(
    "INSERT INTO decision (game, question, kind, guid, json) VALUES ($1, $2, $3, $4, $5) "
      + "ON CONFLICT (game, question, kind) DO UPDATE SET guid = excluded.guid, json = excluded.json")

  // MARK: Answers

  static let addBatch = Self("INSERT INTO batch (game, answers) VALUES ($1, $2)")
  static let changeBatch = Self("UPDATE batch SET answers = $2 WHERE id = $1")
  static let removeBatch = Self("DELETE FROM batch WHERE id = $1")
  static let batch = Self("SELECT answers FROM batch WHERE game = $1 AND id = $2 FOR UPDATE")
  static let batchNumbers = Self("SELECT id FROM batch WHERE game = $1 ORDER BY id")
  static let batches = list("id, answers", of: "batch WHERE game = $2 AND id > $3", by: "id", size: ("answers", 0), isLong: false)

  // MARK: Accounts

  private static let accountColumns = "id, name, password, created_at, banned"
  static let addAccount = Self("INSERT INTO account (name, password, created_at, banned) VALUES ($1, $2, $3, $4)")
  static let ban = Self("UPDATE account SET banned = $2 WHERE id = $1")
  static let barGames = Self("UPDATE game SET approval = $2, host_generation = host_generation + 1, tx = tx() WHERE account = $1")
  static let account = Self("SELECT \(accountColumns) FROM account WHERE id = $1")
  static let accountOfName = Self(
    sqlite: "SELECT \(Self(accountColumns).sqlite) FROM account WHERE name = ?1",
    postgreSQL: "SELECT \(accountColumns) FROM account WHERE lower(name) = lower($1 COLLATE \"C\")")
  static let accounts = Self("SELECT \(accountColumns) FROM account WHERE id > $1 ORDER BY id LIMIT $2", isLong: true)
  static let removeAccount = Self("DELETE FROM account WHERE id = $1")
  static let removeQuizzes = Self("DELETE FROM quiz WHERE account = $1")
  static let removeContactsOfAccount = Self("DELETE FROM contact WHERE game IN (SELECT id FROM game WHERE account = $1)")
  static let moveResults = Self("UPDATE result SET account = $2 WHERE account = $1")
  static let moveGames = Self("UPDATE game SET account = $2, host_generation = host_generation + 1, tx = tx() WHERE account = $1")
  static let revoke = Self(
    "INSERT INTO revoked (session, until) VALUES ($1, $2) ON CONFLICT (session) DO UPDATE SET until = excluded.until")
  static let revoked = Self("SELECT 1 FROM revoked WHERE session = $1")
  static let forgetRevoked = Self("DELETE FROM revoked WHERE until < $1")

  // MARK: Quizzes

  private static let quizColumns = "id, account, title, json, created_at"
  static let addQuiz = Self("INSERT INTO quiz (\(quizColumns)) VALUES ($1, $2, $3, $4, $5)")
  static let removeQuiz = Self("DELETE FROM quiz WHERE id = $1")
  static let quiz = Self("SELECT \(quizColumns) FROM quiz WHERE id = $1", isLong: true)
  static let quizCount = Self("SELECT count(*) FROM quiz WHERE account = $1")
  static let quizTitles = Self("SELECT id, title, created_at FROM quiz WHERE account = $1 ORDER BY created_at, id", isLong: true)
  static let quizzes = list(quizColumns, of: "quiz WHERE account = $2 AND (created_at, id) > ($3, $4)", by: "created_at, id")

  // MARK: Results and contacts

  private static let resultColumns = "game, account, title, ended_at, json"
  static let addResult = Self(
    "INSERT INTO result (\(resultColumns)) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (game) DO UPDATE "
      + "SET account = excluded.account, title = excluded.title, ended_at = excluded.ended_at, json = excluded.json")
  static let changeResult = Self("UPDATE result SET json = $2 WHERE game = $1")
  static let result = Self("SELECT \(resultColumns) FROM result WHERE game = $1")
  static let results = results("account = $4")
  static let resultsOfOperator = results("account IS NULL")

  private static func results(_ owner: String) -> Self {
    list(resultColumns, of: "result WHERE (-ended_at, game) > ($2, $3) AND \(owner)", by: "ended_at DESC, game")
  }

  private static let contactColumns = "game, player, json, at"
  static let addContact = Self(
    "INSERT INTO contact (\(contactColumns)) VALUES ($1, $2, $3, $4) "
      + "ON CONFLICT (game, player) DO UPDATE SET json = excluded.json, at = excluded.at")
  static let removeContact = Self("DELETE FROM contact WHERE game = $1 AND player = $2")
  static let removeContacts = Self("DELETE FROM contact WHERE game = $1")
  static let contact = Self("SELECT \(contactColumns) FROM contact WHERE game = $1 AND player = $2")
  static let contacts = list(contactColumns, of: "contact WHERE game = $2 AND player > $3", by: "player")

  // MARK: Lists

  /// The maximum number of rows of a list that PostgreSQL returns.
  static let mostRows = 1_001

  /// The rows of a list until their total size reaches `$1`, including the one that goes beyond it. SQLite returns all rows, to be read one after
  /// another, with the size of each in the last column; PostgreSQL returns the number of rows there.
  ///
  /// - Parameters:
  ///   - source: The table and the condition.
  ///   - size: The column whose size counts, and how many bytes are added for each row.
  private static func list(
    _ columns: String, of source: String, by order: String, size: (column: String, more: Int) = ("json", entrySize), isLong: Bool = true
  ) -> Self {
    let size = (sqlite: "length(CAST(\(size.column) AS BLOB)) + \(size.more)", postgreSQL: "(octet_length(\(size.column)) + \(size.more))")
    return Self(
      sqlite: Self("SELECT \(columns), \(size.sqlite) FROM \(source) ORDER BY \(order)").sqlite,
      postgreSQL: "SELECT \(columns), total FROM (SELECT \(columns), count(*) OVER () AS total, "
        + "sum\(size.postgreSQL) OVER (ORDER BY \(order)) - \(size.postgreSQL) AS before "
        + "FROM (SELECT \(columns) FROM \(source) ORDER BY \(order) LIMIT \(mostRows)) AS page) AS sums WHERE before < $1 ORDER BY \(order)",
      isLong: isLong)
  }

  /// How many bytes an element of a list counts in addition to its text.
  private static let entrySize = 200
}

/// A value of a statement for SQLite and for PostgreSQL.
protocol SQLValue: DatabaseValueConvertible {
  var postgreSQL: PostgreSQLStatement.Value { get }
}

extension String: SQLValue { var postgreSQL: PostgreSQLStatement.Value { .text(self) } }
extension Int: SQLValue { var postgreSQL: PostgreSQLStatement.Value { .integer(self) } }
extension Int64: SQLValue { var postgreSQL: PostgreSQLStatement.Value { .integer(self) } }
extension Bool: SQLValue { var postgreSQL: PostgreSQLStatement.Value { .integer(self ? 1 : 0) } }
extension Data: SQLValue { var postgreSQL: PostgreSQLStatement.Value { .bytes([UInt8](self)) } }

extension StatementArguments {
  init(values: [(any SQLValue)?]) { self.init(values.map { $0?.databaseValue ?? .null }) }
}

extension PostgreSQLStatement.Value {
  init(_ value: (any SQLValue)?) { self = value?.postgreSQL ?? .null }
}

/// A row of a statement's result, column by column.
protocol SQLRow {
  /// `nil` for a null.
  func integer(_ column: Int) -> Int64?
  func text(_ column: Int) -> String
  func bytes(_ column: Int) -> [UInt8]
}

extension SQLRow {
  /// An integer in the range of exact numbers; `nil` for a null, and for a value outside, which no program of this project has written.
  func whole(_ column: Int) -> Int64? { integer(column).flatMap { ClosedRange.exact.contains($0) ? $0 : nil } }

  /// A number of a column that is never null.
  func number(_ column: Int) -> Int { Int(whole(column) ?? 0) }
}

extension PostgreSQLRow: SQLRow {}

extension Row: SQLRow {
  func integer(_ column: Int) -> Int64? { self[column] }
  func text(_ column: Int) -> String { self[column] ?? "" }
  func bytes(_ column: Int) -> [UInt8] { (self[column] as Data?).map { [UInt8]($0) } ?? [] }
}

extension StoredGame {
  /// A game with an unknown decision of the operator does not reach the stream.
  init(_ row: some SQLRow) {
    let stream = row.text(9)
    self.init(
      id: row.text(0), code: row.text(1), title: row.text(2), account: row.whole(3).map { Int($0) }, rules: row.text(4),
      quiz: row.text(5), createdAt: Int64(row.number(6)), hostGeneration: row.number(7),
      approval: Approval(rawValue: row.number(8)) ?? .open, stream: stream.isEmpty ? nil : stream)
  }
}

extension StoredPlayer {
  init(_ row: some SQLRow, from column: Int = 0) {
    self.init(
      player: row.number(column), nickname: row.text(column + 1), key: row.text(column + 2),
      joinedAt: row.whole(column + 3).map { MediaTime(ticks: $0) }, team: row.text(column + 4).isEmpty ? nil : row.text(column + 4))
  }
}

extension StoredBatch {
  init(_ row: some SQLRow, from column: Int = 0) { self.init(number: row.number(column), answers: row.bytes(column + 1)) }
}

extension StoredAccount {
  init(_ row: some SQLRow) {
    self.init(
      id: row.number(0), name: row.text(1), password: row.text(2), createdAt: Int64(row.number(3)), isBanned: row.number(4) != 0)
  }
}

extension StoredQuiz {
  init(_ row: some SQLRow) {
    self.init(id: row.text(0), account: row.number(1), title: row.text(2), text: row.text(3), createdAt: Int64(row.number(4)))
  }
}

extension StoredResult {
  init(_ row: some SQLRow) {
    self.init(
      game: row.text(0), account: row.whole(1).map { Int($0) }, title: row.text(2), endedAt: Int64(row.number(3)), text: row.text(4))
  }
}

extension StoredContact {
  init(_ row: some SQLRow) {
    self.init(game: row.text(0), player: row.number(1), text: row.text(2), at: Int64(row.number(3)))
  }
}
