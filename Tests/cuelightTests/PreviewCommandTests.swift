import Basics
import CommandSupport
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
    #expect(version.status == 0 && version.output.hasPrefix("cuelight-server \(Version.number) (from source, Swift 6."))
    #expect(other.status == 0 && version.output == "cuelight-server \(other.output.dropFirst("cuelight ".count))")
    for command in ["stamp", "verify"] {
      let outcome = try Command.run(program, [command, "--help"], in: scratch.folder)
      #expect(outcome.status == 64 && outcome.errors.contains("\(command) is a command of cuelight"), "\(outcome)")
    }
  }

  /// Help, completions and the description of all options name every command, whose own help is that of its name.
  @Test func theServerProgramsCommands() throws {
    let program = Command.executable.deletingLastPathComponent().appending(path: "cuelight-server")
    let commands = ["live", "serve", "preview", "status", "health"]
    let help = try Command.run(program, ["--help"], in: scratch.folder)
    #expect(help.status == 0 && commands.allSatisfy { help.output.contains("\n  \($0) ") })
    let described = try Command.run(program, ["--experimental-dump-help"], in: scratch.folder)
    let root = try JSONValue(parsing: described.output).object?["command"]?.object
    let listed = (root?["subcommands"]?.array ?? []).compactMap { $0.object?["commandName"]?.string }
    #expect(root?["commandName"]?.string == "cuelight-server" && commands.allSatisfy(listed.contains))
    for shell in ["bash", "zsh", "fish"] {
      let script = try Command.run(program, ["--generate-completion-script", shell], in: scratch.folder)
      #expect(script.status == 0 && commands.allSatisfy { script.output.contains($0) } && script.output.contains("segment-duration"))
    }
    let unknown = try Command.run(program, ["help", "nothing"], in: scratch.folder)
    #expect(unknown.status == 64 && unknown.errors.contains("There is no command nothing."))
  }

  /// A server lives if one of its addresses answers.
  @Test func health() throws {
    let program = Command.executable.deletingLastPathComponent().appending(path: "cuelight-server")
    let none = try Command.run(program, ["health", "http://127.0.0.1:1"], in: scratch.folder)
    #expect(none.status == 1 && none.output == "" && none.errors.hasPrefix("cuelight-server: http://127.0.0.1:1/healthz: "))
    let wrong = try Command.run(program, ["health", "127.0.0.1:1"], in: scratch.folder)
    #expect(wrong.status == 64 && wrong.errors.contains("An address begins with http:// or https://"))
    let server = try LiveServerProcess(log: scratch["log"])
    let outcome = try Command.run(program, ["health", "http://127.0.0.1:1", "\(server.url)/"], in: scratch.folder)
    #expect(outcome == .init(status: 0, output: "\(server.url)/ lives\n", errors: ""))
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
