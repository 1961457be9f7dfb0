import Foundation
import TestSupport
import Testing

/// What `cuelight live` has from its start: cues and signatures.
@Suite(.enabled(if: LiveServerProcess.isAvailable, "ffmpeg makes the input, and the package has its trait Server")) struct LiveStartTests {
  private static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    -----END PRIVATE KEY-----

    """
  private static let publicKey = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1\n"
  private static let sheet = """
    game: start
    title: Start
    cues:
      - { event: startGame }
      - { at: go, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 3600 }
      - { at: go, event: endGame }

    """

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Self.sheet, to: "cues.yaml")
    _ = try scratch.write(Self.privateKey, to: "key.pem", permissions: 0o600)
    _ = try scratch.write(Self.publicKey, to: "public")
  }

  private func start(_ output: String) throws -> LiveServerProcess {
    try LiveServerProcess(
      "--cues", scratch["cues.yaml"].path, "--sign", scratch["key.pem"].path, "--journal", scratch["journal"].path, "--game", "start", "-o",
      scratch[output].path, log: scratch["log"])
  }

  private func post(_ server: LiveServerProcess, _ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["post", server.url] + arguments)
  }

  /// Waits until the events of a recording that are signed by the right key say something.
  private func replay(_ output: String, until text: String) throws -> Command.Outcome {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      let replayed = try Command.shell("cuelight replay --require-signature public \(output)", in: scratch.folder)
      if replayed.output.contains(text) || ContinuousClock.now >= end { return replayed }
    }
  }

  /// The cues are there once, over a restart too, and every copy is signed: those that a restart repeats as well.
  @Test func cuesAndSignatures() throws {
    var server = try start("one.ts")
    #expect(try post(server, "next", "--wait").output.contains(", number 2\n"))
    let first = try replay("one.ts", until: "One or two?")
    #expect(first.errors == "" && first.output.contains("One or two?"))
    #expect(server.stop() == 0)
    // The question is open still.
    server = try start("two.ts")
    #expect(try post(server, "list").lines.map { $0.split(separator: " ")[2] } == ["startGame", "askQuestion", "endGame"])
    #expect(try post(server, "next", "--wait").output.contains(", number 3\n"))
    let replayed = try replay("two.ts", until: "The game is over")
    #expect(replayed.errors == "" && replayed.output.contains("One or two?") && replayed.output.contains("The game is over"))
    #expect(try post(server, "next").status == 65)
    #expect(server.stop() == 0)
  }

  /// A sheet that says something else than the journal is refused with its line, before anything is made.
  @Test func anotherSheet() throws {
    _ = try start("one.ts").stop()
    let path = try scratch.write(Self.sheet.replacing("One or two?", with: "Two or one?"), to: "cues.yaml")
    let refused = try LiveServerProcess.outcome("--cues", path, "--journal", scratch["journal"].path, "--game", "start")
    let reason = "the journal has another event in the place of this cue; start with the sheet as it was, or with a new journal"
    #expect(refused == .init(status: 65, output: "", errors: "cuelight-server: \(path):5:5: \(reason)\n"))
    let wrong = try scratch.write(Self.sheet.replacing("correct: Two", with: "correct: Three"), to: "cues.yaml")
    let mistake = try LiveServerProcess.outcome("--cues", wrong)
    #expect(
      mistake.status == 65 && mistake.errors.hasPrefix("cuelight-server: \(path):5:") && mistake.errors.contains("none of the answers"))
    #expect(try LiveServerProcess.outcome("--cues", scratch["none"].path).status == 66)
    #expect(try LiveServerProcess.outcome("--sign", path).status == 65)
  }

  /// What the server's command line refuses is said in the words of the other one.
  @Test func wrongUsage() throws {
    for (arguments, message) in [
      (["--copies", "0"], "Error: --copies takes a number from 1 to 100, not 0."),
      (["--name", "a", "--name", "b"], "Error: --name takes one value, and is given twice."),
      (["--refresh", "never"], "Error: --refresh takes seconds from 0.1 on, or off, not never."),
    ] {
      let refused = try Command.run(LiveServerProcess.executable, ["live", LiveServerProcess.input] + arguments)
      #expect(refused.status == 64 && refused.errors.split(separator: "\n").first == Substring(message), "\(arguments)")
    }
    let help = try Command.run(LiveServerProcess.executable, ["live", "--help"])
    #expect(help.status == 0 && help.errors == "" && help.output.contains("--cues"))
  }
}
