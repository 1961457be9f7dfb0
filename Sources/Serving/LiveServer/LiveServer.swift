package import Basics
import HTTPTypes
package import Hummingbird
import LiveInterface
package import LiveSession
import Logging
import NIOCore
import Synchronization
import Terminal
import WebSupport

/// Serves a session over HTTP: its interface, its messages, its playlists and segments.
package struct LiveServer: Sendable {
  private let api: LiveAPI
  private let host: String
  private let port: Int

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - host: The address to listen on; `port` 0 is any that is free.
  ///   - isOpen: Whether events can be put into the stream over HTTP; otherwise it can only be watched.
  ///   - origins: The origins whose pages may call; `*` for all.
  package init(_ session: LiveSession, host: String, port: Int, tokens: Tokens, origins: [String], isOpen: Bool = true) {
    api = LiveAPI(session: session, tokens: tokens, origins: origins, isOpen: isOpen)
    (self.host, self.port) = (host, port)
  }

  /// How long the server goes on behind the end of its stream: a game server elsewhere asks twice a second.
  private static let farewell = Duration.milliseconds(1_500)

  /// The OpenAPI document of the interface.
  package var openAPI: JSONObject { OpenAPI.document }

  /// The session in numbers, in the text format of Prometheus.
  package var metrics: String { Metrics.text(api.session) }

  /// Answers a request, for a server that has more than this.
  package func respond(to request: Request, isLocal: Bool) async -> Response {
    await Responder(api: api).respond(to: request, isLocal: isLocal)
  }

  /// Serves until the session has ended, or until somebody interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: what the system says where nobody can listen there.
  package func run(listening: @escaping @Sendable (Int) -> Void) async throws {
    let (session, api) = (api.session, api)
    let application = Application(
      responder: Responder(api: api), configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "Cuelight"),
      onServerRunning: { channel in
        listening(channel.localAddress?.port ?? 0)
        session.start()
      }, logger: silentLogger())
    try await application.serve {
      while !session.situation.hasEnded, !Interruption.isRequested { try await Task.sleep(for: .milliseconds(20)) }
      // Who follows the stream from another process learns that it is over.
      let end = ContinuousClock.now + Self.farewell
      while session.failure == nil, !Interruption.isRequested, .now < end { try await Task.sleep(for: .milliseconds(20)) }
      await session.stopWaiting()
    }
  }
}

/// Turns requests of the web server into those of the interface, and answers back.
struct Responder: HTTPResponder {
  typealias Context = WebContext

  let api: LiveAPI

  func respond(to request: Request, context: WebContext) async throws -> Response {
    await respond(to: request, isLocal: context.isLocal)
  }

  func respond(to request: Request, isLocal: Bool) async -> Response {
    let origin = request.headers[.origin]
    var response: Response
    if request.method == .options {
      response = Answer.noContent.response
      response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, DELETE"
      response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, metadata-api-key"
      response.headers[.accessControlMaxAge] = "600"
    } else if let answer = await PeerAPIs.answer(request, isLocal, api) {
      response = answer.response
    } else {
      do throws(Problem) { response = try await answer(request, isLocal) } catch { response = error.answer.response }
    }
    // Playlists and segments are for every page; calls only for those that may.
    if let origin, api.access.isAllowed(origin) {
      response.headers.allowOrigin(origin)
    } else if request.uri.path.hasPrefix("/live/") || WowzaAPI.has(request.uri.path) {
      response.headers[.accessControlAllowOrigin] = "*"
    }
    if request.method == .head { response = response.headOnly }
    return response
  }

  private func answer(_ request: Request, _ isLocal: Bool) async throws(Problem) -> Response {
    let call = APIRequest(request, isLocal: isLocal)
    let (endpoint, parts) = try api.authorize(call)
    if endpoint == .getStream { return MessageStream.response(api.session.feed, after: call.lastEventID) }
    let body = try await request.contents(limit: LiveAPI.largestBody(endpoint))
    if !body.isEmpty, [.postEvent, .putEvent, .postBatch].contains(endpoint), !(call.contentType?.contains("json") ?? false) {
      throw Problem("unsupportedMediaType", .unsupportedMediaType, "send Content-Type: application/json")
    }
    return try await api.answer(endpoint, parts, call, body: body).response
  }
}
