import Foundation
import LibPQ
import Synchronization

/// A connection of a store that several threads share by turns. It is made when it is needed, and made again if it is lost.
final class PostgreSQLLane: Sendable {
  private struct Slot: ~Copyable {
    var connection: PostgreSQLConnection?
  }

  private let slot = Mutex(Slot())
  private let address: PostgreSQLConnection.Address
  private let name: String
  private let holding = Atomic<Bool>(false)
  /// The maximum duration of a request to the server.
  static let time = Duration.seconds(5)

  /// - Parameter name: The name that the server shows in its list of connections.
  init(_ address: PostgreSQLConnection.Address, name: String) { (self.address, self.name) = (address, name) }

  /// Whether the connection holds a lock or a subscription that a caller has taken with it: it no longer does when it is lost.
  var isHolding: Bool { holding.load(ordering: .acquiring) }

  func hold(_ isHolding: Bool) { holding.store(isHolding, ordering: .releasing) }

  /// Closes the connection, and releases what it holds.
  func close() {
    slot.withLock { slot in
      slot.connection = nil
      hold(false)
    }
  }

  /// Performs an action with the connection.
  ///
  /// - Parameter patience: How long the action is tried again if there is no server; it may then be performed twice.
  func with<Value: Sendable>(
    patience: Duration = .zero, _ body: (inout PostgreSQLConnection) throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLError) -> Value {
    let end = ContinuousClock.now + patience
    while true {
      do throws(PostgreSQLError) {
        return try once(body)
      } catch {
        guard case .connection = error, ContinuousClock.now < end else { throw error }
        Thread.sleep(forTimeInterval: .random(in: 0.05...0.15))
      }
    }
  }

  private func once<Value: Sendable>(
    _ body: (inout PostgreSQLConnection) throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLError) -> Value {
    try slot.withLock { (slot) throws(PostgreSQLError) in
      do throws(PostgreSQLError) {
        if slot.connection == nil { slot.connection = try Self.connect(address, name) }
        guard var connection = slot.connection.take() else { throw .connection("there is no connection") }
        do throws(PostgreSQLError) {
          let value = try body(&connection)
          slot.connection = consume connection
          return value
        } catch {
          // A lost connection is not put back, and no longer holds anything.
          if case .statement = error, !error.endsConnection {
            _ = try connection.run([PostgreSQLStatement("ROLLBACK")], within: Self.time)
            slot.connection = consume connection
          }
          throw error
        }
      } catch {
        if slot.connection == nil { hold(false) }
        throw error.endsConnection ? .connection("\(error)") : error
      }
    }
  }

  private static func connect(
    _ address: PostgreSQLConnection.Address, _ name: String
  ) throws(PostgreSQLError) -> PostgreSQLConnection {
    var connection = try PostgreSQLConnection(address, name: name)
    _ = try connection.run(settings.map { PostgreSQLStatement($0) }, within: time)
    return connection
  }

  /// The settings of connections: acknowledged changes are on the disk, and locks of a node that is gone are released soon.
  private static let settings = [
    "SET client_min_messages TO error", "SET search_path TO cuelight",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')",
    "SET tcp_keepalives_idle = 1", "SET tcp_keepalives_interval = 1", "SET tcp_keepalives_count = 2", "SET tcp_user_timeout = 3000",
    "SET client_connection_check_interval = 1000", "SET idle_in_transaction_session_timeout = 5000", "SET lock_timeout = 4000",
  ]

  /// Runs a single statement.
  func rows(
    _ text: String, _ values: [PostgreSQLStatement.Value] = [], patience: Duration = .zero
  ) throws(PostgreSQLError) -> [PostgreSQLRow] {
    try with(patience: patience) { (connection) throws(PostgreSQLError) in
      try connection.run([PostgreSQLStatement(text, values)], within: Self.time).first ?? []
    }
  }

  /// Runs a transaction of the statements that are added to it: they are sent together, except that some are sent earlier if the caller asks for
  /// rows.
  @discardableResult
  func transaction<Value: Sendable>(
    patience: Duration = .zero, _ body: (inout PostgreSQLTransaction) throws(PostgreSQLError) -> Value
  ) throws(PostgreSQLError) -> Value {
    try with(patience: patience) { (connection) throws(PostgreSQLError) in
      var transaction = PostgreSQLTransaction(consume connection)
      let result: Result<Value, PostgreSQLError>
      do throws(PostgreSQLError) {
        let value = try body(&transaction)
        try transaction.commit()
        result = .success(value)
      } catch {
        result = .failure(error)
      }
      connection = transaction.end()
      return try result.get()
    }
  }
}

/// A transaction under way.
struct PostgreSQLTransaction: ~Copyable {
  private var connection: PostgreSQLConnection
  private var pending = [PostgreSQLStatement("BEGIN")]

  init(_ connection: consuming PostgreSQLConnection) { self.connection = connection }

  mutating func add(_ text: String, _ values: [PostgreSQLStatement.Value] = []) { pending.append(PostgreSQLStatement(text, values)) }

  /// Returns the rows of a statement, which runs after those that were added before.
  mutating func rows(_ text: String, _ values: [PostgreSQLStatement.Value] = []) throws(PostgreSQLError) -> [PostgreSQLRow] {
    add(text, values)
    return try send().last ?? []
  }

  /// Sends the added statements, and returns their rows.
  @discardableResult
  mutating func send() throws(PostgreSQLError) -> [[PostgreSQLRow]] {
    defer { pending = [] }
    // Thousands of statements take longer than one.
    return try connection.run(pending, within: PostgreSQLLane.time + .milliseconds(pending.count))
  }

  mutating func commit() throws(PostgreSQLError) {
    add("COMMIT")
    try send()
  }

  consuming func end() -> PostgreSQLConnection { connection }
}

extension PostgreSQLError {
  /// Whether the connection cannot be used any more: the server is stopping, starting, or has become a standby.
  var endsConnection: Bool {
    guard case .statement(let code, _) = self else { return if case .connection = self { true } else { false } }
    return code.hasPrefix("57P") || code.hasPrefix("08") || code == "25006"
  }
}
