import LibC
import TestSupport
import Testing

@testable import LibPQ

@Suite struct LibPQTests {
  @Test func aMissingLibrary() {
    #expect("\(PostgreSQLError.libraryMissing)" == "PostgreSQL needs libpq of version 14 or later (Debian: libpq5)")
  }

  /// A library that has other functions is none.
  @Test func anotherLibrary() throws {
    let other = try #require(SharedLibrary(["libm.so.6", "libSystem.B.dylib"]))
    #expect(throws: SharedLibrary.FunctionMissing.self) { try LibPQ(other) }
  }
}

/// Connections to a PostgreSQL server.
@Suite(.enabled(if: PostgreSQLServer.shared != nil, "needs PostgreSQL's server (Debian: postgresql)")) struct PostgreSQLConnectionTests {
  private let address: PostgreSQLConnection.Address

  init() throws { address = try PostgreSQLConnection.Address(try #require(PostgreSQLServer.shared).newDatabase()) }

  private func rows(
    _ text: String, _ values: [PostgreSQLStatement.Value] = [], _ connection: inout PostgreSQLConnection
  ) throws -> [PostgreSQLRow] {
    try connection.run([PostgreSQLStatement(text, values)], within: .seconds(60)).first ?? []
  }

  /// Values come back as they were sent.
  @Test func values() throws {
    var connection = try PostgreSQLConnection(address, name: "test")
    for number in [0, 1, -1, 255, -256, Int64.max, .min] {
      let found = try rows("SELECT $1", [.integer(number)], &connection).map { $0.integer(0) }
      #expect(found == [number])
    }
    for text in ["", "a", "B\u{E9}n \u{1F600}", "'; DROP TABLE x; --", "a\nb\\"] {
      let found = try rows("SELECT $1", [.text(text)], &connection).map { $0.text(0) }
      #expect(found == [text])
    }
    for bytes in [[], [0], Array(0...255), [UInt8](repeating: 7, count: 1 << 20)] as [[UInt8]] {
      let found = try rows("SELECT $1", [.bytes(bytes)], &connection).map { $0.bytes(0) }
      #expect(found == [bytes])
    }
    let texts = ["", "a,b", "{\"x\"}", "\u{E9}"]
    let many = try rows("SELECT unnest($1::text[])", [.texts(texts)], &connection).map { $0.text(0) }
    let none = try rows("SELECT unnest($1::text[])", [.texts([])], &connection)
    #expect(many == texts && none == [])
    let others = try rows("SELECT $1::text, true, false, 7::int2, -7::int4", [.null], &connection)
    let row = try #require(others.first)
    #expect(row.columns[0] == nil && row.bool(1) && !row.bool(2) && row.integer(3) == 7 && row.integer(4) == -7)
    #expect(row.integer(0) == nil && row.integer(9) == nil && row.text(0).isEmpty && row.bytes(9) == [])
  }

  /// What is refused says why, those behind it are not looked at, and the connection goes on.
  @Test func refusals() throws {
    var connection = try PostgreSQLConnection(address, name: "test")
    let statements = ["CREATE TABLE t (x bigint PRIMARY KEY)", "INSERT INTO t VALUES (1)"].map { PostgreSQLStatement($0) }
    let made = try connection.run(statements, within: .seconds(60))
    #expect(made == [[], []])
    let failing = ["INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (3)"].map { PostgreSQLStatement($0) }
    do throws(PostgreSQLError) {
      _ = try connection.run(failing, within: .seconds(60))
      #expect(Bool(false))
    } catch {
      #expect(error.isUniqueViolation, "\(error)")
    }
    let found = try rows("SELECT x FROM t", [], &connection).map { $0.integer(0) }
    #expect(found == [1])
    let failure = connection.failure
    #expect(failure == nil)
  }

  /// A server that does not answer in time is given up.
  @Test func patience() throws {
    var connection = try PostgreSQLConnection(address, name: "test")
    do throws(PostgreSQLError) {
      _ = try connection.run([PostgreSQLStatement("SELECT pg_sleep(60)")], within: .milliseconds(50))
      #expect(Bool(false))
    } catch {
      #expect(error == .connection("the server does not answer in time"))
    }
    let failure = connection.failure
    #expect(failure != nil)
  }

  @Test func notifications() throws {
    var connection = try PostgreSQLConnection(address, name: "test")
    var other = try PostgreSQLConnection(address, name: "other")
    _ = try rows("LISTEN x", [], &connection)
    var heard = [try connection.wait(for: .zero)]
    _ = try rows("NOTIFY x", [], &other)
    heard.append(try connection.wait(for: .seconds(60)))
    heard.append(try connection.wait(for: .zero))
    // One that comes with an answer is not lost.
    _ = try rows("NOTIFY x", [], &connection)
    heard.append(try connection.wait(for: .zero))
    #expect(heard == [false, true, false, true])
  }

  /// Of several hosts the first one that can be written to counts.
  @Test func hosts() throws {
    let port = try #require(PostgreSQLServer.shared).port
    let address = try PostgreSQLConnection.Address("postgresql://cuelight@127.0.0.1:1,127.0.0.1:\(port)/postgres")
    #expect(address.hosts == [.init(host: "127.0.0.1", port: "1"), .init(host: "127.0.0.1", port: "\(port)")])
    var connection = try PostgreSQLConnection(address, name: "test")
    let found = try rows("SELECT 1::int8", [], &connection).map { $0.integer(0) }
    #expect(found == [1])
    #expect(try PostgreSQLConnection.Address("host=a,b port=5").hosts.map(\.port) == ["5", "5"])
    #expect(try PostgreSQLConnection.Address("host=a,b,c port=5,6").hosts == [])
    #expect(try PostgreSQLConnection.Address("postgresql://a/b").hosts == [])
  }
}
