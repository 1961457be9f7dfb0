import Foundation
import Synchronization

/// A PostgreSQL server that tests share, in a temporary folder and on a port of its own. It ends with the tests, however they end.
package final class PostgreSQLServer: Sendable {
  // A class: its standard input is closed when it goes.
  private let process: ChildProcess
  package let port: Int
  private let databases = Atomic<Int>(0)

  /// The server; `nil` where Debian's package postgresql is not installed. The first who asks starts it.
  package static let shared = PostgreSQLServer()

  private init?() {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "postgresql_server.py").path
    guard let process = try? ChildProcess("python3", ["-B", script], input: .pipe, output: .pipe) else { return nil }
    let line = String(decoding: process.output?.availableData ?? Data(), as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else { return nil }
    (self.process, self.port) = (process, port)
  }

  /// The address of a new and empty database.
  package func newDatabase() throws -> String {
    let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
    guard sql("CREATE DATABASE \(name)", in: "postgres") != nil else { throw Failure.noDatabase }
    return "postgresql://cuelight@127.0.0.1:\(port)/\(name)"
  }

  /// What `psql` prints for a statement; `nil` where it fails.
  package func sql(_ statement: String, in database: String) -> String? {
    let name = database.split(separator: "/").last.map { String($0) } ?? database
    return Programs.run("psql", ["-XAtq", "-h", "127.0.0.1", "-p", "\(port)", "-U", "cuelight", "-d", name, "-c", statement])
  }

  package enum Failure: Error {
    case noDatabase
  }
}
