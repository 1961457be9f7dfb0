package import Basics
package import Hummingbird
package import WebSupport

/// What one of this project's web servers answers. Everything that all of them have in common is the business of the ``WebShell``.
package protocol WebSite: Sendable {
  /// Answers a request that is none of health, readiness and metrics.
  ///
  /// - Throws: `Problem`, which is the answer then.
  func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response

  /// Which pages of other origins may read the response to a request.
  func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess

  /// Returns if the server can do its work.
  ///
  /// - Throws: `Problem` that says what is missing.
  func checkReadiness() throws(Problem)

  /// Numbers in the text format of Prometheus; `nil` for none.
  var metrics: String? { get }

  /// The OpenAPI document of its calls; `nil` for none.
  var openAPI: JSONObject? { get }
}

/// Which pages of other origins may read a response (Fetch, section 3.3).
package enum CrossOriginAccess: Equatable, Sendable {
  /// None, and nobody needs to ask.
  case none
  /// Not the page that asks.
  case refused
  /// All, without what only a caller gets.
  case everybody
  /// The page that asks.
  case caller
}
