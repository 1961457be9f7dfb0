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
    return object
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

extension GameCall {
  /// Whether a call was made on this machine: its connection was, and it names no other caller. A proxy that nobody has called one says so itself.
  static func isLocal(_ isConnectionLocal: Bool, _ headers: HTTPFields) -> Bool {
    let names = ["X-Forwarded-For", "Forwarded"].compactMap { HTTPField.Name($0) }
    return isConnectionLocal && names.allSatisfy { headers[$0] == nil }
  }
}

/// Which addresses are those of proxies that say truly where a call comes from.
package struct TrustedProxies: Sendable {
  private let networks: [IPNetwork]

  /// - Parameter texts: Addresses, such as `127.0.0.1`, or networks, such as `10.0.0.0/8`; what is neither is left out.
  package init(_ texts: [String]) { networks = texts.compactMap { IPNetwork($0) } }

  /// Whether a text is an address or a network.
  package static func isAddress(_ text: String) -> Bool { IPNetwork(text) != nil }

  /// Whether an address is that of a proxy.
  func contains(_ address: String) -> Bool {
    guard !networks.isEmpty, let address = IPAddress(address) else { return false }
    return networks.contains { $0.contains(address) }
  }

  /// Where a call comes from: the last address of `X-Forwarded-For` that is no trusted proxy, where the call came through one.
  func origin(remote: String?, forwarded: String?) -> (address: String, isForwarded: Bool) {
    let remote = remote.map { $0.hasPrefix("::ffff:") && $0.contains(".") ? String($0.dropFirst(7)) : $0 } ?? ""
    guard contains(remote), let forwarded else { return (remote, false) }
    let hops = forwarded.split(separator: ",").map { $0.drop { $0 == " " } }.map { String($0.prefix { $0 != " " }) }
    guard let origin = hops.last(where: { !contains($0) }), !origin.isEmpty, origin.utf8.count <= 64 else {
      return (remote, true)
    }
    return (origin, true)
  }
}
