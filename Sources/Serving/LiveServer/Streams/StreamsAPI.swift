package import Basics
import HTTPTypes
import Hummingbird
import LiveInterface
import WebShell
package import WebSupport

/// Manages the streams of a process.
package protocol StreamManager: Sendable {
  /// What is known of each stream, by name.
  func reports() -> [JSONObject]

  /// What is known of a stream, with its settings; `nil` if there is none of the name.
  func report(of name: String) -> JSONObject?

  /// Begins a stream with settings, or goes on with a stream with other ones.
  ///
  /// - Returns: Whether the stream is new.
  /// - Throws: `Problem`; then nothing has changed.
  func put(_ name: String, _ settings: String) async throws(Problem) -> Bool

  /// Ends a stream.
  ///
  /// - Throws: `Problem` if there is none of the name.
  func delete(_ name: String) async throws(Problem)

  /// Loads the configuration again.
  ///
  /// - Returns: What has changed.
  /// - Throws: `Problem`; then nothing has changed.
  func reload() async throws(Problem) -> JSONObject
}

/// The calls that add, change and remove streams. They make the server read and write files, for which the stream key of an encoder is not enough:
/// they need the scope `manage`.
struct StreamsAPI: Sendable {
  let access: Access
  let manager: any StreamManager

  /// What a call does.
  enum Action: Sendable {
    case list, report, put, delete, reload
  }

  typealias Entry = Call<Endpoint.Scope, Action>

  /// The maximum size of the settings of a stream in bytes.
  private static let largestSettings = 64 << 10
  /// A change of streams may make files and threads.
  private static let managing = CallLimit(perMinute: 600, burst: 60)
  private static let settings = OpenAPIBody([("application/json", .anyObject), ("application/yaml", .text)])
  private static let stream = OpenAPISchema.reference("Stream")

  static let calls = [
    Entry(
      "listStreams", Route("GET", "/v1/streams"), .read, .looking, "streams", "List the streams of this server.",
      [.json(200, "The streams.", .object(["streams": .list(stream)]))], .list),
    Entry(
      "getStreamSettings", Route("GET", "/v1/streams/{stream}"), .manage, .looking, "streams",
      "Tell the state and the settings of a stream.",
      [.json(200, "The stream.", stream)], problems: [404: ["unknownStream"]], .report),
    Entry(
      "putStream", Route("PUT", "/v1/streams/{stream}"), .manage, managing, largestBody: largestSettings, "streams",
      "Begin a stream with these settings, or go on with it with them; kept over a restart.",
      [.json(201, "The stream has begun.", stream), .json(200, "The stream goes on with the settings.", stream)], body: settings,
      problems: [409: ["conflict"], 503: ["overloaded"]], .put),
    Entry(
      "deleteStream", Route("DELETE", "/v1/streams/{stream}"), .manage, managing, "streams", "End a stream; kept over a restart.", [.done],
      problems: [404: ["unknownStream"], 409: ["conflict"], 503: ["overloaded"]], .delete),
    Entry(
      "reload", Route("POST", "/v1/reload"), .manage, managing, "streams",
      "Load the configuration again: streams that do not change go on.",
      [.json(200, "What has changed.", .reference("Reloaded"))], problems: [409: ["conflict"], 422: ["invalid"], 503: ["overloaded"]],
      .reload),
  ]

  /// Carries out a call.
  private func answer(_ action: Action, _ name: String, _ body: [UInt8]) async throws(Problem) -> Answer {
    switch action {
    case .list: return Answer(.ok, JSONObject(fields: ["streams": manager.reports()]))
    case .report: return Answer(.ok, try report(of: name))
    case .put:
      let isNew = try await manager.put(name, try body.requestText())
      return Answer(isNew ? .created : .ok, try report(of: name))
    case .delete:
      try await manager.delete(name)
      return .noContent
    case .reload: return Answer(.ok, try await manager.reload())
    }
  }

  private func report(of name: String) throws(Problem) -> JSONObject {
    guard let report = manager.report(of: name) else {
      throw .unknownStream(name)
    }
    return report
  }

  /// Answers a call that manages streams; `nil` for another request.
  func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response? {
    let known = APIRequest(request, isLocal: caller.isLocal)
    switch Self.calls.find(known.method, known.path) {
    case nil: return nil
    case .otherMethods(let methods): throw .otherMethods(methods, known.path)
    case .call(let call, let parts):
      try access.limits.require(call.limit, "\(call.name) \(IPAddress.place(of: caller.address))")
      try access.authorize(known, call.role, token: known.token)
      let body = try await request.contents(limit: call.largestBody)
      return try await answer(call.handler, parts["stream"] ?? "", body).response
    }
  }

  /// Requires that a client has a scope.
  func require(_ scope: Endpoint.Scope, _ request: APIRequest) throws(Problem) {
    try access.authorize(request, scope, token: request.token)
  }

  /// Whether a client may read what happens to the streams.
  func mayRead(_ request: APIRequest) -> Bool { (try? require(.read, request)) != nil }

  static let document = OpenAPIPaths.document(
    "Cuelight streams", "Adds, changes and removes streams.", of: calls, tags: ["streams": "The streams of this server."],
    schemas: [
      "Stream": .object(
        ["name": .text, "state": .choice(["running", "ended", "failed"]), "inputState": .text.orNull, "playlist": .text.orNull],
        optional: [
          "input": .text, "injector": .text, "reason": .text, "settings": .list(.text), "origin": .choice(["file", "call"]),
        ]),
      "Reloaded": .object([
        "added": .list(.text), "changed": .list(.text), "ended": .list(.text), "unchanged": .list(.text),
        "failed": .list(.object(["name": .text, "reason": .text])),
      ]),
      "Problem": OpenAPI.problem,
    ], problem: "Problem"
  ) { _ in (.tokenOrOther, [403: ["forbidden"]]) }
}

extension Problem {
  /// The problem that there is no stream of a name.
  package static func unknownStream(_ name: String) -> Problem {
    Problem("unknownStream", .notFound, "there is no stream \(name.visible(.text))")
  }

  /// The problem that a stream cannot be what a call wants.
  package static func streamConflict(_ reason: String) -> Problem { Problem("conflict", .conflict, reason) }

  /// The problem that settings have mistakes, with a line for each.
  package static func mistakes(_ lines: [String]) -> Problem {
    var problem = Problem.invalid("", lines.first ?? "")
    problem.members.append("errors", lines.prefix(100).map { JSONObject(fields: ["detail": $0]) })
    return problem
  }
}
