import AccessTokens
import Basics
import HTTPTypes
import WebSupport

/// A call of the game server, and who makes it.
struct GameCall: Sendable {
  var endpoint: GameEndpoint
  var parts: [String: String]
  var query: [String: String]
  var headers: HTTPFields
  var body: [UInt8]
  /// Where the call comes from, as a proxy that is trusted says.
  var address: String
  /// Whether it comes from this machine, and from no proxy.
  var isLocal: Bool
  var token: AccessToken?

  /// The body as a JSON object.
  ///
  /// - Throws: `Problem`.
  func object() throws(Problem) -> JSONObject {
    let text = try body.requestText()
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: text, limits: JSONLimits(bytes: endpoint.largestBody)) } catch {
      throw Problem("invalid", .badRequest, "this is no JSON: \(error)")
    }
    guard let object = value.object else { throw .invalid("", "an object is expected here") }
    if let pointer = value.firstNUL { throw .invalid(pointer, "the text has the character U+0000") }
    return object
  }
}

extension JSONValue {
  /// Where the first text with the character U+0000 is, which no store can keep, as a JSON pointer (RFC 6901); `nil` if there is none.
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

extension Problem {
  /// A request that says something wrong, at a JSON pointer.
  static func invalid(_ pointer: String, _ message: String) -> Problem {
    var problem = Problem("invalid", .unprocessableContent, pointer.isEmpty ? message : "\(pointer): \(message)")
    problem.members.append("pointer", pointer)
    return problem
  }

  /// A call that needs another token.
  static let unauthorized = Problem(
    "unauthorized", .unauthorized, "a token is needed; send it as Authorization: Bearer TOKEN",
    headers: [(.wwwAuthenticate, "Bearer realm=\"cuelight\"")])
  static let expired = Problem(
    "token-expired", .unauthorized, "the token has expired; get another one",
    headers: [(.wwwAuthenticate, "Bearer realm=\"cuelight\", error=\"invalid_token\"")])
  static let forbidden = Problem("forbidden", .forbidden, "the token does not allow this")
  static let overloaded = Problem(
    "overloaded", .serviceUnavailable, "the server cannot keep up; try again", headers: [(.retryAfter, "1")])

  static func rateLimited(_ seconds: Int) -> Problem {
    Problem("rate-limited", .tooManyRequests, "too many calls; wait \(seconds) s", headers: [(.retryAfter, "\(seconds)")])
  }
}
