import Basics
import Foundation
import TestSupport
import Testing

/// `cuelight preview` as a process: what it refuses, where it says that the page is, and how it ends.
@Suite(.enabled(if: LiveServerProcess.isAvailable, "ffmpeg makes the input, and the package has its trait Server"))
struct PreviewCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch.withStampedBroadcast() }

  @Test func whatCannotBegin() throws {
    for (arguments, status, message) in [
      (["none.ts"], 66, "none.ts: no such file"), (["cues.yaml"], 65, "cues.yaml: no MPEG transport stream"),
      (["out.ts", "--web", "none"], 66, "none: the folder cannot be read"), (["out.ts", "--player-library", "none.mjs"], 66, "none.mjs"),
      (["-"], 64, "standard input comes once"), (["udp://127.0.0.1:9"], 64, "takes a file or a playlist"),
      (["out.ts", "--listen", "8080"], 64, "--listen takes HOST:PORT, not 8080."),
      (["out.ts", "--player-library", "https://a.example/hls.mjs"], 64, "needs --integrity"),
      (["out.ts", "--integrity", "sha384-x"], 64, "--integrity is for --player-library."),
      (["out.ts", "--listen", "127.0.0.1:0", "--listen", "127.0.0.1:1"], 64, "--listen takes one value, and is given twice."),
      ([], 64, "input"),
    ] as [([String], Int32, String)] {
      let outcome = try Command.run(Command.executable, ["preview"] + arguments, in: scratch.folder)
      #expect(outcome.status == status && outcome.output == "" && outcome.errors.contains(message), "\(arguments): \(outcome)")
    }
  }

  /// The server program says which version it is, and which commands are the other program's.
  @Test func theServerProgram() throws {
    let program = Command.executable.deletingLastPathComponent().appending(path: "cuelight-server")
    let version = try Command.run(program, ["--version"], in: scratch.folder)
    let other = try Command.run(Command.executable, ["--version"], in: scratch.folder)
    #expect(version.status == 0 && version.output == other.output)
    for command in ["stamp", "verify"] {
      let outcome = try Command.run(program, [command, "--help"], in: scratch.folder)
      #expect(outcome.status == 64 && outcome.errors.contains("\(command) is a command of cuelight"), "\(outcome)")
    }
  }

  /// The line of JSON names the port that was free; an operator's signal ends the server, and that is no failure.
  @Test(arguments: [SIGINT, SIGTERM]) func address(signal: Int32) throws {
    let log = scratch["log"]
    try Data().write(to: log)
    let process = try ChildProcess(Command.executable.path, ["preview", scratch["out.ts"].path, "--json"], errors: .file(log.path))
    var said: JSONObject?
    let end = ContinuousClock.now + .seconds(60)
    while said == nil, process.isRunning, ContinuousClock.now < end {
      let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n")
      said = lines.first.flatMap { try? JSONValue(parsing: String($0)) }?.object
      if said == nil { usleep(20_000) }
    }
    let port = try #require(said?["port"]?.number?.intValue)
    #expect(port > 0 && said?["listening"]?.string == "http://127.0.0.1:\(port)" && said?["page"]?.string == "http://127.0.0.1:\(port)/")
    process.signal(signal)
    #expect(process.wait() == 0)
  }
}
