package import Basics
package import HTTPTypes

/// A refusal, as RFC 9457 describes it.
package struct Problem: Error, Sendable {
  /// The kind of problem: the end of its type's URI.
  package var kind: String
  package var status: HTTPResponse.Status
  package var detail: String
  package var members = JSONObject()
  package var headers: [(HTTPField.Name, String)] = []

  package init(_ kind: String, _ status: HTTPResponse.Status, _ detail: String, headers: [(HTTPField.Name, String)] = []) {
    (self.kind, self.status, self.detail, self.headers) = (kind, status, detail, headers)
  }

  /// The problem that a path leads nowhere.
  package static func nothing(at path: String) -> Problem { Problem("notFound", .notFound, "there is nothing at \(path.visible(.text))") }

  /// The problem that a path has other methods than the request's.
  package static func otherMethods(_ methods: [String], _ path: String) -> Problem {
    let allowed = methods.joined(separator: ", ")
    return Problem("methodNotAllowed", .methodNotAllowed, "\(path.visible(.text)) has \(allowed)", headers: [(.allow, allowed)])
  }

  /// The problem that a request is wrong, at a JSON pointer (RFC 6901).
  package static func invalid(_ pointer: String, _ message: String) -> Problem {
    var problem = Problem("invalid", .unprocessableContent, pointer.isEmpty ? message : "\(pointer): \(message)")
    problem.members.append("pointer", pointer)
    return problem
  }

  /// The problem that a body cannot be read as JSON.
  package static func notJSON(_ error: ParseError) -> Problem { Problem("invalid", .badRequest, "this is no JSON: \(error)") }

  /// The problem that a call needs another token.
  package static let unauthorized = Problem(
    "unauthorized", .unauthorized, "a token is needed; send it as Authorization: Bearer TOKEN",
    headers: [(.wwwAuthenticate, "Bearer realm=\"cuelight\"")])

  package static func forbidden(_ reason: String) -> Problem { Problem("forbidden", .forbidden, reason) }

  /// The problem that a call cannot be answered now; it may be repeated at once or soon.
  package static func overloaded(_ reason: String) -> Problem {
    Problem("overloaded", .serviceUnavailable, reason, headers: [(.retryAfter, "1")])
  }

  package static let overloaded = overloaded("the server cannot keep up; try again")

  /// The problem that the server cannot work at present.
  package static func notReady(_ reason: String) -> Problem { Problem("notReady", .serviceUnavailable, reason) }

  /// The problem that a caller makes too many calls.
  package static func rateLimited(_ seconds: Int) -> Problem {
    Problem("rate-limited", .tooManyRequests, "too many calls; wait \(seconds) s", headers: [(.retryAfter, "\(seconds)")])
  }

  /// The problem that a body is larger than the call accepts.
  package static func tooLarge(_ limit: Int) -> Problem {
    Problem("tooLarge", .contentTooLarge, "the request has more than \(limit) bytes")
  }

  /// The URI of a kind.
  static func type(_ kind: String) -> String { "urn:cuelight:problem:\(kind)" }

  package var answer: Answer {
    var object = JSONObject(fields: ["type": Self.type(kind), "title": kind, "status": Int(status.code), "detail": detail])
    object.appendAbsent(members)
    return Answer(status, "application/problem+json", Array("\(object.text)\n".utf8), headers: headers)
  }
}
