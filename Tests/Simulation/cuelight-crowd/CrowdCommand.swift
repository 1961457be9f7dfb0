import ArgumentParser
import Foundation
import Terminal

@main struct CrowdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-crowd",
    abstract: "Play a game of cuelight serve as a crowd, and look whether its record has every answer that was acknowledged.",
    discussion: """
      Players join, answer each question once within the window, now and then change their minds or send a request twice, and share keep-alive \
      connections. At the game's end the record is fetched with the host's token, which --host-token-file or the environment's \
      CUELIGHT_HOST_TOKEN has. All that the players do depends on the seed alone.

      Status 0 where no acknowledged answer is missing in the record and none is in it that was never sent, else 1.

      Example:
        CUELIGHT_HOST_TOKEN=... cuelight-crowd http://127.0.0.1:8090 --players 1000 --connections 100
      """)

  @Argument(help: ArgumentHelp("The game server, such as http://127.0.0.1:8090; several for its nodes.", valueName: "url"))
  var urls: [String]

  // A number below 0 is refused as such, and not taken for an option.
  @Option(name: .long, parsing: .unconditional, help: "How many players join.")
  var players = 100_000

  @Option(name: .long, parsing: .unconditional, help: "How many connections they share.")
  var connections = 2_000

  @Option(name: .long, help: "What decides who does what and when; crowds of different seeds are different players.")
  var seed: UInt64 = 1

  @Option(name: .long, parsing: .unconditional, help: "After how many results to stop; without it, when the game has ended.")
  var questions: Int?

  @Option(name: .long, parsing: .unconditional, help: "Over how many seconds the answers to each question are spread.")
  var window = 9.0

  @Option(name: .long, parsing: .unconditional, help: "How many players join a second; without it, as many as the connections carry.")
  var joinRate: Int?

  @Option(name: .long, parsing: .unconditional, help: "How many threads the players have.")
  var threads = 1

  @Option(name: .long, help: ArgumentHelp("A file with the host's token, for the record.", valueName: "file"))
  var hostTokenFile: String?

  @Flag(name: .long, help: "Print one JSON object and nothing else.")
  var json = false

  func validate() throws {
    for url in urls where ServerAddress(url) == nil { throw ValidationError("the address is http://HOST:PORT, not \(url).") }
    guard (1...CrowdScript.mostPlayers).contains(players) else {
      throw ValidationError("--players takes a number from 1 to \(CrowdScript.mostPlayers), not \(players).")
    }
    guard (1...50_000).contains(connections) else {
      throw ValidationError("--connections takes a number from 1 to 50000, not \(connections).")
    }
    guard questions.map({ (1...10_000).contains($0) }) ?? true else { throw ValidationError("--questions takes a number from 1 to 10000.") }
    guard window > 0, window <= 600 else { throw ValidationError("--window takes seconds above 0, at most 600, not \(window).") }
    guard joinRate.map({ (1...1_000_000).contains($0) }) ?? true else {
      throw ValidationError("--join-rate takes a number from 1 to 1000000.")
    }
    guard joinRate.map({ players / $0 <= 3_600 }) ?? true else {
      throw ValidationError("with this --join-rate, joining takes more than an hour.")
    }
    guard (1...64).contains(threads) else { throw ValidationError("--threads takes a number from 1 to 64, not \(threads).") }
    guard hostTokenFile != nil || Self.tokenInEnvironment != nil else {
      throw ValidationError("the record is for the host: give --host-token-file, or set CUELIGHT_HOST_TOKEN.")
    }
  }

  mutating func run() throws {
    let servers = urls.compactMap { ServerAddress($0) }
    Interruption.install()
    let console = Console(isJSON: json)
    let connections = min(connections, players)
    let settings = CrowdSettings(
      servers: servers, players: players, connections: connections, seed: seed, questions: questions,
      window: Int((window * 1_000_000).rounded()), joinRate: joinRate, threads: min(threads, connections), hostToken: try hostToken())
    let report = try CrowdRun(settings: settings, console: console).run()
    console.show(report)
    guard report.isRight else { throw ExitCode(1) }
  }

  private static var tokenInEnvironment: String? {
    ProcessInfo.processInfo.environment["CUELIGHT_HOST_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func hostToken() throws -> String {
    var text = Self.tokenInEnvironment ?? ""
    if let path = hostTokenFile {
      guard let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: Self.largestToken) else {
        throw CrowdFailure("\(path): the file is empty")
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard RequestWriter.isToken(token) else {
      throw CrowdFailure("\(hostTokenFile ?? "CUELIGHT_HOST_TOKEN"): a token is one word of letters, digits and signs of ASCII")
    }
    return token
  }

  private static let largestToken = 4_096
}
