import LiveInterface

/// The calls that every web server of this project has; the shell answers them.
package enum ShellCall: Sendable {
  case getHealth, getReady, getMetrics, getOpenAPI

  /// The descriptions of the calls.
  package static let all: [Call<Void, ShellCall>] = [
    Call(
      "getHealth", Route("GET", "/healthz"), (), .looking, tag.name, "Tell that the process lives.", [.text("It lives.")], .getHealth),
    Call(
      "getReady", Route("GET", "/readyz"), (), .looking, tag.name, "Tell whether the server can do its work.", [.text("It can.")],
      problems: [503: ["notReady", "overloaded"]], .getReady),
    Call(
      "getMetrics", Route("GET", "/metrics"), (), .looking, tag.name, "Give numbers for Prometheus.", [.text("Numbers.")], .getMetrics),
    Call(
      "getOpenAPI", Route("GET", "/v1/openapi.json"), (), .looking, tag.name, "Give this document.",
      [.json(200, "The document.", .anyObject)], .getOpenAPI),
  ]

  /// The older names of paths, which still work.
  package static let aliases = ["/health": "/healthz", "/ready": "/readyz"]

  /// The group of these calls in a document, and its description.
  static let tag = (name: "server", about: "How the server is.")
}
