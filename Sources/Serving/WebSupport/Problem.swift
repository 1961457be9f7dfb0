package import Basics
package import HTTPTypes

/// A refusal, as RFC 9457 describes it.
package struct Problem: Error, Sendable {
  /// What kind of problem it is: the end of its type's URI.
  package var kind: String
  package var status: HTTPResponse.Status
  package var detail: String
  package var members = JSONObject()
  package var headers: [(HTTPField.Name, String)] = []

  package init(_ kind: String, _ status: HTTPResponse.Status, _ detail: String, headers: [(HTTPField.Name, String)] = []) {
    (self.kind, self.status, self.detail, self.headers) = (kind, status, detail, headers)
  }

  /// A path that nothing is at.
  package static func nothing(at path: String) -> Problem { Problem("notFound", .notFound, "there is nothing at \(path.visible(.text))") }

  /// A path that has other methods than the request's.
  package static func otherMethods(_ methods: [String], _ path: String) -> Problem {
    let allowed = methods.joined(separator: ", ")
    return Problem("methodNotAllowed", .methodNotAllowed, "\(path.visible(.text)) has \(allowed)", headers: [(.allow, allowed)])
  }

  /// The URI of a kind.
  static func type(_ kind: String) -> String { "urn:cuelight:problem:\(kind)" }

  package var answer: Answer {
    var object = JSONObject()
    object.append("type", Self.type(kind))
    object.append("title", kind)
    object.append("status", Int(status.code))
    object.append("detail", detail)
    object.appendAbsent(members)
    return Answer(status, "application/problem+json", Array((JSONValue.object(object).text + "\n").utf8), headers: headers)
  }
}
