import ArgumentParser
import CommandSupport
import Files
import Foundation
import HLSPlaylist
import LibC
import LiveGame
import LiveInterface
import LiveServer
import LiveSession
import PublisherServer
import Seals
import Terminal
import WebShell
import Webhooks

@main
enum Main {
  static func main() async {
    Interruption.install()
    // A preview is for the user of the terminal; a stream and games continue without it.
    if !["preview", "check"].contains(CommandLine.arguments.dropFirst().first) { Interruption.ignoreHangUps() }
    Memory.returnLargeBlocks()
    do throws(CommandFailure) {
      try await run()
    } catch {
      if let message = error.message, JournalStream.isStandardError(environment: ProcessInfo.processInfo.environment) {
        StandardError.put(Console.text(message, .error, isJSON: false, isJournal: true))
      } else {
        error.report(by: "cuelight-server")
      }
      exit(error.status)
    }
  }

  /// The commands of `cuelight`. A file with one of these names is given as ./NAME.
  private static let others: Set<String> = [
    "questions", "plan", "lint", "shift", "captions", "stamp", "extract", "strip", "repair", "post", "inspect", "replay", "play", "verify",
    "watch", "doctor", "journal", "webhook",
  ]

  private static func run() async throws(CommandFailure) {
    let first = CommandLine.arguments.dropFirst().first
    if let first, ServerCommands.answers(first) { throw try ServerCommands.answer() }
    if let first, others.contains(first) {
      throw CommandFailure(
        "cuelight-server has \(ServerCommands.names); \(first) is a command of cuelight", status: CommandFailure.wrongUsage)
    }
    if first == "health" { return try arguments(of: HealthCommand.self, CommandLine.arguments.dropFirst(2)).check() }
    if first == "serve" {
      return try await Serve.run(try arguments(of: ServeCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if first == "run" {
      return try await Run.run(try arguments(of: RunCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if first == "check" {
      return try Check.run(try arguments(of: CheckCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if first == "status" {
      return try StatusCommand.run(try arguments(of: StatusCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if first == "rehearse" {
      return try await Rehearse.run(try arguments(of: RehearseCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if first == "preview" {
      return try await Preview.run(try arguments(of: PreviewCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    // `cuelight live …` passes its own arguments on.
    let isNamed = first == "live"
    let command = try arguments(of: LiveCommand.self, CommandLine.arguments.dropFirst(isNamed ? 2 : 1))
    let tokens = CurrentTokens(try command.tokenFile == nil ? newTokens(journal: command.journal) : tokens(command.tokenFile))
    let game = command.game ?? "live-\(PlaylistDate(milliseconds: WallClock.now)?.text ?? "")"
    let sealKey = try command.sealKey.map { (path) throws(CommandFailure) in try SealKeyFile(path: path).key() }
    let sign = try command.sign.map { (path) throws(CommandFailure) in try SignatureKeyFile(path: path).signer() }
    let cues = try command.cues.map { (path) throws(CommandFailure) in try LiveSheet(file: path) }
    guard var settings = command.settings(game: game, sealKey: sealKey, sign: sign, cues: cues), let place = command.place else { return }
    try command.pushes.apply(to: &settings)
    let console = Console(isJSON: command.json)
    defer { console.end() }
    readAgain(command.tokenFile, tokens) { console.report($0) }
    if let peer = command.pair.peer, let journal = command.journal {
      let node = PairNode(settings, journal: journal, peer: peer, tokens: tokens, origins: command.cors) { console.report($0) }
      return try await serve(node, command, tokens, console)
    }
    let name = settings.name
    let session = try orFail(LiveSession(settings) { console.report($0) }) { (error: LiveSessionError) in
      CommandFailure(error, cues: command.cues)
    }
    let webhooks = try command.webhooks.sender(folder: command.journal.map { "\($0).webhooks" }) { console.report($0) }
    webhooks?.follow(session)
    // Their sockets close with the process, which ends right after the web server.
    let publishers = try await publishers(session, tokens)
    defer { withExtendedLifetime(publishers) {} }
    let server = LiveServer(session, tokens: tokens, origins: command.cors, about: ServerStatus.About(version: Version.number))
    do {
      try await webhooks.sending {
        try await server.run(shell(command, place, console)) { port in
          let address = command.connection.reach(place.host, port).listening
          console.begin(
            address: address, name: name, publishing: session.inboxes.map(\.address.text), token: tokens.now.madeToken
          ) { session }
          ServiceNotices().ready("\(name) at \(address)")
        }
      }
    } catch {
      throw .cannotListen(on: command.listen, error)
    }
    if let failure = session.failure { throw CommandFailure(failure, cues: command.cues) }
  }

  /// Serves a node of a pair to its end.
  private static func serve(
    _ node: PairNode, _ command: LiveCommand, _ tokens: CurrentTokens, _ console: Console
  ) async throws(CommandFailure) {
    guard let place = command.place else { return }
    do {
      try await PairServer(node).run(shell(command, place, console)) { port in
        let address = command.connection.reach(place.host, port).listening
        console.begin(address: address, name: command.name, publishing: [], token: tokens.now.madeToken) { node.session }
        ServiceNotices().ready("\(command.name) at \(address), of a pair")
      }
    } catch {
      throw .cannotListen(on: command.listen, error)
    }
    switch node.outcome {
    case .failed(let failure): throw CommandFailure(failure, cues: command.cues)
    case .yielded:
      throw CommandFailure("the other node of the pair leads, too; started again, this one follows it", status: CommandFailure.ioError)
    case .ended, nil: break
    }
  }

  /// Listens for publishers of a session's inputs; `nil` if no input is published.
  static func publishers(_ session: LiveSession, _ tokens: CurrentTokens) async throws(CommandFailure) -> PublisherServer? {
    guard !session.inboxes.isEmpty else { return nil }
    do throws(PublisherServer.Failure) {
      return try await PublisherServer.start(session.inboxes) { tokens.now.mayPublish($0, isLocal: $1) }
    } catch {
      throw .cannotListen(on: error.address.text, error.reason)
    }
  }

  /// Reads a file of tokens again at each SIGHUP. A file with a mistake has no effect.
  ///
  /// - Parameter say: Receives messages for the operator.
  static func readAgain(_ path: String?, _ tokens: CurrentTokens, say: @escaping @Sendable (String) -> Void) {
    guard let path else { return }
    Interruption.onHangUp {
      ServiceNotices().reloadBegins()
      do throws(CommandFailure) {
        tokens.replace(by: try self.tokens(path))
        say("the tokens of \(path) hold from now on")
      } catch {
        say("the tokens stay as they were: \(error.message ?? "")")
      }
      ServiceNotices().reloadEnds()
    }
  }

  /// Parses the command line.
  private static func arguments<Command: ParsableCommand>(
    of type: Command.Type, _ arguments: ArraySlice<String>
  ) throws(CommandFailure) -> Command {
    do {
      try ArgumentCheck.require(arguments, of: type)
      let command = try type.parse(Array(arguments))
      try ArgumentCheck.requireSingleOptions(arguments, of: type)
      return command
    } catch {
      throw try CommandFailure.parsing(error, of: type)
    }
  }

  /// The web server settings of `cuelight live`.
  private static func shell(_ command: LiveCommand, _ place: (host: String, port: Int), _ console: Console) -> WebShell.Settings {
    command.connection.settings(place, command.json ? RequestLog(shownPath: LiveServer.shownPath) { console.write($0) } : nil)
  }

  /// The token of a server to which none was given: made at the first start, and kept beside the journal.
  static func newTokens(journal: String?) throws(CommandFailure) -> Tokens {
    guard let path = journal.map({ "\($0).tokens" }) else { return Tokens(making: SealKey.random().hexadecimal) }
    if !FileManager.default.fileExists(atPath: path) {
      do throws(FileSinkError) {
        var file = try FileSink(path: path, isPrivate: true)
        file.write(Array("\(Endpoint.Scope.publish) \(SealKey.random().hexadecimal)\n".utf8).span)
        try file.commit()
      } catch {
        throw CommandFailure(error)
      }
    }
    return try tokens(path).asMade
  }

  static func tokens(_ path: String?) throws(CommandFailure) -> Tokens {
    guard let path else { return Tokens() }
    let bytes = try SmallFile(path: path).secret(limit: largestTokenFile, ("these tokens", "them"))
    return try orFail(Tokens(fileContents: bytes)) { (error: Tokens.Mistake) in CommandFailure(invalid: "\(path): \(error)") }
  }

  private static let largestTokenFile = 1 << 20
}
