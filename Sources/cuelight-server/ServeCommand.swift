import ArgumentParser
import Basics
import CommandSupport
import GameServer
import LiveInterface
import LiveSession
import OtherInjectors
import Scoring

/// The options of `cuelight serve`.
struct ServeCommand: ParsableCommand, ListeningCommand {
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

  @Option(help: ArgumentHelp("Copy all games into this new folder, as for --data, and end.", valueName: "folder"))
  var export: String?

  @Option(
    name: .customLong("import"), help: ArgumentHelp("Copy all games of this folder, as of --data, to here, and end.", valueName: "folder"))
  var importing: String?

  @Option(
    help:
      "The stream that events go into: - , a file, udp://HOST:PORT, rtp://HOST:PORT, srt://HOST:PORT, rtmp://HOST:PORT/APP to listen on, or an HLS playlist."
  )
  var input: String?

  @OptionGroup var injection: InjectionOptions

  @OptionGroup var host: HostOptions

  @OptionGroup var game: GameOptions

  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:8090"

  @OptionGroup var webhooks: WebhookOptions

  @Flag(help: "Nobody but the operator makes accounts and games: the default, which need not be said any more.")
  var closed = false

  @OptionGroup var streaming: StreamOptions

  @Flag(help: "Write messages and a line for each request as JSON.")
  var json = false

  /// Whether games are copied instead of served.
  var copies: Bool { export != nil || importing != nil }

  func validate() throws {
    let (live, to) = (injection.live, injection.to)
    try requirePlace()
    guard host.data != nil || host.store != nil else {
      throw ValidationError("Give --data, for a folder that remembers games, or --store.")
    }
    try require(
      host.data == nil || host.store == nil || input != nil || to != nil, "--data is for --input and --to where there is --store.")
    try require((input == nil && to == nil) || host.data != nil, "--input and --to need --data, for the stream's journal.")
    guard export == nil || importing == nil else { throw ValidationError("--export and --import go one after the other.") }
    guard !copies else {
      try require(input == nil && live == nil && to == nil && game.quiz == nil, "--export and --import take neither a stream nor a quiz.")
      return
    }
    try require(
      [input, live, to].count(where: { $0 != nil }) == 1, "Give --input, for a stream of its own, or --live, or --to: one of them.")
    if let input, LiveInput(input) == nil {
      throw ValidationError(
        "--input is -, a file, udp://, rtp://, srt://, rtmp://HOST:PORT/APP, http:// or https://, and \(input) is none of them.")
    }
    guard !host.accounts || !closed else { throw ValidationError("--accounts and --closed exclude each other.") }
  }
}
