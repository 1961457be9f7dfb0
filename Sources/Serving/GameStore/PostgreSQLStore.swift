import AnswerIntake
import Basics
import Foundation
import GameEvents
import GameHosting
import LibPQ
import Synchronization

/// Games in a PostgreSQL database, which any number of processes share. Commits are on the server's disk, and on that of a synchronous standby,
/// before anybody hears of them.
package final class PostgreSQLStore: SQLStore {
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
  let clock: @Sendable () -> Int64
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
    self.clock = clock ?? Self.systemClock
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
    case .statement("CL003", let reason): .foreign(reason)
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

  /// What a statement gives.
  func rows(
    _ text: String, _ values: [PostgreSQLStatement.Value] = [], on lane: PostgreSQLLane, patience: Duration = .zero
  ) throws(StoreError) -> [PostgreSQLRow] {
    try Self.attempt { () throws(PostgreSQLError) in try lane.rows(text, values, patience: patience) }
  }

  /// Makes a transaction of the statements that are added to it.
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
    // Answers count once, however often they come, so that they may be tried again.
    try transaction(on: areAnswers ? answers : main, patience: areAnswers ? patience : .zero) { (transaction) throws(PostgreSQLError) in
      if Self.needLead(changes) { try checkLead() }
      Self.lock(changes, &transaction)
      for (index, change) in changes.enumerated() { try transaction.apply(change, batch: "\(node)-\(firstBatch + index)") }
      try transaction.note(changes, at: clock())
      if !areAnswers { transaction.add("NOTIFY cuelight") }
    }
  }

  package func check() throws(StoreError) { _ = try rows("SELECT 1", on: main) }

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
    for case .answers(let game, let bytes) in changes { names.formUnion(PostgreSQLTransaction.questions(bytes).map { "\(game)/\($0)" }) }
    for name in names.sorted() { transaction.add("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 2))", [.text(name)]) }
  }

  // MARK: Questions

  func rows(_ statement: SQLStatement, _ values: [(any SQLValue)?]) throws(StoreError) -> [PostgreSQLRow] {
    let reader = readers[Int(UInt(bitPattern: nextReader.add(1, ordering: .relaxed).oldValue) % UInt(readers.count))]
    // Reading twice is reading once: a connection that was lost long ago is found out by this.
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

  /// Makes a change, with what many nodes need.
  ///
  /// - Parameter batch: What a batch of answers is called: the same whenever it is tried.
  mutating func apply(_ change: StoreChange, batch: String) throws(PostgreSQLError) {
    switch change {
    case .player(let game, let player):
      try apply(change)
      add(
        "INSERT INTO look (game, look, player) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING",
        [.text(game), .texts(Self.looks(of: player.nickname)), .integer(player.player)])
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

  /// The questions that a batch has answers to. One that cannot be read has none: whoever reads it from the store says so.
  static func questions(_ bytes: [UInt8]) -> [UInt32] { Set(((try? AnswerBatch.decode(bytes.span)) ?? []).map(\.question)).sorted() }

  /// What a nickname must not be mistaken for.
  static func looks(of nickname: String) -> [String] { NicknameLook.looks(of: nickname).filter { !$0.isEmpty }.sorted() }
}
