import Basics
import HTTPTypes
import LiveInterface
import Sheets
import WebShell
import WebSupport

/// Which clients may make which calls of a stream's interface.
struct Access: Sendable {
  /// The stream's name.
  let stream: String
  let tokens: CurrentTokens
  /// The origins whose pages may make calls; `*` for all.
  let origins: [String]
  /// How often callers may make calls. Programs on this machine have limits, too: a loop that posts must not fill the journal.
  let limits = RateLimits()
  /// Whether events can be put into the stream; otherwise it can only be watched.
  var isOpen = true

  /// Returns the call of a request.
  ///
  /// - Throws: `Problem` if there is no such call, or the client may not make it, or makes it too often.
  func authorize(_ request: APIRequest, of caller: Caller) throws(Problem) -> LiveCall {
    switch LiveAPI.calls.find(request.method, request.path) {
    case nil: throw .nothing(at: request.path)
    case .otherMethods(let methods): throw .otherMethods(methods, request.path)
    case .call(let call, let parts):
      try limits.require(call.limit, "\(call.name) \(IPAddress.place(of: caller.address))")
      try authorize(request, call.role, token: request.token)
      if let wanted = parts["stream"], !wanted.hasSameBytes(as: stream) {
        throw Problem("unknownStream", .notFound, "there is no stream \(wanted.quoted); there is \(stream.quoted)")
      }
      return LiveCall(call: call, parts: parts, request: request)
    }
  }

  /// Checks whether a client may do what needs a scope.
  ///
  /// - Parameters:
  ///   - token: The token in the request.
  ///   - isFromHeader: Whether the token is in a header field that browsers send for a page only if the page itself has set it.
  func authorize(_ request: APIRequest, _ scope: Endpoint.Scope, token: String?, isFromHeader: Bool = false) throws(Problem) {
    guard isOpen || scope == .view else { throw .forbidden("the games of this server lead the stream") }
    let tokens = tokens.now
    switch tokens.decide(scope, token: token, isLocal: request.isLocal) {
    case .allowed: break
    case .unauthorized: throw .unauthorized
    case .forbidden:
      let reason =
        request.token != nil
        ? "the token does not allow to \(scope.rawValue)"
        : "without a token only programs on this machine that call it localhost, and no proxy, may \(scope.rawValue)"
      throw .forbidden(reason)
    }
    guard scope != .view, !isFromHeader || !tokens.areRequired else { return }
    // The page of another site must not make calls through a browser on this machine.
    if let origin = request.origin, !isAllowed(origin), !isOwn(origin, request.host) {
      throw .forbidden("pages of \(origin.visible(.text)) may not call; allow it with --cors")
    }
  }

  /// Whether `--cors` allows pages of this origin to make calls.
  func isAllowed(_ origin: String) -> Bool { origins.contains("*") || origins.contains { $0.hasSameBytes(as: origin) } }

  private func isOwn(_ origin: String, _ host: String?) -> Bool {
    host.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
  }
}
