import Basics
import HTTPTypes
import Hummingbird
import LiveGame

/// An answer, before it is one of the web server's.
struct Answer: Sendable {
  var status: HTTPResponse.Status
  var contentType: String
  var body: [UInt8]
  var headers: [(HTTPField.Name, String)] = []

  init(_ status: HTTPResponse.Status, _ contentType: String, _ body: [UInt8], headers: [(HTTPField.Name, String)] = []) {
    (self.status, self.contentType, self.body, self.headers) = (status, contentType, body, headers)
  }

  /// An object in JSON.
  init(_ status: HTTPResponse.Status = .ok, _ object: JSONObject) {
    self.init(status, "application/json", Array((JSONValue.object(object).text + "\n").utf8))
  }

  /// An answer without a body.
  static let noContent = Answer(.noContent, "", [])

  var response: Response {
    var fields = HTTPFields()
    if !contentType.isEmpty { fields[.contentType] = contentType }
    for (name, value) in headers { fields[name] = value }
    if status != .noContent { fields[.contentLength] = "\(body.count)" }
    return Response(
      status: status, headers: fields, body: body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

/// A refusal, as RFC 9457 describes it.
struct Problem: Error, Sendable {
  /// What kind of problem it is: the end of its type's URI.
  var kind: String
  var status: HTTPResponse.Status
  var detail: String
  var members = JSONObject()
  var headers: [(HTTPField.Name, String)] = []

  init(_ kind: String, _ status: HTTPResponse.Status, _ detail: String, headers: [(HTTPField.Name, String)] = []) {
    (self.kind, self.status, self.detail, self.headers) = (kind, status, detail, headers)
  }

  init(_ problem: LiveProblem) {
    switch problem {
    case .invalid(let mistakes):
      self.init("invalid", .unprocessableContent, mistakes.first?.message ?? "\(problem)")
      members.append("pointer", mistakes.first?.pointer ?? "")
      members.append(
        "errors",
        mistakes.prefix(Self.mostMistakes).map { mistake in
          var object = JSONObject()
          object.append("detail", mistake.message)
          object.append("pointer", mistake.pointer)
          return object
        })
    case .tooLate(_, let now):
      self.init("tooLate", .conflict, "\(problem); give a later time, or \"late\":\"next\" for the next frame")
      members.append("now", now)
    case .conflict: self.init("conflict", .conflict, "\(problem)")
    case .unknownEvent: self.init("unknownEvent", .notFound, "\(problem)")
    case .notCancellable(let state):
      self.init("notCancellable", .conflict, "\(problem)")
      members.append("state", state.rawValue)
    case .nothingWaits: self.init("nothingWaits", .conflict, "\(problem)")
    case .busy: self.init("busy", .serviceUnavailable, "\(problem)", headers: [(.retryAfter, "1")])
    }
  }

  /// The most mistakes that an answer lists.
  private static let mostMistakes = 100

  var answer: Answer {
    var object = JSONObject()
    object.append("type", "urn:cuelight:problem:\(kind)")
    object.append("title", kind)
    object.append("status", Int(status.code))
    object.append("detail", detail)
    object.appendAbsent(members)
    return Answer(status, "application/problem+json", Array((JSONValue.object(object).text + "\n").utf8), headers: headers)
  }
}
