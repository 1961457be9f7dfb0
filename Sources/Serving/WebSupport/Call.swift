package import LiveInterface

/// A call of an HTTP interface: how it is reached, who may make it and how often, what it takes and answers, and what does it. Requests are routed, refused
/// and limited by lists of calls, and the OpenAPI documents are made of them.
package struct Call<Role: Sendable, Handler: Sendable>: Routed {
  /// The name of the call in documents.
  package let name: String
  package let route: Route
  /// Who may make it.
  package let role: Role
  /// How often each caller may make it.
  package let limit: CallLimit
  /// The largest body, in bytes.
  package let largestBody: Int
  /// What a document says of it, besides what is true of all calls of an interface.
  package let documentation: OpenAPIOperation
  /// What does it.
  package let handler: Handler

  /// - Parameters:
  ///   - tag: The name of the group that the call belongs to in documents.
  ///   - problems: The kinds of problems that there may be, by status.
  package init(
    _ name: String, _ route: Route, _ role: Role, _ limit: CallLimit, largestBody: Int = 4 << 10, _ tag: String, _ summary: String,
    _ successes: [OpenAPISuccess], parameters: [OpenAPIParameter] = [], body: OpenAPIBody? = nil, problems: [Int: [String]] = [:],
    _ handler: Handler
  ) {
    (self.name, self.route, self.role, self.limit) = (name, route, role, limit)
    (self.largestBody, self.handler) = (largestBody, handler)
    documentation = OpenAPIOperation(
      tag: tag, summary: summary, parameters: parameters, body: body, successes: successes, problems: problems)
  }
}

/// How often a caller may make a call.
package struct CallLimit: Equatable, Sendable {
  /// How many calls a minute are allowed in the long run.
  package let perMinute: Double
  /// How many are allowed at once after a pause.
  package let burst: Double

  package init(perMinute: Double, burst: Double) { (self.perMinute, self.burst) = (perMinute, burst) }

  /// For what many clients of one address load all the time, such as segments.
  package static let watching = CallLimit(perMinute: 600_000, burst: 20_000)
  /// For what is answered from memory.
  package static let looking = CallLimit(perMinute: 60_000, burst: 10_000)
}
