import LiveInterface

/// The calls that every web server of this project has: the shell answers them.
package enum ShellCall: String, RoutedCall {
  case getHealth, getReady, getMetrics, getOpenAPI

  /// The method and the path.
  package var route: (method: String, path: String) {
    switch self {
    case .getHealth: ("GET", "/healthz")
    case .getReady: ("GET", "/readyz")
    case .getMetrics: ("GET", "/metrics")
    case .getOpenAPI: ("GET", "/v1/openapi.json")
    }
  }

  /// The older names of paths, which go on to work.
  package static let aliases = ["/health": "/healthz", "/ready": "/readyz"]

  /// The group of these calls in a document, and what it is about.
  static let tag = (name: "server", about: "How the server is.")

  /// What a document says of the call.
  var operation: OpenAPIOperation {
    switch self {
    case .getHealth: OpenAPIOperation(Self.tag.name, "Tell that the process lives.", [.text("It lives.")])
    case .getReady:
      OpenAPIOperation(
        Self.tag.name, "Tell whether the server can do its work.", [.text("It can.")], problems: [503: ["notReady", "overloaded"]])
    case .getMetrics: OpenAPIOperation(Self.tag.name, "Give numbers for Prometheus.", [.text("Numbers.")])
    case .getOpenAPI: OpenAPIOperation(Self.tag.name, "Give this document.", [.json(200, "The document.", .anyObject)])
    }
  }
}
