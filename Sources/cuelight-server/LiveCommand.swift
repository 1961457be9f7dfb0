import ArgumentParser
import Basics
import CommandSupport
import GameEvents
import LiveGame
import LiveHLS
import LiveSession
import PacketStamping
import Seals

/// The options of `cuelight live`.
struct LiveCommand: ParsableCommand, ListeningCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight live",
    abstract: "Put events into a running stream.",
    discussion: """
      The input is a transport stream on standard input (-), a file at its own pace, a transport stream by UDP, RTP or SRT, what an encoder \
      publishes here by RTMP, or an HLS playlist, live or not, in a file or on a web server. The outputs are live \
      HLS in a folder (DIR/index.m3u8), UDP, SRT, standard output (-), recordings (FILE.ts), and origins that HLS is pushed to \
      (https://ORIGIN/PATH/index.m3u8, s3://BUCKET/KEY/index.m3u8, cmaf+https://ORIGIN/POINT), several at once. The built-in web server \
      has the same HLS at /live/NAME/index.m3u8, and takes events under /v1/streams/NAME/.

      Example:
        cuelight live show.mp4 --loop
        cuelight live "srt://0.0.0.0:9000?mode=listener" -o www/index.m3u8 \\
          --journal show.journal --game friday
        cuelight post startGame --title "Friday"
      """)

  @Argument(
    help:
      "The stream: - , a file, udp://HOST:PORT, rtp://HOST:PORT, srt://HOST:PORT, rtmp://HOST:PORT/APP to listen on, or an HLS playlist (a path or an http(s) URL)."
  )
  var input: String

  @Option(
    help:
      "An input with the same programme that takes over within a second when the first one is silent: udp://, rtp://, srt://, rtmp:// or a playlist."
  )
  var backup: String?

  @Option(
    help:
      "An input with another rendition of the same programme, which has the same clock and key frames at the same times; may be repeated.")
  var variant: [String] = []

  @Option(name: .shortAndLong, help: "Where the stream goes besides the web server; may be repeated.")
  var output: [String] = []

  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:8080"

  @Option(help: "The stream's name in addresses.")
  var name = "live"

  @Option(help: "The file that remembers events and segments; with it, a session that was killed goes on.")
  var journal: String?

  @Option(help: "The name of the game; without it, one is made of the date.")
  var game: String?

  @Option(help: "What the show is called, for a start that does not say it.")
  var title: String?

  @OptionGroup var stream: StreamOptions

  @OptionGroup var pair: PairOptions

  @Option(help: "How many segments the playlist has.")
  var window = 6

  @Option(help: "How many seconds the playlist has, instead of --window.")
  var dvr: String?

  @Flag(help: "Keep all segments in the playlist (EXT-X-PLAYLIST-TYPE:EVENT).")
  var event = false

  @OptionGroup var policy: PolicyOptions

  @Option(help: "A file with the 32 secret bytes that answers are sealed with; without it the journal keeps a random key.")
  var sealKey: String?

  @Option(
    help: ArgumentHelp(
      "A file with an Ed25519 private key that each event is signed with, for readers with --require-signature.", valueName: "private-key"))
  var sign: String?

  @Option(help: "A cue sheet whose cues are posted at the start; those with at: go wait for the operator.")
  var cues: String?

  @Flag(help: "Send the right answers in the clear.")
  var openAnswers = false

  @Option(help: "The number of the program that the events belong to.")
  var program: UInt16?

  @Option(help: "Of an HLS playlist with several variants, the one of this name or number, instead of the highest bandwidth.")
  var rendition: String?

  @Flag(
    help:
      "Put events into the next null packets of the stream, and add packets only where those come too late: the bit rate stays constant.")
  var constantRate = false

  @Flag(help: "Put each tag into an SEI message of the H.264 or HEVC video as well, for chains that lose ID3 streams.")
  var sei = false

  @Option(help: "A file of tokens: lines of manage, publish, read or view, and a token; only its owner may read it.")
  var tokenFile: String?

  @Option(help: "An origin whose pages may call, or *; may be repeated.")
  var cors: [String] = []

  @OptionGroup var connection: ConnectionOptions

  @OptionGroup var webhooks: WebhookOptions

  @OptionGroup var pushes: PushOptions

  @Option(help: "End at this programme time, in seconds.")
  var duration: String?

  @Flag(help: "Replace recordings that exist.")
  var force = false

  @Flag(help: "Write messages as lines of JSON.")
  var json = false

  func validate() throws {
    try requirePlace()
    try require(
      LiveInput(input) != nil,
      "The input is -, a file, udp://, rtp://, srt://, rtmp://HOST:PORT/APP, http:// or https://, and \(input) is none of them.")
    for variant in variant where LiveInput(variant) == nil {
      throw ValidationError("--variant takes what an input may be, and \(variant) is none.")
    }
    try requireBackup()
    guard ([input] + variant).count(where: { $0 == "-" }) < 2 else { throw ValidationError("Standard input is one input.") }
    let published = ([input, backup].compactMap(\.self) + variant).compactMap { PublishAddress($0) }
    guard Set(published).count == published.count else { throw ValidationError("Each RTMP input has an APP of its own.") }
    for output in output where LiveOutputAddress(output) == nil {
      guard !output.contains("@") || !output.contains("http") else {
        throw ValidationError("A name and a password of an origin belong into the file of --push-credentials, not into its address.")
      }
      throw ValidationError(
        "An output is DIR/index.m3u8, FILE.ts, -, udp://, srt://, http(s)://ORIGIN/PATH/index.m3u8 or .mpd, s3://BUCKET/KEY/index.m3u8 or cmaf+http(s)://ORIGIN/POINT, and \(output) is none of them."
      )
    }
    try pushes.validate(self)
    guard !name.isEmpty, !name.contains("/") else { throw ValidationError("--name takes one part of a path, not \(name).") }
    _ = try policy.policy()

    for (option, text) in [("--dvr", dvr), ("--duration", duration)] {
      guard let text else { continue }
      try require(MediaTime(decimalSeconds: text).map({ $0 > .zero }) == true, "\(option) takes seconds, not \(text).")
    }
    try pair.validate(self)
    guard (3...10_000).contains(window) else { throw ValidationError("--window takes a number from 3 to 10000, not \(window).") }

    guard !(event && dvr != nil) else { throw ValidationError("--event and --dvr exclude each other.") }
    guard !(openAnswers && sealKey != nil) else { throw ValidationError("--open-answers and --seal-key exclude each other.") }

    try require(
      !sei || !constantRate, "--sei adds packets to the video, and --constant-rate adds none if it can: a stream has one or the other.")
    guard program != 0 else { throw ValidationError("--program takes a number from 1 to 65535; 0 is no program.") }
  }

  /// Refuses a backup that is no live input, and one for an input that ends.
  private func requireBackup() throws {
    guard let backup else { return }
    switch LiveInput(backup) {
    case .network, .publisher, .playlist: break
    case .standardInput, .file, nil:
      throw ValidationError("--backup takes udp://, rtp://, srt://, rtmp://HOST:PORT/APP or a playlist, and \(backup) is none of them.")
    }
    if case .file = LiveInput(input) { throw ValidationError("--backup is for a live input, and \(input) is a file.") }
    try require(backup != input, "--backup and the input are two inputs, and both are \(input).")
    try require(variant.isEmpty, "--backup and --variant exclude each other.")
  }

  /// The settings of the session.
  ///
  /// - Parameters:
  ///   - sign: Signs each event; `nil` for no signatures.
  ///   - cues: The cues to post at the start; `nil` for none.
  func settings(game: String, sealKey: SealKey?, sign: EventSigner?, cues: LiveSheet?) -> LiveSettings? {
    guard let input = LiveInput(input) else { return nil }
    let length = dvr.flatMap { MediaTime(decimalSeconds: $0) } ?? MediaTime(ticks: stream.segment.ticks * Int64(window))
    var settings = LiveSettings(
      input: input, outputs: output.compactMap { LiveOutputAddress($0) }, game: game, playlist: event ? .event : .window(length))
    settings.backup = backup.flatMap { LiveInput($0) }
    settings.variants = variant.compactMap { LiveInput($0) }
    settings.isGameNamed = self.game != nil
    settings.name = name
    settings.title = title
    settings.policy = (try? policy.policy()) ?? settings.policy
    settings.sealKey = sealKey
    settings.sign = sign
    settings.cues = cues
    settings.hasOpenAnswers = openAnswers
    settings.options.program = program

    settings.options.keepsRate = constantRate
    if sei { settings.options.carriages.insert(.messages) }
    settings.rendition = rendition
    stream.apply(to: &settings)
    settings.journal = journal
    settings.duration = duration.flatMap { MediaTime(decimalSeconds: $0) }
    settings.overwrite = force
    return settings
  }
}
