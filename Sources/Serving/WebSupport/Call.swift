package import LiveInterface

/// A call of an HTTP interface: its route, its roles and limits, its parameters and answers, and its handler. Lists of calls are used to route,
/// refuse and limit requests, and to make the OpenAPI documents.
package struct Call<Role: Sendable, Handler: Sendable>: Routed {
  /// The name of the call in documents.
  package let name: String
  package let route: Route
  /// Who may make the call.
  package let role: Role
  /// How often each caller may make the call.
  package let limit: CallLimit
  /// The maximum size of the body in bytes.
  package let largestBody: Int
  /// The documentation of the call, in addition to what applies to all calls of an interface.
  package let documentation: OpenAPIOperation
  /// The implementation.
  package let handler: Handler

  /// - Parameters:
  ///   - tag: The name of the group that the call belongs to in documents.
  ///   - problems: The possible kinds of problems, by status.
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

  /// For resources that many clients of one address load all the time, such as segments.
  package static let watching = CallLimit(perMinute: 600_000, burst: 20_000)
  /// For calls that are answered from memory.
  package static let looking = CallLimit(perMinute: 60_000, burst: 10_000)
}
