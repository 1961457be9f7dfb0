package import Basics
package import Hummingbird
package import WebSupport

/// The content of one of this project's web servers. Everything that the servers have in common is in the ``WebShell``.
package protocol WebSite: Sendable {
  /// Answers a request, except for those of health, readiness and metrics.
  ///
  /// - Throws: `Problem`, which then is the answer.
  func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response

  /// Decides which pages of other origins may read the response to a request.
  func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess

  /// Returns if the server is able to work.
  ///
  /// - Throws: `Problem` that says what is missing.
  func checkReadiness() throws(Problem)

  /// Metrics in the text format of Prometheus; `nil` for none.
  var metrics: String? { get }

  /// The OpenAPI document of its calls; `nil` for none.
  var openAPI: JSONObject? { get }
}

/// Which pages of other origins may read a response (Fetch, section 3.3).
package enum CrossOriginAccess: Equatable, Sendable {
  /// No page of another origin, and none needs to ask.
  case none
  /// Not the requesting page.
  case refused
  /// All pages, without the data that only a caller gets.
  case everybody
  /// The requesting page.
  case caller
}
