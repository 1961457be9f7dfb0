import ArgumentParser
import Basics
import CommandSupport
import GameServer
import LiveInterface
import LiveSession
import OtherInjectors
import Scoring

/// The options of `cuelight serve`.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight serve",
    abstract: "Play a game over a stream: answers come in over HTTP, real results go out in the video.",
    discussion: """
      One process has the stream, the game and its web server. With --live the stream is that of a cuelight live elsewhere, and with --to that of \
      another system, such as Amazon IVS. The folder of --data \
      has everything that must not be lost; a copy of it is a backup, and a start with it goes on where the last one ended. With --store games are in \
      PostgreSQL instead, and any number of processes serve them.

      Players that know low-latency HLS are two seconds behind, with parts of half a second in fragmented MP4, for which FFmpeg's libraries are needed; \
      --part-duration 0 makes whole segments only. How far viewers are behind is measured: answers count from that far, unless --delay says otherwise.

      With --quiz a game begins by itself, unless a host leads it with the token that is printed; without it, games are made over HTTP.

      Example:
        cuelight serve --data show --input show.mp4 --quiz quiz.yaml
        cuelight serve --data show --live http://studio:8080 \\
          --live-token-file token --listen 0.0.0.0:8090
      """)

  @Option(help: ArgumentHelp("The folder that remembers games, players and answers; it is made where there is none.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database that remembers all that, for any number of processes: postgresql://USER@HOST:PORT,HOST:PORT/DATABASE.",
      valueName: "address"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "A file with the password for --store, which PGPASSWORD may have, too; only its owner may read it.", valueName: "file"))
  var storePasswordFile: String?

  @Option(help: ArgumentHelp("Copy all games into this new folder, as for --data, and end.", valueName: "folder"))
  var export: String?

  @Option(
    name: .customLong("import"), help: ArgumentHelp("Copy all games of this folder, as of --data, to here, and end.", valueName: "folder"))
  var importing: String?

  @Option(
    help:
      "The stream that events go into: - , a file, udp://HOST:PORT, srt://HOST:PORT, rtmp://HOST:PORT/APP to listen on, or an HLS playlist."
  )
  var input: String?

  @Option(help: ArgumentHelp("The cuelight live that puts events into the stream, instead of --input.", valueName: "url"))
  var live: String?

  @Option(help: ArgumentHelp("A file with the token for --live; only its owner may read it.", valueName: "file"))
  var liveTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "An injector of somebody else, for a stream that is encoded elsewhere, as for cuelight post --to.", valueName: "injector"))
  var to: String?

  @Option(help: ArgumentHelp("A file with what --to asks for; only its owner may read it.", valueName: "file"))
  var credentials: String?

  @Option(help: ArgumentHelp("Where players find the stream of --to.", valueName: "url"))
  var stream: String?

  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:8090"

  @Option(help: ArgumentHelp("The address that players know, such as https://quiz.example, where it is another one.", valueName: "url"))
  var publicAddress: String?

  @OptionGroup var pages: PageOptions

  @Option(
    help: ArgumentHelp("Begin a game with the questions of this file, in any format of cuelight questions.", valueName: "file")
  )
  var quiz: String?

  @Flag(help: "Leave out questions of --quiz with mistakes, which are named on standard error, and go on with the others.")
  var skipMistakes = false

  @Option(help: "What the show is called; without it, what the quiz is called.")
  var title: String?

  @Option(help: "How answers are scored, as for cuelight replay.")
  var scoring: String?

  @Option(help: "How many seconds a question takes answers.")
  var time = "10"

  @Option(
    help:
      "How many seconds viewers may be behind the live edge whose answers count; results come that much later. Without it 12, or more if viewers are further behind."
  )
  var delay: String?

  @Option(help: "How many seconds a result is shown before the next question, without a host.")
  var pause = "8"

  @Option(help: "In how many seconds the game begins without a host.")
  var startIn = 30

  @Flag(help: "Wait for a host: nothing begins by itself.")
  var hosted = false

  @OptionGroup var connection: ConnectionOptions

  @OptionGroup var webhooks: WebhookOptions

  @Flag(help: "Others than the operator may have accounts and make games, which the operator approves for the stream.")
  var accounts = false

  @Flag(help: "Nobody but the operator makes accounts and games: the default, which need not be said any more.")
  var closed = false

  @Option(help: "How many days games that are over are kept, with their players; without it, for ever.")
  var retention: Int?

  @Option(
    help: ArgumentHelp(
      "How many seconds it goes on once it is to end, while /readyz says so, for load balancers to send nothing more.", valueName: "seconds"
    ))
  var drain = 0

  @Option(help: ArgumentHelp("A file of tokens for the stream's own interface, as for cuelight live.", valueName: "file"))
  var tokenFile: String?

  @OptionGroup var streaming: StreamOptions

  @Flag(help: "Write messages and a line for each request as JSON.")
  var json = false

  /// The foreign injector.
  var target: InjectorTarget? { to.flatMap { try? InjectorTarget($0) } }

  /// The address and the port to listen on.
  var place: (host: String, port: Int)? { ListenAddress.parse(listen) }

  /// Whether games are copied instead of served.
  var copies: Bool { export != nil || importing != nil }

  /// The changes of the standard rules.
  var rules: JSONObject {
    var rules = JSONObject()
    if let scoring { rules.append("scoring", scoring) }
    for (key, text) in [("allottedTime", time), ("pause", pause)] + (delay.map { [("delay", $0)] } ?? []) {
      if let number = JSONNumber(text) { rules.append(key, .number(number)) }
    }
    if delay != nil { rules.append("fixedDelay", true) }
    return rules
  }

  /// The option for a property of a game.
  static func option(_ key: String) -> String {
    switch key {
    case "allottedTime": "--time"
    case "automatic": "--hosted"
    case "fixedDelay": "--delay"
    default: "--\(key)"
    }
  }

  func validate() throws {
    guard place.map({ !$0.host.isEmpty }) ?? false else { throw ValidationError("--listen takes HOST:PORT, not \(listen).") }
    guard data != nil || store != nil else { throw ValidationError("Give --data, for a folder that remembers games, or --store.") }
    try require(data == nil || store == nil || input != nil || to != nil, "--data is for --input and --to where there is --store.")
    try require((input == nil && to == nil) || data != nil, "--input and --to need --data, for the stream's journal.")
    guard store != nil || storePasswordFile == nil else { throw ValidationError("--store-password-file is for --store.") }
    guard export == nil || importing == nil else { throw ValidationError("--export and --import go one after the other.") }
    guard !copies else {
      try require(input == nil && live == nil && to == nil && quiz == nil, "--export and --import take neither a stream nor a quiz.")
      return
    }
    try require(
      [input, live, to].count(where: { $0 != nil }) == 1, "Give --input, for a stream of its own, or --live, or --to: one of them.")
    if let to {
      let target: InjectorTarget
      do throws(InjectorTarget.Mistake) { target = try InjectorTarget(to) } catch { throw ValidationError("--to: \(error).") }
      try require(
        target.keepsChecksums, "--to: Wowza writes events without checksums, which tell players no time; a game takes another injector.")
    }
    guard to != nil || (credentials == nil && stream == nil) else { throw ValidationError("--credentials and --stream are for --to.") }
    if let input, LiveInput(input) == nil {
      throw ValidationError(
        "--input is -, a file, udp://, srt://, rtmp://HOST:PORT/APP, http:// or https://, and \(input) is none of them.")
    }
    if let live {
      do throws(StreamAddress.Mistake) { _ = try StreamAddress(live) } catch { throw ValidationError("--live: \(error).") }
    }
    guard live != nil || liveTokenFile == nil else { throw ValidationError("--live-token-file is for --live.") }
    for (option, text) in [("--time", time), ("--delay", delay ?? "0"), ("--pause", pause)] {
      try require(MediaTime(decimalSeconds: text).map({ $0 >= .zero }) == true, "\(option) takes seconds, not \(text).")
    }
    if let scoring {
      do throws(ScoringRulesError) { _ = try ScoringRules(parsing: scoring) } catch { throw ValidationError("--scoring: \(error).") }
    }
    if let mistake = Games.mistake(in: rules) { throw ValidationError("\(Self.option(mistake.rule)): \(mistake.message).") }
    guard retention.map({ (1...36_500).contains($0) }) ?? true else { throw ValidationError("--retention takes days from 1 on.") }
    guard (0...3_600).contains(drain) else { throw ValidationError("--drain takes seconds up to an hour.") }
    guard (0...604_800).contains(startIn) else { throw ValidationError("--start-in takes seconds up to a week.") }

    guard !accounts || !closed else { throw ValidationError("--accounts and --closed exclude each other.") }
    guard quiz != nil || title == nil else { throw ValidationError("--title is for --quiz.") }
    guard quiz != nil || !skipMistakes else { throw ValidationError("--skip-mistakes is for --quiz.") }
  }
}

