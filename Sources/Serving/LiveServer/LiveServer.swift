package import Basics
package import Hummingbird
import LiveInterface
package import LiveSession
import Terminal
package import WebShell
package import WebSupport

/// Serves a session over HTTP: its interface, its messages, its playlists and segments.
package struct LiveServer: Sendable {
  let api: LiveAPI

  /// - Parameters:
  ///   - isOpen: Whether events can be put into the stream over HTTP; otherwise clients can only watch.
  ///   - origins: The origins whose pages may make calls; `*` for all.
  ///   - about: The server, for its status.
  package init(
    _ session: LiveSession, tokens: CurrentTokens, origins: [String], isOpen: Bool = true, about: ServerStatus.About = ServerStatus.About()
  ) {
    api = LiveAPI(session: session, tokens: tokens, origins: origins, isOpen: isOpen, about: about)
  }

  /// Whether a client may read what happens to the stream, by the stream's own tokens.
  package func mayRead(_ request: Request, _ caller: Caller) -> Bool {
    let request = APIRequest(request, isLocal: caller.isLocal)
    return (try? api.access.authorize(request, .read, token: request.token)) != nil
  }

  /// How long the server continues after the end of its stream: a game server elsewhere asks twice a second.
  private static let farewell = Duration.milliseconds(1_500)

  /// Serves until the session has ended, or until the user interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: The system's error if it cannot listen there, or if the certificate cannot be read.
  package func run(_ settings: WebShell.Settings, listening: @escaping @Sendable (Int) -> Void) async throws {
    let session = api.session
    try await WebShell(settings).serve(self) { port in
      listening(port)
      session.start()
    } until: {
      await Interruption.wait { await session.feed.end() }
      // A program that follows the stream from another process has to learn that it is over.
      if session.failure == nil { await Interruption.wait { try? await Task.sleep(for: Self.farewell) } }
      await session.stopWaiting()
    }
  }
}

/// A site with streams, as a server of games has beside its own pages and calls.
package protocol StreamSite: WebSite {
  /// The state of each stream for ``ServerStatus``.
  var statuses: [JSONObject] { get }

  /// Whether a client may read what happens to the streams, by their own tokens.
  func mayRead(_ request: Request, _ caller: Caller) -> Bool
}

extension LiveServer: StreamSite {
  package var statuses: [JSONObject] { [api.status] }

  package var openAPI: JSONObject? { OpenAPI.document }

  package var metrics: String? { Metrics.text([(api.session, api.viewers.count())]) }

  package func checkReadiness() throws(Problem) {
    let faults = api.session.faults
    guard faults.isEmpty else { throw .notReady(faults.joined(separator: "; ")) }
  }

  /// Playlists and segments are for every page; calls only for pages of allowed origins.
  package func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess { api.access.crossOrigin(origin, path: path) }

  package func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response {
    if let answer = await PeerAPIs.answer(request, caller, api) { return answer.response }
    var call = try api.access.authorize(APIRequest(request, isLocal: caller.isLocal), of: caller)
    switch call.call.handler {
    case .messages: return MessageStream.answer(api.session.feed.listen(after: call.request.lastEventID)).response
    case .presentation:
      if let entry = api.access.entry(call) { return entry.response }
      if call.parts["file"]?.hasSuffix(".m3u8") ?? false { api.viewers.note(caller.address, request.headers[.userAgent] ?? "") }
      return try await api.files.answer(call, range: request.range)
    case .session(let handler):
      call.body = try await request.contents(limit: call.call.largestBody)
      if !call.body.isEmpty, call.call.documentation.body?.isJSON ?? false, !(call.request.contentType?.contains("json") ?? false) {
        throw Problem("unsupportedMediaType", .unsupportedMediaType, "send Content-Type: application/json")
      }
      return try await handler(api, call).response
    }
  }
}

extension LiveServer {
  /// The path without a pass, with which others could watch.
  package static func shownPath(_ path: String) -> String {
    guard let parts = path.parts(of: Endpoint.getPresentationByPass.route.path) else { return path }
    return Endpoint.getPresentationByPass.route.path(parts.merging(["pass": "~"]) { $1 })
  }
}

extension Access {
  /// Which pages may read a response.
  func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess {
    if let origin, isAllowed(origin) { return .caller }
    // Players of any page report what they show.
    if path.parts(of: Endpoint.postReports.route.path) != nil { return .everybody }
    return path.hasPrefix("/live/") || WowzaAPI.has(path) ? .everybody : .refused
  }
}
