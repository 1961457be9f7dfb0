import Foundation
import TestSupport
import Testing

/// `cuelight serve --store` as a process: where the password comes from, what goes wrong, and how games move.
@Suite(
  .enabled(
    if: PostgreSQLServer.secure != nil && FileManager.default.isExecutableFile(atPath: LiveServerProcess.executable.path),
    "needs PostgreSQL's server (Debian: postgresql), and the package its trait Server"))
struct StoreCommandTests {
  private let scratch: Scratch
  private let address: String

  init() throws {
    scratch = try Scratch()
    let server = try #require(PostgreSQLServer.secure)
    let certificate = try #require(server.certificate)
    address = "postgresql://cuelight@localhost:\(server.port)/postgres?sslmode=verify-full&sslrootcert=\(certificate)"
  }

  /// Runs the server in a shell, where `$ADDRESS` is the database.
  private func serve(_ line: String) throws -> Command.Outcome {
    let script = "server() { '\(LiveServerProcess.executable.path)' serve --store \"$ADDRESS\" \"$@\"; }\nADDRESS='\(address)'\n\(line)"
    return try Command.run(URL(fileURLWithPath: "/bin/bash"), ["-c", script], in: scratch.folder)
  }

  /// The password comes from the environment, from libpq's own file, or from one that is named; and games move into a folder and back.
  @Test func passwords() throws {
    _ = try scratch.write("\(PostgreSQLServer.password)\n", to: "password", permissions: 0o600)
    _ = try scratch.write("*:*:*:cuelight:\(PostgreSQLServer.password)\n", to: "pgpass", permissions: 0o600)
    for (number, line) in [
      "PGPASSWORD=\(PostgreSQLServer.password) server --export 0", "PGPASSFILE=\"$PWD/pgpass\" server --export 1",
      "server --store-password-file password --export 2", "server --store-password-file password --import 2",
    ].enumerated() {
      let outcome = try serve(line)
      #expect(outcome.status == 0 && outcome.errors.contains("copied: games: "), "\(line): \(outcome)")
      #expect(number > 2 || FileManager.default.fileExists(atPath: scratch["\(number)/games.sqlite"].path), "\(scratch.names)")
    }
  }

  @Test func mistakes() throws {
    _ = try scratch.write("wrong-secret\n", to: "password", permissions: 0o600)
    _ = try scratch.write("\(PostgreSQLServer.password)\n", to: "open", permissions: 0o644)
    for (line, status, text) in [
      ("server --store-password-file password --export x", 74, "password authentication failed"),
      ("server --store-password-file open --export x", 65, "chmod 600"), ("PGPASSWORD= server --export x", 74, "no password"),
      ("ADDRESS=postgresql://a:b@c/d; server --export x", 64, "can be seen by others"),
      ("ADDRESS=postgresql://cuelight@127.0.0.1:1/x; server --export x", 74, "127.0.0.1"),
      ("server --store-password-file password --import nothing", 74, "password authentication failed"),
      ("server --drain 4000 --live http://127.0.0.1:1", 64, "--drain takes seconds"),
    ] as [(String, Int32, String)] {
      let outcome = try serve(line)
      #expect(outcome.status == status && outcome.errors.contains(text) && !outcome.errors.contains("secret"), "\(line): \(outcome)")
    }
    #expect(!scratch.names.contains("x"))
  }
}
