import ArgumentParser
import Basics
import CommandSupport
import Foundation
import HLSPlaylist
import LibC
import LiveGame
import LiveServer
import LiveSession
import PublisherServer
import Terminal

@main
enum Main {
  static func main() async {
    Interruption.install()
    Memory.returnLargeBlocks()
    do throws(CommandFailure) {
      try await run()
    } catch {
      error.report(by: "cuelight-server")
      exit(error.status)
    }
  }

  private static func run() async throws(CommandFailure) {
    if CommandLine.arguments.dropFirst().first == "serve" {
      return try await Serve.run(try arguments(of: ServeCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    if CommandLine.arguments.dropFirst().first == "preview" {
      return try await Preview.run(try arguments(of: PreviewCommand.self, CommandLine.arguments.dropFirst(2)))
    }
    // `cuelight live …` passes its own arguments on.
    let isNamed = CommandLine.arguments.dropFirst().first == "live"
    let command = try arguments(of: LiveCommand.self, CommandLine.arguments.dropFirst(isNamed ? 2 : 1))
    let tokens = try tokens(command.tokenFile)
    let game = command.game ?? "live-\(PlaylistDate(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))?.text ?? "")"
    let sealKey = try command.sealKey.map { (path) throws(CommandFailure) in try SealKeyFile(path: path).key() }
    let sign = try command.sign.map { (path) throws(CommandFailure) in try SignatureKeyFile(path: path).signer() }
    let cues = try command.cues.map { (path) throws(CommandFailure) in try LiveSheet(file: path) }
    guard let settings = command.settings(game: game, sealKey: sealKey, sign: sign, cues: cues), let place = command.place else { return }
    let console = Console(isJSON: command.json)
    defer { console.end() }
    if let peer = command.pair.peer, let journal = command.journal {
      let node = PairNode(settings, journal: journal, peer: peer, tokens: tokens, origins: command.cors) { console.report($0) }
      return try await serve(node, command, console)
    }
    let session: LiveSession
    do throws(LiveSessionError) {
      session = try LiveSession(settings) { console.report($0) }
    } catch {
      throw CommandFailure(error, cues: command.cues)
    }
    // Its sockets close with the process, which ends right behind the web server.
    let publishers = try await publishers(session, tokens)
    defer { withExtendedLifetime(publishers) {} }
    let server = LiveServer(session, host: place.host, port: place.port, tokens: tokens, origins: command.cors)
    do {
      try await server.run { port in
        let address = "http://\(place.host.contains(":") ? "[\(place.host)]" : place.host):\(port)"
        console.begin(address: address, name: settings.name) { session }
      }
    } catch {
      throw CommandFailure("cannot listen on \(command.listen): \(error)", status: CommandFailure.cannotCreate)
    }
    if let failure = session.failure { throw CommandFailure(failure, cues: command.cues) }
  }

  /// Serves a node of a pair to its end.
  private static func serve(_ node: PairNode, _ command: LiveCommand, _ console: Console) async throws(CommandFailure) {
    guard let place = command.place else { return }
    do {
      try await PairServer(node, host: place.host, port: place.port).run { port in
        let address = "http://\(place.host.contains(":") ? "[\(place.host)]" : place.host):\(port)"
        console.begin(address: address, name: command.name) { node.session }
      }
    } catch {
      throw CommandFailure("cannot listen on \(command.listen): \(error)", status: CommandFailure.cannotCreate)
    }
    switch node.outcome {
    case .failed(let failure): throw CommandFailure(failure, cues: command.cues)
    case .yielded:
      throw CommandFailure("the other node of the pair leads, too; started again, this one follows it", status: CommandFailure.ioError)
    case .ended, nil: break
    }
  }

  /// Listens for those who publish the inputs of a session; `nil` where nobody does.
  static func publishers(_ session: LiveSession, _ tokens: Tokens) async throws(CommandFailure) -> PublisherServer? {
    guard !session.inboxes.isEmpty else { return nil }
    do throws(PublisherServer.Failure) {
      return try await PublisherServer.start(session.inboxes) { tokens.mayPublish($0, isLocal: $1) }
    } catch {
      throw CommandFailure("\(error)", status: CommandFailure.cannotCreate)
    }
  }

  /// What the command line says.
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

  static func tokens(_ path: String?) throws(CommandFailure) -> Tokens {
    guard let path else { return Tokens() }
    let bytes = try SmallFile(path: path).secret(limit: largestTokenFile, ("these tokens", "them"))
    do throws(Tokens.Mistake) {
      return try Tokens(fileContents: bytes)
    } catch {
      throw CommandFailure("\(path): \(error)", status: CommandFailure.invalidInput)
    }
  }

  private static let largestTokenFile = 1 << 20
}
