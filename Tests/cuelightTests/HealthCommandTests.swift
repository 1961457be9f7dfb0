import Basics
import Foundation
import TestSupport
import Testing

/// `cuelight-server health`, which containers run, and the server that it asks: one without a stream, which gets them over HTTP.
@Suite(.enabled(if: LiveServerProcess.isAvailable, "the package has its trait Server")) struct HealthCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs a configuration while something is done with the server's URL.
  private func run(_ configuration: String, _ body: (URL) throws -> Void) throws {
    let log = scratch["log"]
    try Data().write(to: log)
    let path = try scratch.write(configuration, to: "run.yaml")
    let process = try ChildProcess(
      LiveServerProcess.executable.path, ["run", "--config", path, "--json"], errors: .file(log.path), in: scratch.folder.path)
    func listening() -> String? {
      let lines = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n")
      return lines.lazy.compactMap { (try? JSONValue(parsing: String($0)))?.object?["listening"]?.string }.first
    }
    let end = ContinuousClock.now + .seconds(60)
    while listening() == nil, process.isRunning, ContinuousClock.now < end { usleep(20_000) }
    let url = try #require(listening().flatMap { URL(string: $0) }, "\(String(describing: try? String(contentsOf: log, encoding: .utf8)))")
    try body(url)
    process.signal(SIGTERM)
    #expect(process.wait() == 0)
  }

  private func health(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(LiveServerProcess.executable, ["health"] + arguments, in: scratch.folder)
  }

  /// The address of a configuration is asked, whatever else is wrong with the file meanwhile.
  @Test func configuration() throws {
    try run("listen: 127.0.0.1:0\nstreams: {}\n") { url in
      let port = try #require(url.port)
      _ = try scratch.write("listen: 0.0.0.0:\(port)\nstreams: 3\ngame: {}\n", to: "asked.yaml")
      let lives = Command.Outcome(status: 0, output: "http://127.0.0.1:\(port) lives\n", errors: "")
      #expect(try health("--config", "asked.yaml") == lives)
      #expect(try health("http://127.0.0.1:1", "--config", "asked.yaml") == lives)
      #expect(try health("http://127.0.0.1:\(port)/", "--config", "none.yaml").status == 0)
    }
    #expect(try health("--config", "asked.yaml").status == 1)
  }

  /// A server with TLS is asked over TLS. Only another name than one of this machine needs a certificate that is right.
  @Test func tls() throws {
    let certificate = try #require(HostileCertificate.path)
    let settings = "tls: { certificate: \(certificate), key: \(certificate) }\nstreams: {}\n"
    try run("listen: 127.0.0.1:0\n\(settings)") { url in
      let port = try #require(url.port)
      _ = try scratch.write("listen: 127.0.0.1:\(port)\n\(settings)", to: "asked.yaml")
      #expect(try health("--config", "asked.yaml").output == "https://127.0.0.1:\(port) lives\n")
      #expect(try health("https://127.0.0.1:\(port)").status == 0)
      let other = try health("https://127.0.0.1.localhost:\(port)")
      #expect(other.status == 1 && other.errors.contains("certificate"), "\(other)")
      #expect(try health("http://127.0.0.1:\(port)").status == 1)
    }
  }

  @Test func whatCannotBeAsked() throws {
    _ = try scratch.write("listen: 127.0.0.1:0\nstreams: {}\n", to: "any.yaml")
    _ = try scratch.write("listen: 8080\n", to: "wrong.yaml")
    for (arguments, status, message) in [
      (["--config", "none.yaml"], 66, "none.yaml: no such file"), (["--config", "any.yaml"], 65, "is any that is free"),
      (["--config", "wrong.yaml"], 65, "takes HOST:PORT, not 8080"), (["127.0.0.1:8080"], 64, "begins with http://"),
    ] as [([String], Int32, String)] {
      let outcome = try Command.run(LiveServerProcess.executable, ["health"] + arguments, in: scratch.folder)
      #expect(outcome.status == status && outcome.errors.contains(message), "\(arguments): \(outcome)")
    }
  }
}
