import Foundation
import Synchronization

/// A PostgreSQL server that tests share, in a temporary folder and on a port of its own. It ends with the tests, however they end.
package final class PostgreSQLServer: Sendable {
  // A class: its standard input is closed when it goes.
  private let process: ChildProcess
  package let port: Int
  /// The file of the server's certificate, where it speaks TLS.
  package let certificate: String?
  private let databases = Atomic<Int>(0)

  /// The server; `nil` where Debian's package postgresql is not installed. The first who asks starts it.
  package static let shared = PostgreSQLServer()

  /// Another one, which speaks TLS and wants the password, and whose certificate is that of `localhost`.
  package static let secure = PostgreSQLServer("--secure")
  package static let password = "only-for-tests"

  private init?(_ arguments: String...) {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "postgresql_server.py").path
    guard let process = try? ChildProcess("python3", ["-B", script] + arguments, input: .pipe, output: .pipe) else { return nil }
    // A line may come in pieces.
    var said = Data()
    while !said.contains(UInt8(ascii: "\n")), let more = process.output?.availableData, !more.isEmpty { said += more }
    let line = String(decoding: said, as: UTF8.self)
    let words = line.split { $0 == " " || $0 == "\n" }.map { String($0) }
    guard let port = words.first.flatMap({ Int($0) }) else { return nil }
    (self.process, self.port, certificate) = (process, port, words.dropFirst().first)
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
