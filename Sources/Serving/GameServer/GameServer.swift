import AccessTokens
package import Basics
import Files
import Foundation
import GameStore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import LiveInterface
package import LiveServer
package import LiveSession
import Logging
import NIOCore
import NIOSSL
import Terminal
package import WebPages
import WebSupport

/// Serves games over HTTP, and beside them the stream that their events go into, where it is made in this process.
package struct GameServer: Sendable {
  /// How the server is reached.
  package struct Settings: Sendable {
    package var host: String
    package var port: Int
    /// The files of a certificate chain and its private key in PEM; `nil` for plain HTTP.
    package var certificate: (chain: String, key: String)?
    package var proxies = TrustedProxies([])
    /// How many days games that are over are kept; `nil` for ever.
    package var retention: Int?
    /// How many seconds it goes on once it is to end, so that load balancers send nothing more.
    package var drain = 0
    /// What browsers get.
    package var pages = WebPages()

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  private let settings: Settings
  private let api: GameAPI
  private let live: LiveServer?
  private let session: LiveSession?
  private let log: RequestLog?

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - session: The stream, where this process makes it.
  ///   - live: What serves it.
  package init(
    _ settings: Settings, _ games: Games, _ session: LiveSession?, _ live: LiveServer?, log: (@Sendable (JSONObject) -> Void)? = nil
  ) {
    (self.settings, self.session, self.live) = (settings, session, live)
    api = GameAPI(directory: games.directory, tokens: games.tokens)
    self.log = log.map { RequestLog(write: $0) }
  }

  /// Serves until somebody interrupts, or the stream cannot begin. Where the stream ends, boards and records stay.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: what the system says where nobody can listen there, or the certificate cannot be read.
  package func run(listening: @escaping @Sendable (Int) async -> Void) async throws {
    let (api, session) = (api, session)
    let application = Application(
      responder: GameResponder(api: api, live: live, settings: settings, log: log), server: try builder(),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "Cuelight", backlog: Self.backlog,
        availableConnectionsDelegate: MaximumAvailableConnections(max(DescriptorLimit.raise() - Self.ownFiles, Self.ownFiles))),
      onServerRunning: { channel in
        session?.start()
        await listening(channel.localAddress?.port ?? 0)
      }, logger: silentLogger())
    api.directory.start()
    try await application.serve {
      var nextCleaning = ContinuousClock.now
      while session?.failure == nil, !Interruption.isRequested {
        try await Task.sleep(for: .milliseconds(20))
        guard let days = settings.retention, nextCleaning < .now else { continue }
        nextCleaning = .now + .seconds(3_600)
        try? await api.directory.forget(before: WallClock.now - Int64(days) * 86_400_000)
      }
      if Interruption.isRequested, settings.drain > 0 {
        api.directory.leave()
        try await Task.sleep(for: .seconds(settings.drain))
      }
      await session?.stopWaiting()
      api.directory.endMessages()
    }
    await withCheckedContinuation { continuation in
      _ = Worker("end") {
        api.directory.end()
        continuation.resume()
      }
    }
  }

  /// How many connections wait to be accepted: thousands of players come at once.
  private static let backlog = 4_096
  /// How many files the server itself may have open.
  private static let ownFiles = 128

  private func builder() throws -> HTTPServerBuilder {
    let (api, connections) = (api, ConnectionCounts(settings.proxies))
    let http1 = HTTP1Channel.Configuration(
      additionalChannelHandlers: [AnswerHandler(api)],
      httpDecoderConfiguration: .init(maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 8 << 10, maxHeaderFieldCount: 64))
    guard let certificate = settings.certificate else {
      return HTTPServerBuilder { responder in
        GuardedChannel(base: HTTP1Channel(responder: responder, configuration: http1), connections: connections, isEncrypted: false)
      }
    }
    let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
    var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    // RFC 8996: older versions must not be spoken.
    tls.minimumTLSVersion = .tlsv12
    // NIO lets a connection have 100 streams at a time, and ends one that resets 200 within half a minute.
    let http2 = HTTP2UpgradeChannel.Configuration(
      idleTimeout: .nanoseconds(ConnectionHandler.idleTime.nanoseconds), streamConfiguration: http1)
    return HTTPServerBuilder { [tls] responder in
      GuardedChannel(
        base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder), connections: connections,
        isEncrypted: true)
    }
  }
}

/// Turns requests of the web server into calls, and answers back.
struct GameResponder: HTTPResponder {
  typealias Context = WebContext

  let api: GameAPI
  let live: LiveServer?
  let settings: GameServer.Settings
  let log: RequestLog?

