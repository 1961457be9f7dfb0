import Basics
import CommandSupport
import Foundation
import HTTPClient
import LiveInterface
import Terminal

/// A call of a live session's server.
struct LiveCall: Equatable {
  var endpoint: Endpoint
  /// The event to which it refers.
  var guid: String?
  var body: JSONObject?
  /// The idempotency key, by which the server recognizes a repeated call.
  var key: String?
  /// Whether the server answers only once the event is in the stream.
  var waits = false

  /// The call as it is sent.
  func request(to address: StreamAddress, token: String?) -> WebRequest {
    var fields = [WebRequest.Field("Accept", "application/json, application/problem+json")]
    if let token { fields.append(.authorization(bearer: token)) }
    if let key { fields.append(.init("Idempotency-Key", key)) }
    if body != nil { fields.append(.init("Content-Type", "application/json")) }
    return WebRequest(
      WebRequest.Method(rawValue: endpoint.route.method) ?? .get, url: address.url(of: endpoint, guid: guid, waits: waits), fields: fields,
      body: body.map { Array(JSONValue.object($0).text.utf8) } ?? [])
  }
}

/// Calls the server of a live session until it has answered.
struct LiveConversation {
  let address: StreamAddress
  let token: String?
  /// Whether a refusal is also printed as received.
  let isJSON: Bool

  /// The largest answer lists all events. It may take half a minute if the call waits for an event.
  private static let limits = NetworkLimits(
    bytes: 64 << 20, time: .seconds(90), silence: .seconds(45), connecting: .seconds(5), redirects: 0)

  /// Calls the server, and repeats the call if the connection breaks or the server is busy. No call takes effect twice.
  ///
  /// - Returns: What the server has answered; `nil` if it has done what was requested and has nothing to report.
  func answer(_ call: LiveCall) throws(CommandFailure) -> JSONObject? {
    let request = call.request(to: address, token: token)
    var backOff = BackOff.call
    while true {
      let answer: WebAnswer
      do throws(NetworkInputError) {
        answer = try WebAnswer(to: request, limits: Self.limits) { Interruption.isRequested }
      } catch {
        guard error.isWorthRetrying, let pause = backOff.fail() else { throw Self.failure(error, call) }
        try wait(pause, "\(error)", backOff)
        continue
      }
      let failure: CommandFailure
      switch LiveReply(status: answer.status, body: answer.body) {
      case .done(let object): return object
      case .refused(let refusal) where call.endpoint == .deleteEvent && refusal.isCancelledAlready: return nil
      case .refused(let refusal): failure = CommandFailure(refusal)
      case .foreign(let status):
        failure = CommandFailure(NetworkInputError(url: request.url, reason: .init(status: status)))
      }
      guard BackOff.isWorthRetrying(status: answer.status), let pause = backOff.fail(retryAfter: answer["retry-after"]) else {
        if isJSON { try print(answer) }
        throw failure
      }
      try wait(pause, failure.message ?? "", backOff)
    }
  }

  /// Why there is no answer. Whether an event was accepted is not known then, and can be asked for later.
  private static func failure(_ error: NetworkInputError, _ call: LiveCall) -> CommandFailure {
    var failure = CommandFailure(error)
    if error.isWorthRetrying, let guid = call.body?["guid"]?.string, let message = failure.message {
      failure.message = "\(message)\nto see later whether it was accepted: cuelight post status \(guid.shellWord)"
    }
    return failure
  }

  private func wait(_ pause: Duration, _ reason: String, _ backOff: BackOff) throws(CommandFailure) {
    StandardError.write("\(reason); trying again (\(backOff.failures + 1) of \(backOff.attempts))")
    try CommandFailure.pause(pause)
  }

  /// Prints a refusal as received.
  private func print(_ answer: WebAnswer) throws(CommandFailure) {
    guard case .refused(let refusal) = LiveReply(status: answer.status, body: answer.body) else { return }
    try StandardOutput.write(refusal.object)
  }
}

extension CommandFailure {
  /// The failure for a refusal by a live session's server: nothing at the address, an invalid or untimely request, missing rights, or a fault of the
  /// server.
  init(_ refusal: LiveRefusal) {
    let status =
      switch refusal.status {
      case 404: Self.missingInput
      case 400, 409, 413, 415, 422: Self.invalidInput
      default: Self.ioError
      }
    self.init(refusal.lines.joined(separator: "\n"), status: status)
  }
}

/// The source of the token for a server: a file or the environment, because others can see arguments.
struct TokenSource {
  /// The file; `nil` for the environment.
  let path: String?

  private static let variable = "CUELIGHT_TOKEN"
  private static let largest = 4_096

  /// The token; `nil` if there is none.
  func token(environment: [String: String]) throws(CommandFailure) -> String? {
    let name = path ?? Self.variable
    let bytes: [UInt8]
    if let path {
      bytes = try SmallFile(path: path).secret(limit: Self.largest, ("this token", "it"))
    } else if let text = environment[Self.variable], !text.isEmpty {
      bytes = Array(text.utf8)
    } else {
      return nil
    }
    let token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandFailure(invalid: "\(name): a token is one word of letters, digits and signs of ASCII")
    }
    return token
  }
}
