import Basics

/// The description of a call in an OpenAPI document.
package struct OpenAPIOperation: Sendable {
  /// Who may call.
  package enum Security: Sendable {
    case everybody
    /// A caller with a token.
    case token
    /// A caller with a token, or with something else that is accepted instead.
    case tokenOrOther
  }

  /// The name of the group that the call belongs to.
  package var tag: String
  package var summary: String
  package var security = Security.everybody
  package var parameters: [OpenAPIParameter] = []
  package var body: OpenAPIBody?
  package var successes: [OpenAPISuccess]
  /// The possible kinds of problems, by status.
  package var problems: [Int: [String]] = [:]

  /// The operation as JSON.
  ///
  /// - Parameters:
  ///   - id: The name of the call.
  ///   - problem: The name of the schema of problems.
  func json(id: String, problem: String) -> JSONObject {
    var responses = JSONObject()
    for success in successes { responses.append("\(success.status)", success.json) }
    for (status, kinds) in problems.sorted(by: { $0.key < $1.key }) {
      responses.append("\(status)", Self.refusal(status, kinds, .reference(problem)))
    }
    return JSONObject(fields: ["operationId": id, "summary": summary, "tags": [tag], "security": securityJSON])
      .with("parameters", parameters.isEmpty ? nil : parameters.map(\.json)).with("requestBody", body?.json).with("responses", responses)
  }

  private var securityJSON: [JSONObject] {
    let token = JSONObject(fields: ["token": [String]()])
    return switch security {
    case .everybody: []
    case .token: [token]
    case .tokenOrOther: [token, JSONObject()]
    }
  }

  /// The answer with a problem of one of these kinds.
  private static func refusal(_ status: Int, _ kinds: [String], _ problem: OpenAPISchema) -> JSONObject {
    var headers: [OpenAPIHeader] = []
    if status == 401 { headers = [OpenAPIHeader("WWW-Authenticate", .text, isSure: false)] }
    // A server that is not ready does not know when it will be.
    if [429, 503].contains(status) { headers = [OpenAPIHeader("Retry-After", .integers(0...86_400), isSure: status == 429)] }
    let kind = OpenAPISchema.object(["type": .choice(kinds.map { Problem.type($0) })])
    return OpenAPISuccess(
      status, "\(kinds.joined(separator: ", ")).", [("application/problem+json", .all(problem, kind))], headers: headers
    ).json
  }
}

/// A parameter of a call.
package struct OpenAPIParameter: Sendable {
  private let place: String
  private let name: String
  private let description: String
  private let schema: OpenAPISchema
  private var isFlag = false

  private init(_ place: String, _ name: String, _ description: String, _ schema: OpenAPISchema) {
    (self.place, self.name, self.description, self.schema) = (place, name, description, schema)
  }

  /// A part of the path.
  static func path(_ name: String, _ schema: OpenAPISchema) -> OpenAPIParameter { OpenAPIParameter("path", name, "", schema) }

  /// A part of the query.
  package static func query(_ name: String, _ description: String, _ schema: OpenAPISchema) -> OpenAPIParameter {
    OpenAPIParameter("query", name, description, schema)
  }

  /// A part of the query that has an effect by its presence.
  package static func flag(_ name: String, _ description: String) -> OpenAPIParameter {
    var parameter = OpenAPIParameter("query", name, description, .text)
    parameter.isFlag = true
    return parameter
  }

  /// A header field.
  package static func header(_ name: String, _ description: String, _ schema: OpenAPISchema) -> OpenAPIParameter {
    OpenAPIParameter("header", name, description, schema)
  }

  /// The last message that a listener has received.
  package static let lastEventID = header("Last-Event-ID", "The number of the last message that has come.", .count)
  /// The answer that a client already has.
  package static let ifNoneMatch = header("If-None-Match", "The ETag of the answer that is there already.", .text)

  var json: JSONObject {
    JSONObject(fields: ["name": name, "in": place]).with("required", place == "path" ? true : nil)
      .with("description", description.isEmpty ? nil : description).with("allowEmptyValue", isFlag ? true : nil).with("schema", schema.json)
  }
}

/// The body of a request.
package struct OpenAPIBody: Sendable {
  private let content: [(type: String, schema: OpenAPISchema)]
  private let isRequired: Bool

  /// A body of one of these media types.
  package init(_ content: [(type: String, schema: OpenAPISchema)], isRequired: Bool = true) {
    (self.content, self.isRequired) = (content, isRequired)
  }

  /// JSON.
  package static func json(_ schema: OpenAPISchema, isRequired: Bool = true) -> OpenAPIBody {
    OpenAPIBody([("application/json", schema)], isRequired: isRequired)
  }

  /// Whether the body is always JSON.
  package var isJSON: Bool { content.allSatisfy { $0.type == "application/json" } }

  var json: JSONObject {
    JSONObject(fields: ["required": isRequired, "content": OpenAPISuccess.json(of: content)])
  }
}

/// A header field of an answer.
package struct OpenAPIHeader: Sendable {
  fileprivate let name: String
  private let schema: OpenAPISchema
  /// Whether every such answer has the field.
  private let isSure: Bool

  init(_ name: String, _ schema: OpenAPISchema, isSure: Bool = true) { (self.name, self.schema, self.isSure) = (name, schema, isSure) }

  /// The version of an answer, for caches.
  package static let eTag = OpenAPIHeader("ETag", .text)
  /// The address of a new object.
  package static let location = OpenAPIHeader("Location", .text)

  fileprivate var json: JSONObject {
    JSONObject(fields: ["required": isSure, "schema": schema.json])
  }
}

/// An answer.
package struct OpenAPISuccess: Sendable {
  package let status: Int
  private let description: String
  private let content: [(type: String, schema: OpenAPISchema)]
  private let headers: [OpenAPIHeader]

  /// An answer of one of these media types; without a body if there are none.
  package init(_ status: Int, _ description: String, _ content: [(type: String, schema: OpenAPISchema)] = [], headers: [OpenAPIHeader] = [])
  {
    (self.status, self.description, self.content, self.headers) = (status, description, content, headers)
  }

  /// An answer in JSON.
  package static func json(_ status: Int, _ description: String, _ schema: OpenAPISchema, headers: [OpenAPIHeader] = []) -> OpenAPISuccess {
    OpenAPISuccess(status, description, [("application/json", schema)], headers: headers)
  }

  /// A text of a media type.
  package static func text(_ description: String, _ type: String = "text/plain") -> OpenAPISuccess {
    OpenAPISuccess(200, description, [(type, .text)])
  }

  /// The answer without a body after a call has succeeded.
  package static let done = OpenAPISuccess(204, "It is done.")

  var json: JSONObject {
    let fields = headers.reduce(into: JSONObject()) { $0.append($1.name, $1.json) }
    return JSONObject(fields: ["description": description]).with("headers", headers.isEmpty ? nil : fields)
      .with("content", content.isEmpty ? nil : Self.json(of: content))
  }

  fileprivate static func json(of content: [(type: String, schema: OpenAPISchema)]) -> JSONObject {
    content.reduce(into: JSONObject()) { $0.append($1.type, JSONObject(fields: ["schema": $1.schema.json])) }
  }
}
