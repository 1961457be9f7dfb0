import AccessTokens
import Basics
import HTTPTypes
import WebShell
import WebSupport

/// Who may make a call of the game server.
enum GameRole: Sendable {
  case everybody, player, host, account
  /// The holder of a token of an account, or the operator with the server's own host token.
  case maker
  /// The account that has made the game, or the operator with the server's own host token.
  case owner
  /// The operator, with the server's own host token.
  case `operator`
  /// The holder of a token of a host or an account.
  case session
  /// The holder of a token of a host or an account, which is renewed, or of a name and a password.
  case anyToken
}

extension CallLimit {
  /// For objects that people make now and then, such as games.
  static let making = CallLimit(perMinute: 10, burst: 20)
  /// For quiz files of anybody: whoever edits a quiz has it checked now and then.
  static let checking = CallLimit(perMinute: 60, burst: 60)
  /// For reading calls that take the store a while.
  static let reading = CallLimit(perMinute: 60, burst: 60)
  /// For the calls of hosts and of the operator.
  static let leading = CallLimit(perMinute: 240, burst: 240)
}

/// The function that answers a call.
enum GameHandler: Sendable {
  /// The server.
  case server(@Sendable (GameAPI, GameCall) async throws(Problem) -> Answer)
  /// The game that the path names.
  case game(@Sendable (GameAPI, GameCall, GameRunner) async throws(Problem) -> Answer)

  /// A function of the interface.
  static func function(_ body: @escaping @Sendable (GameAPI) -> (GameCall) async throws(Problem) -> Answer) -> GameHandler {
    .server { (api, call) throws(Problem) in try await body(api)(call) }
  }

  /// A function of the interface for the game that the path names.
  static func function(_ body: @escaping @Sendable (GameAPI) -> (GameCall, GameRunner) async throws(Problem) -> Answer) -> GameHandler {
    .game { (api, call, game) throws(Problem) in try await body(api)(call, game) }
  }
}

/// A call of the game server.
struct GameCall: Sendable {
  let call: GameAPI.Entry
  /// The variable parts of the path.
  let parts: [String: String]
  var query: [String: String] = [:]
  var headers = HTTPFields()
  var body: [UInt8] = []
  let caller: Caller
  var token: AccessToken?
  /// Whether the client wants only the head of the answer.
  var isHead = false

  /// The number in a part of the query; `nil` if the part is missing.
  ///
  /// - Throws: `Problem` if it is not a number in the range.
  func number(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = query[key] else { return nil }
    guard let number = Int(text, in: range) else { throw .invalid("", "?\(key) is a number from \(range.lowerBound) on") }
    return number
  }

  /// The share of viewers who are to report, as the client was given it; 1 if the client says none.
  var share: Double { query["share"].flatMap { Double($0, in: 0...1) } ?? 1 }

  /// The body as a JSON object.
  ///
  /// - Throws: `Problem`.
  func object() throws(Problem) -> JSONObject {
    let text = try body.requestText()
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: text, limits: JSONLimits(bytes: call.largestBody)) } catch {
      throw .notJSON(error)
    }
    guard let object = value.object else { throw .invalid("", "an object is expected here") }
    if let pointer = value.firstNUL { throw .invalid(pointer, "the text has the character U+0000") }
    return object
  }
}

extension Problem {
  static let expired = Problem(
    "token-expired", .unauthorized, "the token has expired; get another one",
    headers: [(.wwwAuthenticate, "Bearer realm=\"cuelight\", error=\"invalid_token\"")])
  static let forbidden = forbidden("the token does not allow this")
  static let unknownGame = Problem("game-unknown", .notFound, "there is no such game; look at its code again")
}

extension JSONValue {
  /// The place of the first text with the character U+0000, which no store can keep, as a JSON pointer (RFC 6901); `nil` if there is none.
  var firstNUL: String? {
    switch self {
    case .string(let text): return text.utf8.contains(0) ? "" : nil
    case .array(let values):
      for (index, value) in values.enumerated() {
        if let pointer = value.firstNUL { return "/\(index)\(pointer)" }
      }
      return nil
    case .object(let object):
      for member in object.members {
        guard !member.key.utf8.contains(0) else { return "" }
        guard let pointer = member.value.firstNUL else { continue }
        return "/\(member.key.replacing("~", with: "~0").replacing("/", with: "~1"))\(pointer)"
      }
      return nil
    case .null, .bool, .number: return nil
    }
  }
}
