import ArgumentParser
import CommandSupport
import HLSPlaylist

/// The options of `cuelight-server run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server run",
    abstract: "Run the streams and games of a configuration file, or a show with defaults.",
    discussion: """
      With --config, one process has all streams and games of a file in YAML or JSON: see cuelight-server check. SIGHUP and POST /v1/reload load the \
      file again: streams that do not change go on, and a file with a mistake has no effect.

      With a file of questions, everything for a show starts: an address for OBS to publish to, the page for players with its QR code, and the link \
      for the host.

      Example:
        cuelight-server run --config cuelight.yaml
        cuelight-server run quiz.xlsx
      """)

  @Argument(help: "A file of questions, in any format of cuelight questions: a show with defaults begins.")
  var quiz: String?

  @Option(help: ArgumentHelp("The configuration: a file in YAML or JSON with streams and games.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp("With questions: the folder that remembers the show; without it, one beside the questions.", valueName: "folder"))
  var data: String?

  @Option(help: "With questions: the address and port of the web server.")
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "With questions: hls.js, for browsers that do not play HLS: a file, or an address with --integrity.", valueName: "file|url"))
  var playerLibrary: String?

  @Option(help: ArgumentHelp("With questions: what the script must be, such as sha384-….", valueName: "digest"))
  var integrity: String?

  @Option(help: ArgumentHelp("With questions: how the pages look, a file in YAML or JSON.", valueName: "file"))
  var theme: String?

  @Flag(help: "Write messages and a line for each request as JSON.")
  var json = false

  func validate() throws {
    try require((quiz == nil) != (config == nil), "Give a file of questions, or --config with a configuration.")
    let others = [
      ("--data", data), ("--listen", listen), ("--player-library", playerLibrary), ("--integrity", integrity), ("--theme", theme),
    ]
    for (option, value) in others where value != nil {
      try require(config == nil, "\(option) is for a file of questions; a configuration has a key for it.")
    }
  }

  /// The command line of `serve` for a show with defaults.
  ///
  /// - Parameter tokens: The file with the key for encoders.
  func serveWords(quiz: String, data: String, tokens: String) -> [String] {
    var words = [
      "--quiz=\(quiz)", "--data=\(data)", "--token-file=\(tokens)", "--input=rtmp://0.0.0.0:1935/live",
      "--listen=\(listen ?? "0.0.0.0:8090")", "--hosted",
    ]
    if let playerLibrary { words.append("--player-library=\(playerLibrary)") }
    if let integrity { words.append("--integrity=\(integrity)") }
    if let theme { words.append("--theme=\(theme)") }
    if json { words.append("--json") }
    return words
  }
}

/// The options of `cuelight-server check`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server check",
    abstract: "Tell what a configuration would run, and every mistake in it.",
    discussion: """
      Each mistake is told with its line and column, all at once; then the status is 65. --schema prints the JSON Schema of configurations, for editors.

      Example:
        cuelight-server check cuelight.yaml
        cuelight-server check --schema > cuelight.schema.json
      """)

  @Argument(help: "The configuration: a file in YAML or JSON.")
  var file: String?

  @Flag(help: "Print the JSON Schema of configurations instead.")
  var schema = false

  @Flag(help: "Print what would run as JSON.")
  var json = false

  func validate() throws {
    try require((file == nil) == schema, "Give a configuration file, or --schema.")
  }
}

/// The keys of a configuration for the process, as options.
struct ProcessOptions: ParsableCommand, ListeningCommand {
  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:8080"

  @Option(help: "An origin whose pages may call, or *; may be repeated.")
  var cors: [String] = []

  @OptionGroup var host: HostOptions

  func validate() throws {
    try requirePlace()
    try require(host.data != nil || host.store == nil, "--store needs --data, for the journals of streams.")
  }
}

/// The keys of a stream in a configuration that another program carries, as options.
struct ForeignStreamOptions: ParsableCommand {
  @OptionGroup var injection: InjectionOptions

  @Option(help: "What the show is called.")
  var title: String?

  @Option(help: ArgumentHelp("The journal of events that go to the injector of --to.", valueName: "file"))
  var journal: String?

  func validate() throws {
    try require(injection.live == nil || injection.to == nil, "--live and --to exclude each other.")
    try require(injection.to != nil || (title == nil && journal == nil), "--title and --journal are for --to.")
  }
}

/// The keys of a game in a configuration, as options.
struct GameEntryOptions: ParsableCommand {
  @Option(help: "The name of the stream on which the game is played; with one stream it need not be said.")
  var stream: String?

  @Option(help: "When the game begins without a host, such as 2026-12-01T20:00:00Z, instead of start-in.")
  var start: String?

  @OptionGroup var game: GameOptions

  func validate() throws {
    try require(game.quiz != nil, "--quiz is missing: name a file of questions.")
    if let start {
      try require(PlaylistDate(start) != nil, "--start takes a date and time such as 2026-12-01T20:00:00Z, not \(start).")
      try require(!game.hosted, "--start and --hosted exclude each other.")
    }
  }

  /// When the game begins without a host, in milliseconds since 1970; `nil` if it waits for a host.
  func startsAt(at now: Int64) -> Int64? { start.flatMap { PlaylistDate($0)?.milliseconds } ?? game.startsAt(at: now) }
}
