import ArgumentParser
import Basics
import CommandSupport
import Foundation
import HLSPlaylist
import LiveInterface
import StreamInput

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow a stream as viewers get it, and say which events of its injector are missing or late.",
    discussion: """
      URL is the stream's playlist, as a network delivers it. The injector is the cuelight live that puts the events in: --injector names its \
      server, or the stream there, http://HOST/v1/streams/NAME; without it, that is where the playlist comes from. Where it asks for a token, it is \
      in the environment's CUELIGHT_TOKEN or in a file.

      An event is missing when the segment after its own has come without it, and late when its first copies are lost, or it comes long after its \
      date. Each is said at once. The exit status is 1 if there was one.

      Example:
        cuelight watch http://127.0.0.1:8080/live/live/index.m3u8
        cuelight watch https://cdn.example/show/index.m3u8 \\
          --injector http://studio:8080 --metrics watch.prom
      """)

  @Argument(help: ArgumentHelp("The stream's HLS playlist.", valueName: "url"))
  var url: String

  @Option(name: .long, help: ArgumentHelp("The server of the cuelight live, or its stream there.", valueName: "url"))
  var injector: String?

  @Option(name: .long, help: ArgumentHelp("A file with the injector's token; only its owner may read it.", valueName: "file"))
  var tokenFile: String?

  @Option(name: .long, help: "How many seconds after its date an event may come.")
  var patience = "30"

  @Option(name: .long, help: "How many seconds old the first copy of an event may be.")
  var tolerance = "0.3"

  @OptionGroup var selection: RenditionOptions

  @Option(
    name: .long,
    help: ArgumentHelp("Write what was found into this file, as Prometheus reads it, and keep it up to date.", valueName: "file"))
  var metrics: String?

  @Option(name: .long, help: ArgumentHelp("Post each finding as JSON to this URL.", valueName: "url"))
  var webhook: String?

  @Flag(
    name: .long,
    help: "Say of each event whom it has reached, a minute after it was in the stream and at the end, as pages report it to a live --reach."
  )
  var reach = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard StreamInput.isURL(url) else { throw ValidationError("watch takes the URL of a playlist, not \(url).") }
    for (option, text) in [("--patience", patience), ("--tolerance", tolerance)] {
      try require(MediaTime(decimalSeconds: text).map({ $0 >= .zero }) == true, "\(option) takes seconds, not \(text).")
    }
    if let webhook, !StreamInput.isURL(webhook) { throw ValidationError("--webhook takes a URL of http or https.") }
    _ = try address()
  }

  /// The injector's stream.
  func address() throws -> StreamAddress {
    let text = injector ?? Self.injector(of: InputAddress(url).path)
    do throws(StreamAddress.Mistake) { return try StreamAddress(text) } catch { throw ValidationError("--injector: \(error).") }
  }

  /// The address of the `cuelight live` of a playlist: for `http://HOST/live/NAME/index.m3u8`, the stream NAME.
  static func injector(of playlist: String) -> String {
    let url = URIReference(playlist)
    let server = "\(url.scheme ?? "")://\(url.authority ?? "")"
    let parts = url.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[parts.count - 3] == "live" else { return server }
    let front = parts.dropLast(3).joined(separator: "/")
    return "\(server)\(front)/v1/streams/\(parts[parts.count - 2])"
  }

  func run() throws {
    let token = try TokenSource(path: tokenFile).token(environment: ProcessInfo.processInfo.environment)
    let list = InjectorList(address: try address(), token: token)
    let file = try metrics.map { path throws(CommandFailure) in try OutputFile(path: path, overwrites: true) }
    let watcher = Watcher(
      list, patience: MediaTime(decimalSeconds: patience) ?? .zero, tolerance: MediaTime(decimalSeconds: tolerance) ?? .zero,
      WatchReport(isJSON: json, metrics: file, webhook: webhook), ReachList(isWanted: reach))
    try watcher.run(try selection.source(url))
  }
}
