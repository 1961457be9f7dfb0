import ArgumentParser
import Basics
import CommandSupport
import Foundation
import GameServer
import LiveInterface
import LiveSession
import OtherInjectors

/// The options for a stream that this process does not carry: who puts events into it, and where players find it.
struct InjectionOptions: ParsableArguments {
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

  /// The foreign injector.
  var target: InjectorTarget? { to.flatMap { try? InjectorTarget($0) } }

  /// Where players find the stream; `nil` if that is not known.
  var address: String? { live.map { Self.playlist(of: $0) } ?? stream }

  /// The playlist of a stream of another server.
  private static func playlist(of url: String) -> String {
    guard let address = try? StreamAddress(url) else { return url }
    return "\(address.server)/live/\(address.name.percentEncodedPart)/index.m3u8"
  }

  func validate() throws {
    if let to {
      let target: InjectorTarget
      do throws(InjectorTarget.Mistake) { target = try InjectorTarget(to) } catch { throw ValidationError("--to: \(error).") }
      try require(
        target.keepsChecksums, "--to: Wowza writes events without checksums, which tell players no time; a game takes another injector.")
    }
    guard to != nil || (credentials == nil && stream == nil) else { throw ValidationError("--credentials and --stream are for --to.") }
    if let live {
      do throws(StreamAddress.Mistake) { _ = try StreamAddress(live) } catch { throw ValidationError("--live: \(error).") }
    }
    guard live != nil || liveTokenFile == nil else { throw ValidationError("--live-token-file is for --live.") }
  }

  /// The injector of `--live` and its token; `nil` without the option. The file with the token is read.
  func remote() throws(CommandFailure) -> (address: StreamAddress, token: String?)? {
    guard let live else { return nil }
    let token = try liveTokenFile.map { (path) throws(CommandFailure) in
      let text = String(decoding: try SmallFile(path: path).secret(limit: 4_096, ("this token", "it")), as: UTF8.self)
      return String(text.prefix { !$0.isWhitespace })
    }
    let address = try orFail(StreamAddress(live)) { (error: StreamAddress.Mistake) in
      CommandFailure("--live: \(error)", status: CommandFailure.wrongUsage)
    }
    return (address, token)
  }

  /// The settings of a session that sends events to the injector of `--to`; `nil` without the option. The file with credentials is read.
  func outbound(title: String?, journal: String?) throws(CommandFailure) -> OutboundSession.Settings? {
    guard let target else { return nil }
    let request = try InjectorAccess.request(to: target, credentials: credentials, environment: ProcessInfo.processInfo.environment)
    var settings = OutboundSession.Settings(request, game: "cuelight")
    (settings.title, settings.journal) = (title, journal)
    return settings
  }
}
