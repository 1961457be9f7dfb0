import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting
import LibC
import LibPQ
import Nicknames
import Synchronization

/// Games in a PostgreSQL database, which any number of processes share. Commits are on the server's disk, and on that of a synchronous standby,
/// before they are acknowledged.
package final class PostgreSQLStore: SQLStore {
  /// For changes, and the lead: a change that needs the lead cannot succeed after the lead is lost with this connection.
  let main: PostgreSQLLane
  /// For answers, which do not wait for anything else.
  let answers: PostgreSQLLane
  let joins: PostgreSQLLane
  let following: PostgreSQLLane
  let listening: PostgreSQLLane
  private let readers: [PostgreSQLLane]
  /// For reading lists that may be long.
  private let lists: PostgreSQLLane
  private let nextReader = Atomic<Int>(0)
  private let nextBatch = Atomic<Int>(0)
  let clock: @Sendable () -> Int64
  package let node: String
  let isFenced = Atomic<Bool>(false)
  let leadCount = Atomic<Int>(0)
  /// The maximum time that answers wait for a server.
  package let patience: Duration
  /// The approximate number of bytes of answers that are delivered at once to a following node.
  let newsSize: Int

  /// Connects to the database, and creates the tables if there are none. Older tables are brought up to date.
  ///
  /// - Parameters:
  ///   - address: In the form of libpq, with several hosts if one may replace another.
  ///   - password: Used if neither `PGPASSWORD` nor a file that libpq knows has it.
  ///   - patience: The maximum time that answers wait for a server.
  ///   - newsSize: The approximate number of bytes of answers that are delivered at once to a following node.
  ///   - clock: Returns milliseconds since 1970; `nil` for the system's clock.
  /// - Throws: ``StoreError``; `foreign` if a newer version has created the tables.
  package init(
    address: String, password: String? = nil, patience: Duration = .seconds(8), newsSize: Int = 16 << 20,
    clock: (@Sendable () -> Int64)? = nil
  ) throws(StoreError) {
    self.clock = clock ?? { WallClock.now }
    node = .random(12, of: "abcdefghijkmnpqrstuvwxyz23456789")
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
    case .statement("CL003", let reason): .foreign(reason)
    case .statement("53100", _): .full
    // Errors of class 22 are about values.
    case .statement(let code, let reason) where code.hasPrefix("22"): .unfit(reason)
    case .statement: error.isUniqueViolation ? .exists : .unavailable("\(error)")
    }
  }

  /// Performs an action, and turns its errors into those of stores.
  static func attempt<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(StoreError) -> Value {
    do throws(PostgreSQLError) { return try body() } catch { throw Self.error(error) }
  }

  /// Returns the rows of a statement.
  func rows(
    _ text: String, _ values: [PostgreSQLStatement.Value] = [], on lane: PostgreSQLLane, patience: Duration = .zero
  ) throws(StoreError) -> [PostgreSQLRow] {
    try Self.attempt { () throws(PostgreSQLError) in try lane.rows(text, values, patience: patience) }
  }

  /// Runs a transaction of the statements that are added to it.
  @discardableResult
  func transaction<Value: Sendable>(
    on lane: PostgreSQLLane, patience: Duration = .zero, _ body: (inout PostgreSQLTransaction) throws(PostgreSQLError) -> Value
  ) throws(StoreError) -> Value {
    try Self.attempt { () throws(PostgreSQLError) in try lane.transaction(patience: patience, body) }
  }

  // MARK: Changes

  package func apply(_ changes: [StoreChange]) throws(StoreError) {
    guard !changes.isEmpty else { return }
    let areAnswers = changes.allSatisfy { if case .answers = $0 { true } else { false } }
    let firstBatch = nextBatch.add(changes.count, ordering: .relaxed).oldValue
    // Answers count once, however often they are added, so that adding them may be tried again.
    try transaction(on: areAnswers ? answers : main, patience: areAnswers ? patience : .zero) { (transaction) throws(PostgreSQLError) in
      if Self.needLead(changes) { try checkLead() }
      Self.lock(changes, &transaction)
      for (index, change) in changes.enumerated() { try transaction.apply(change, batch: "\(node)-\(firstBatch + index)") }
      try transaction.note(changes, at: clock())
      if !areAnswers { transaction.add("NOTIFY cuelight") }
    }
  }

  package func check() throws(StoreError) { _ = try rows("SELECT 1", on: main) }

  /// Whether changes are reserved for the leading node. The first records of a game are not: they are written by the node that makes it.
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

  /// Takes the locks of all questions of the answers, always in the same order, before anything is written.
  private static func lock(_ changes: [StoreChange], _ transaction: inout PostgreSQLTransaction) {
    var names: Set<String> = []
    for case .answers(let game, let bytes) in changes { names.formUnion(PostgreSQLTransaction.questions(bytes).map { "\(game)/\($0)" }) }
    for name in names.sorted() { transaction.add("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 2))", [.text(name)]) }
  }

  // MARK: Questions

  func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(StoreError) -> [PostgreSQLRow] {
    let reader = readers[Int(UInt(bitPattern: nextReader.add(1, ordering: .relaxed).oldValue) % UInt(readers.count))]
    // Reading may be repeated: a connection that was lost long ago is noticed only when it is used.
    return try rows(statement.postgreSQL, values.map { .init($0) }, on: statement.isLong ? lists : reader, patience: .seconds(2))
  }

  func part(of list: SQLStatement, size: Int, _ values: [(any SQLValue)?]) throws(StoreError) -> (rows: [PostgreSQLRow], hasMore: Bool) {
    let rows = try rows(list, [size] + values)
    let total = rows.first.map { $0.number($0.columns.count - 1) } ?? 0
    return (rows, rows.count < total || total == SQLStatement.mostRows)
  }
}

