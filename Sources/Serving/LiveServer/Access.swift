import AccessTokens
import Basics
import HTTPTypes
import LibC
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
      if let pass = parts["pass"] {
        try check(pass, of: parts["stream"] ?? "", path: request.path)
      } else {
        try authorize(request, call.role, token: request.token)
      }
      if let wanted = parts["stream"], !wanted.hasSameBytes(as: stream) {
        throw Problem("unknownStream", .notFound, "there is no stream \(wanted.quoted); there is \(stream.quoted)")
      }
      return LiveCall(call: call, parts: parts, request: request, place: IPAddress.place(of: caller.address))
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

  /// Checks the pass in the path of a player.
  private func check(_ pass: String, of stream: String, path: String) throws(Problem) {
    let tokens = tokens.now
    // Without view tokens there are no passes, and a player may go on that has one from before.
    guard !tokens.viewTokens.isEmpty || pass.first != "~" else { return }
    guard pass.first == "~" else { throw .nothing(at: path) }
    do throws(ViewPass.Mistake) {
      try ViewPass.check(pass, stream: stream, tokens: tokens.viewTokens, now: WallClock.now / 1_000)
    } catch {
      let reason = error == .expired ? "this address is more than a day old" : "this address is not one that the server has given"
      throw .forbidden("\(reason); open the stream with its token again")
    }
  }

  /// The answer to a player that comes with a view token in the query: the same file under a path with a pass, from which all relative addresses in
  /// playlists lead on. `nil` for any other request.
  func entry(_ call: LiveCall) -> Answer? {
    guard call.parts["pass"] == nil, let file = call.parts["file"], let token = call.request.query["token"],
      tokens.now.viewTokens.contains(where: { $0.hasSameBytes(as: token) })
    else { return nil }
    let pass = ViewPass.text(stream: stream, token: token, now: WallClock.now / 1_000)
    let query = call.request.query.filter { $0.key != "token" }.ordered { $0.key < $1.key }.map {
      "\($0.key.percentEncodedPart)=\($0.value.percentEncodedPart)"
    }
    let location = "\(pass)/\(file.percentEncodedPart)" + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
    return Answer(.temporaryRedirect, "text/plain", [], headers: [(.location, location), (.cacheControl, "no-store")])
  }

  /// Whether `--cors` allows pages of this origin to make calls.
  func isAllowed(_ origin: String) -> Bool { origins.contains("*") || origins.contains { $0.hasSameBytes(as: origin) } }

  private func isOwn(_ origin: String, _ host: String?) -> Bool {
    host.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
  }
}