/// The addresses that servers listen on.
enum ListenAddress {
  /// The addresses by which people reach a server.
  struct Reach: Equatable {
    var host: String
    var port: Int
    var scheme: String
    /// The names in its certificate.
    var names: [String]

    init(host: String, port: Int, scheme: String = "http", names: [String] = []) {
      (self.host, self.port, self.scheme, self.names) = (host, port, scheme, names)
    }

    /// Where the server listens.
    var listening: String { address(of: host) }

    /// Whether it listens on all addresses of the machine.
    var isEverywhere: Bool { ListenAddress.isEverywhere(host) }

    /// Whether only this machine can reach it.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The address for people: one that a phone can open.
    ///
    /// - Parameter machine: The address of this machine in its network.
    func address(machine: String?) -> String {
      if let name = names.first, isEverywhere { return address(of: name) }
      return isEverywhere ? address(of: machine ?? "localhost") : listening
    }

    /// How phones can reach the server if only this machine can; `nil` if they can already.
    func hint(machine: String?) -> String? {
      guard isLoopback else { return nil }
      let example = machine.map { ", as \(address(of: $0))" } ?? ""
      return "only this machine reaches \(listening); phones in the same network get in with --listen 0.0.0.0:\(port)\(example)"
    }

    func address(of host: String) -> String { "\(scheme)://\(ListenAddress.bracketed(host)):\(port)" }
  }

  /// Whether a host stands for all addresses of the machine.
  static func isEverywhere(_ host: String) -> Bool { ["0.0.0.0", "::"].contains(host) }

  /// A host in the form for URLs.
  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// The host and the port of a text such as `127.0.0.1:8080` or `[::1]:8080`.
  static func parse(_ text: String) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port) else {
      return nil
    }
    let host = text[..<colon]
    return (host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host), port)
  }
}