extension PostgreSQLTransaction: SQLTransaction {
  typealias Failure = PostgreSQLError

  static let tablesOfGames = SQLiteTransaction.tablesOfGames + ["look", "closed", "presence", "request", "lease"]

  static func damage(_ error: StoreError) -> PostgreSQLError { .statement(code: "CL003", message: "\(error)") }

  mutating func run(_ statement: SQLStatement, _ values: [(any SQLValue)?]) {
    add(statement.postgreSQL, values.map { .init($0) })
  }

  mutating func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(PostgreSQLError) -> [PostgreSQLRow] {
    run(statement, values)
    return try send().last ?? []
  }

  /// Makes a change, including what many nodes need.
  ///
  /// - Parameter batch: The name of a batch of answers: the same in each attempt.
  mutating func apply(_ change: StoreChange, batch: String) throws(PostgreSQLError) {
    switch change {
    case .player(let game, let player):
      try apply(change)
      add(
        "INSERT INTO look (game, look, player) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING",
        [.text(game), .texts(Self.looks(of: player.nickname)), .integer(player.player)])
    case .changePlayer(let game, let player):
      add(
        "SELECT change_player($1, $2, $3, $4, $5, $6)",
        [
          .text(game), .integer(player.player), .text(player.key), .text(player.nickname), .texts(Self.looks(of: player.nickname)),
          .init(player.team),
        ])
    case .removePlayer(let removed):
      add("DELETE FROM look WHERE game = $1 AND player = $2", [.text(removed.game), .integer(removed.player)])
      try apply(change)
    case .answers(let game, let bytes):
      add(
        "SELECT add_answers($1, $2::bigint[], $3, $4)",
        [.text(game), .texts(Self.questions(bytes).map { "\($0)" }), .bytes(bytes), .text(batch)])
    case .outcome(let request, let text):
      add("UPDATE request SET outcome = $2, tx = tx() WHERE id = $1", [.text(request), .text(text)])
    default: try apply(change)
    }
  }

  /// The questions of a batch's answers. A batch that cannot be read has none: the error is reported when it is read from the store.
  static func questions(_ bytes: [UInt8]) -> [UInt32] { Set(((try? AnswerBatch.decode(bytes.span)) ?? []).map(\.question)).sorted() }

  /// The looks of a nickname that no other one may have.
  static func looks(of nickname: String) -> [String] { NicknameLook.looks(of: nickname).filter { !$0.isEmpty }.sorted() }
}