  func respond(to request: Request, context: WebContext) async throws -> Response {
    let start = ContinuousClock.now
    let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { request.headers[$0] }
    let origin = settings.proxies.origin(remote: context.remoteAddress?.ipAddress, forwarded: forwarded)
    let isLocal = GameCall.isLocal(context.isLocal, request.headers)
    var response: Response
    switch GameEndpoint.route(request.method.rawValue, request.uri.path) {
    case _ where request.method == .options: response = Self.preflight
    case nil:
      let (known, accepted) = (request.headers[.ifNoneMatch], request.headers[.acceptEncoding])
      if let page = settings.pages.answer(request.method.rawValue, request.uri.path, known: known, accepted: accepted) {
        response = page.response
        break
      }
      guard let live, !request.uri.path.hasPrefix("/v1/games") else {
        response = Problem("notFound", .notFound, "there is nothing at \(request.uri.path.visible(.text))").answer.response
        break
      }
      response = await live.respond(to: request, isLocal: isLocal)
      log?.write(request, response.status, origin.address, since: start)
      return response
    case .otherMethods(let methods):
      let allowed = methods.joined(separator: ", ")
      response =
        Problem(
          "methodNotAllowed", .methodNotAllowed, "\(request.uri.path.visible(.text)) has \(allowed)", headers: [(.allow, allowed)]
        ).answer.response
    case .endpoint(let endpoint, let parts):
      do throws(Problem) {
        response = try await answer(request, endpoint, parts, origin.address, isLocal)
      } catch {
        response = error.answer.response
      }
    }
    // Pages of any origin may play: there are no cookies, and what a page may do depends on its token alone.
    if let origin = request.headers[.origin] { response.headers.allowOrigin(origin) }
    if request.method == .head { response = response.headOnly }
    log?.write(request, response.status, origin.address, since: start)
    return response
  }

  private static var preflight: Response {
    var response = Answer.noContent.response
    response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, PATCH, DELETE"
    response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, metadata-api-key"
    response.headers[.accessControlMaxAge] = "600"
    return response
  }

  private func answer(
    _ request: Request, _ endpoint: GameEndpoint, _ parts: [String: String], _ address: String, _ isLocal: Bool
  ) async throws(Problem) -> Response {
    let query = APIRequest(request, isLocal: isLocal).query
    var call = GameCall(
      endpoint: endpoint, parts: parts, query: query, headers: request.headers, body: [], address: address, isLocal: isLocal,
      token: try api.token(request.headers))
    switch endpoint {
    case .getOpenAPI: return Answer(.ok, GameOpenAPI.document(with: live?.openAPI)).response
    case .getMetrics:
      let text = GameMetrics.text(api.directory) + (live?.metrics ?? "")
      return Answer(.ok, "text/plain; version=0.0.4; charset=utf-8", Array(text.utf8)).response
    default: break
    }
    let runner = try await api.authorize(call)
    if endpoint == .listen, let runner {
      // Who only asks for the head does not lead.
      guard request.method != .head else { return Answer(.ok, "text/event-stream", []).response }
      return try await listen(call, runner)
    }
    if endpoint == .getRecord, let runner { return try await record(runner) }
    call.body = try await request.contents(limit: endpoint.largestBody)
    return try await api.answer(call, runner).response
  }

  /// What players did, as `cuelight replay --answers` reads it.
  private func record(_ runner: GameRunner) async throws(Problem) -> Response {
    // Once through it for its length, so that whoever gets it knows whether it is whole.
    let (length, reader) = try await api.read { (store) throws(StoreError) in try RecordReader(runner).measured(store) }
    var headers = HTTPFields()
    headers[.contentType] = "application/x-ndjson"
    headers[.cacheControl] = "no-store"
    let body = ResponseBody(contentLength: length) { [store = api.directory.writer] writer in
      var (rest, left) = (reader, length)
      while left > 0 {
        let (piece, next) = try await store.read { [rest] (store) throws(StoreError) in
          var next = rest
          return (try next.next(store), next)
        }
        // A game that is forgotten meanwhile has no more: the connection ends, and the client sees that the record does not.
        guard (1...left).contains(piece.count) else { throw StoreError.unavailable("the record has changed") }
        try await writer.write(ByteBuffer(bytes: piece))
        (rest, left) = (next, left - piece.count)
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  /// Messages for the host, as server-sent events.
  private func listen(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Response {
    var after = call.headers.lastEventID
    // Message numbers differ between nodes. A host that comes from another node gets the latest messages again, so that it misses none.
    if runner.nodes != nil { after = after.map { max($0 - Nodes.overlap, 0) } }
    let listening = runner.feed.listening(after: after)
    let takesOver = call.query["takeover"] != nil
    let end = listening.end
    let session = call.token?.session ?? ""
    let mayLead = await runner.nodes?.lease(runner.stored.id, to: session, takesOver: takesOver) ?? true
    let stream: Int? =
      mayLead
      ? runner.lease.listen(session, client: call.query["client"], takesOver: takesOver) { end($0.rawValue, JSONObject()) } : nil
    guard let stream else {
      throw Problem("host-busy", .conflict, "another host listens to this game; say ?takeover to take it over")
    }
    let viewers = runner.audience.viewers(at: .now)
    let first = runner.look { game, _ in GameRunner.progress(&game, viewers) }
    return MessageStream.response(listening.messages, first: ("counts", first)) { runner.lease.leave(stream) }
  }
}

/// Writes a line of JSON for each request: what it was and what became of it, without tokens, answers, nicknames and queries.
struct RequestLog: Sendable {
  /// The path without the identifier of a player, which is as good as a password.
  private static func path(_ path: String) -> String {
    path.parts(of: GameEndpoint.join.route.path) == nil ? path : GameEndpoint.join.route.path
  }

  let write: @Sendable (JSONObject) -> Void

  func write(_ request: Request, _ status: HTTPResponse.Status, _ address: String, since start: ContinuousClock.Instant) {
    var object = JSONObject()
    object.append("at", orNull: GameAPI.date(WallClock.now))
    object.append("method", request.method.rawValue)
    object.append("path", Self.path(request.uri.path))
    object.append("status", Int(status.code))
    object.append("milliseconds", Int(((ContinuousClock.now - start).inSeconds * 1_000).rounded()))
    object.append("address", address)
    write(object)
  }
}
