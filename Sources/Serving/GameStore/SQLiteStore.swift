import AnswerIntake
import Basics
import Foundation
import GameHosting
import GRDB
import GameEvents
import LibC
import Synchronization

/// Games in a folder: one SQLite database (GRDB), whose commits are on the disk before they are acknowledged.
package final class SQLiteStore: SQLStore {
  private let database: DatabasePool
  private let clock: @Sendable () -> Int64
  /// Whether the write-ahead log still contains deleted data.
  private let hasRemains = Mutex(false)

  /// The database's name in its folder.
  package static let fileName = "games.sqlite"

  /// Opens the database of a folder, and creates it if there is none. An older version is brought up to date.
  ///
  /// - Parameter clock: Returns milliseconds since 1970; `nil` for the system's clock.
  /// - Throws: ``StoreError``; `foreign` if a newer version has created the database, which stays as it is.
  package init(folder: String, clock: (@Sendable () -> Int64)? = nil) throws(StoreError) {
    self.clock = clock ?? { WallClock.now }
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      // SQLite's error messages for statements would otherwise contain the answers.
      configuration.publicStatementArguments = false
      // Data that players have deleted must not remain in free pages.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
      database = try DatabasePool(path: "\(folder)/\(Self.fileName)", configuration: configuration)
      let migrator = SQLiteTables.migrator
      guard try !database.read({ try migrator.hasBeenSuperseded($0) }) else {
        throw StoreError.foreign("\(folder): a newer version of cuelight-server has made this folder; use that one")
      }
      try migrator.migrate(database)
      // GRDB uses NORMAL for the connection that writes, which would lose acknowledged changes in a power failure.
      try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    } catch {
      throw Self.error(error)
    }
  }

  /// Whether a commit waits until the disk has it; `false` if the database does not say.
  package var isSynchronous: Bool {
    (try? database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }) == 2
  }

  // MARK: Changes

  package func apply(_ changes: [StoreChange]) throws(StoreError) {
    let deletes = try attempt {
      try database.write { database in
        var (transaction, deletes) = (SQLiteTransaction(database: database), false)
        for change in changes {
          deletes = try Self.deletes(change, &transaction) || deletes
          try transaction.apply(change)
        }
        try transaction.note(changes, at: clock())
        return deletes
      }
    }
    clean(deletes)
  }

  package func check() throws(StoreError) {
    try attempt {
      // Writes the version again, which is this program's own and does not change: that takes a page of the log.
      try database.write { database in
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        try database.execute(sql: "PRAGMA user_version = \(version)")
      }
    }
  }

  /// Whether a change removes data that people have written or can be identified by, including a contact that another one replaces.
  private static func deletes(_ change: StoreChange, _ transaction: inout SQLiteTransaction) throws -> Bool {
    guard case .contact(let contact) = change else { return change.deletesNames }
    return try !transaction.rows(.contact, [contact.game, contact.player]).isEmpty
  }

  /// Removes deleted data from the write-ahead log, too: old pages stay there until new ones overwrite them.
  private func clean(_ isDue: Bool) {
    guard
      hasRemains.withLock({ remains in
        if isDue { remains = true }
        return remains
      })
    else { return }
    // A long read may prevent the truncation of the log: then the next change does it.
    guard (try? database.writeWithoutTransaction({ _ = try $0.checkpoint(.truncate) })) != nil else { return }
    hasRemains.withLock { $0 = false }
  }

  // MARK: Questions

  func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(StoreError) -> [Row] {
    try attempt { try database.read { try Row.fetchAll($0.cachedStatement(sql: statement.sqlite), arguments: .init(values: values)) } }
  }

  func part(of list: SQLStatement, size: Int, _ values: [(any SQLValue)?]) throws(StoreError) -> (rows: [Row], hasMore: Bool) {
    try attempt {
      try database.read { database in
        var (rows, left) = ([Row](), size)
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: list.sqlite), arguments: .init(values: [size] + values))
        while let row = try cursor.next() {
          guard left > 0 else { return (rows, true) }
          rows.append(row.copy())
          left -= row.number(row.count - 1)
        }
        return (rows, false)
      }
    }
  }

  // MARK: Errors

  /// Performs an action, and turns its errors into those of stores.
  private func attempt<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do { return try body() } catch { throw Self.error(error) }
  }

  private static func error(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let failure as DatabaseError: self.error(failure.resultCode, failure.message)
    default: .unavailable("\(error)")
    }
  }

  /// The error of a store for a result code of SQLite.
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

/// A transaction under way, whose statements run at once.
struct SQLiteTransaction: SQLTransaction {
  let database: Database

  static let tablesOfGames = ["player", "batch", "event", "decision", "contact"]

  static func damage(_ error: StoreError) -> any Error { error }

  func run(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws {
    try database.cachedStatement(sql: statement.sqlite).execute(arguments: .init(values: values))
  }

  func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws -> [Row] {
    try Row.fetchAll(database.cachedStatement(sql: statement.sqlite), arguments: .init(values: values))
  }
}
