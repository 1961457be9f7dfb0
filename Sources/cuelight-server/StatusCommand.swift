import ArgumentParser
import Basics
import CommandSupport
import Foundation
import HTTPClient
import LiveInterface
import Terminal

/// The options of `cuelight-server status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server status",
    abstract: "Tell what runs in a server: its streams with their inputs and viewers, and its games.",
    discussion: """
      The token is one of --token-file of the server with the scope read, or the operator's token of cuelight serve. Programs on the machine of a \
      cuelight live without a file of tokens need none. CUELIGHT_TOKEN has the token if --token-file is not given.

      Example:
        cuelight-server status
        cuelight-server status https://stream.example --token-file reader --watch
      """)

  @Argument(help: "The URL of the server.")
  var server = "http://127.0.0.1:8080"

  @Option(help: ArgumentHelp("A file with a token; only its owner may read it.", valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Print the server's answer, a line of JSON.")
  var json = false

  @Flag(help: "Print it again every two seconds, until Control-C.")
  var watch = false

  private static let limits = NetworkLimits(
    bytes: 16 << 20, time: .seconds(20), silence: .seconds(10), connecting: .seconds(5), redirects: 0)
  private static let interval = Duration.seconds(2)

  func validate() throws {
    do throws(StreamAddress.Mistake) { _ = try StreamAddress(server) } catch { throw ValidationError("\(error).") }
  }

  static func run(_ command: StatusCommand) throws(CommandFailure) {
    let request = try command.request()
    let clears = command.watch && !command.json && Terminal.isOutput
    repeat {
      let status = try answer(to: request)
      if clears { StandardError.put("\u{1B}[H\u{1B}[2J") }
      if command.json { try StandardOutput.write(status) } else { try StandardOutput.write(LiveText.status(status)) }
      if command.watch { try CommandFailure.pause(interval) }
    } while command.watch
  }

  private func request() throws(CommandFailure) -> WebRequest {
    let address = try orFail(StreamAddress(server)) { (error: StreamAddress.Mistake) in
      CommandFailure("\(error)", status: CommandFailure.wrongUsage)
    }
    var request = WebRequest(url: address.server + Endpoint.getStatus.route.path)
    var token = ProcessInfo.processInfo.environment["CUELIGHT_TOKEN"].map { Array($0.utf8) }
    if let tokenFile { token = try SmallFile(path: tokenFile).secret(limit: 4_096, ("this token", "it")) }
    let word = token.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    if !word.isEmpty { request.fields = [.authorization(bearer: word)] }
    return request
  }

  /// The status that a server answers with.
  private static func answer(to request: WebRequest) throws(CommandFailure) -> JSONObject {
    let answer = try orFail(WebAnswer(to: request, limits: limits, isInterrupted: { Interruption.isRequested })) {
      (error: NetworkInputError) in CommandFailure(error)
    }
    switch LiveReply(status: answer.status, body: answer.body) {
    case .done(let object?): return object
    case .refused(let refusal): throw CommandFailure("\(request.url): \(refusal.detail)", status: CommandFailure.ioError)
    case .done(nil), .foreign:
      throw CommandFailure("\(request.url): this is no server of Cuelight (HTTP \(answer.status))", status: CommandFailure.ioError)
    }
  }
}
