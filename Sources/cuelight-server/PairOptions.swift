import ArgumentParser
import CommandSupport
import LiveServer
import LiveSession

/// The option of a redundant pair.
struct PairOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Be one of two nodes with the same input and the same options: the address of the other one's web server, http://HOST:PORT.",
      valueName: "url"))
  var pair: String?

  /// The address of the other node; `nil` without one.
  var peer: PairNode.Peer? { pair.flatMap { Self.peer($0) } }

  private static func peer(_ text: String) -> PairNode.Peer? {
    guard text.hasPrefix("http://") else { return nil }
    var rest = text.dropFirst("http://".count)
    if rest.last == "/" { rest.removeLast() }
    guard let place = ListenAddress.parse(String(rest)), !place.host.isEmpty, place.port > 0 else { return nil }
    return PairNode.Peer(host: place.host, port: place.port)
  }

  func validate() throws {
    guard let pair, peer == nil else { return }
    throw ValidationError("--pair takes http://HOST:PORT, not \(pair).")
  }

  /// Refuses options that a pair does not support.
  func validate(_ command: LiveCommand) throws {
    guard pair != nil else { return }
    try require(command.journal != nil && command.game != nil, "--pair needs --journal, and --game with the same name on both nodes.")
    switch LiveInput(command.input) {
    case .file, .publisher:
      throw ValidationError(
        "--pair is for an input that both nodes have at the same time: -, udp://, rtp://, srt:// or a playlist of transport streams.")
    case .network, .standardInput, .playlist, nil: break
    }
    for output in command.output {
      guard case .network? = LiveOutputAddress(output) else {
        throw ValidationError(
          "With --pair the web servers of both nodes have the playlists; an output is udp:// or srt://, and \(output) is not.")
      }
    }
    let others = [
      ("--variant", !command.variant.isEmpty), ("--backup", command.backup != nil), ("--part-duration", command.stream.partDuration != nil),
      ("--constant-rate", command.constantRate), ("--sei", command.sei), ("--duration", command.duration != nil),
      ("--webhook", !command.webhooks.webhook.isEmpty),
    ]
    for (option, isGiven) in others where isGiven { throw ValidationError("--pair and \(option) exclude each other.") }
  }
}
