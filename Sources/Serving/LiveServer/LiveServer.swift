import Basics
import HTTPTypes
import Hummingbird
import LiveInterface
package import LiveSession
import Logging
import NIOCore
import Synchronization
import Terminal

/// Serves a session over HTTP: its interface, its messages, its playlists and segments.
package struct LiveServer: Sendable {
  private let api: LiveAPI
  private let host: String
  private let port: Int

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - host: The address to listen on; `port` 0 is any that is free.
  ///   - origins: The origins whose pages may call; `*` for all.
  package init(_ session: LiveSession, host: String, port: Int, tokens: Tokens, origins: [String]) {
    api = LiveAPI(session: session, tokens: tokens, origins: origins)
    (self.host, self.port) = (host, port)
  }

  /// Serves until the session has ended, or until somebody interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: what the system says where nobody can listen there.
  package func run(listening: @escaping @Sendable (Int) -> Void) async throws {
    var logger = Logger(label: "cuelight")
    logger.logLevel = .critical
    let (session, api) = (api.session, api)
    let application = Application(
      responder: Responder(api: api), configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "Cuelight"),
      onServerRunning: { channel in
        listening(channel.localAddress?.port ?? 0)
        session.start()
      }, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      group.addTask {
        while !session.situation.hasEnded, !Interruption.isRequested { try await Task.sleep(for: .milliseconds(20)) }
        await session.stopWaiting()
      }
      try await group.next()
      group.cancelAll()
      // Errors of connections that are cut now do not matter: the streams of messages have ended.
      while let result = await group.nextResult() { _ = result }
    }
  }
}

/// What is known of a request besides itself.
struct LiveContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    remoteAddress = source.channel.remoteAddress
  }

  /// Whether the request comes from this machine.
  var isLocal: Bool {
    guard let address = remoteAddress?.ipAddress else { return true }
    return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }
}

/// Turns requests of the web server into those of the interface, and answers back.
struct Responder: HTTPResponder {
  typealias Context = LiveContext

  let api: LiveAPI

  func respond(to request: Request, context: LiveContext) async throws -> Response {
    let origin = request.headers[.origin]
    var response: Response
    if request.method == .options {
      response = Response(status: .noContent)
      response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, DELETE"
      response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"
      response.headers[.accessControlMaxAge] = "600"
    } else {
      do throws(Problem) { response = try await answer(request, context) } catch { response = error.answer.response }
    }
    // Playlists and segments are for every page; calls only for those that may.
    if let origin, api.isAllowed(origin) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.vary] = "Origin"
    } else if request.uri.path.hasPrefix("/live/") {
      response.headers[.accessControlAllowOrigin] = "*"
    }
    if request.method == .head { response = response.createHeadResponse() }
    return response
  }

  private func answer(_ request: Request, _ context: LiveContext) async throws(Problem) -> Response {
    let call = APIRequest(request, isLocal: context.isLocal)
    let (endpoint, parts) = try api.authorize(call)
    if endpoint == .getStream { return MessageStream.response(api.session.feed, after: call.lastEventID) }
    let body = try await Self.body(request, limit: LiveAPI.largestBody(endpoint))
    if !body.isEmpty, endpoint == .postEvent || endpoint == .postBatch, !(call.contentType?.contains("json") ?? false) {
      throw Problem("unsupportedMediaType", .unsupportedMediaType, "send Content-Type: application/json")
    }
    return try await api.answer(endpoint, parts, call, body: body).response
  }

  private static func body(_ request: Request, limit: Int) async throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in request.body {
        guard bytes.count + part.readableBytes <= limit else {
          throw Problem("tooLarge", .contentTooLarge, "the request has more than \(limit) bytes")
        }
        bytes += part.readableBytesView
      }
    } catch let error as Problem {
      throw error
    } catch {
      throw Problem("invalid", .badRequest, "the request ended too early")
    }
    return bytes
  }
}

extension APIRequest {
  init(_ request: Request, isLocal: Bool) {
    self.init(method: request.method.rawValue, path: request.uri.path, isLocal: isLocal)
    for part in (request.uri.query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let key = pair.first?.removingPercentEncoding else { continue }
      query[key] = pair.count > 1 ? pair[1].removingPercentEncoding ?? "" : ""
    }
    if let value = request.headers[.authorization], value.lowercased().hasPrefix("bearer ") { token = String(value.dropFirst(7)) }
    // Players and EventSource can send no header of their own.
    token = token ?? query["token"]
    origin = request.headers[.origin]
    host = request.head.authority ?? request.headers[.init("Host") ?? .origin]
    contentType = request.headers[.contentType]?.lowercased()
    idempotencyKey = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
    lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap { Int($0) }
  }
}

/// Messages as server-sent events.
enum MessageStream {
  static func response(_ feed: LiveFeed, after id: Int?) -> Response {
    let messages = feed.listen(after: id)
    var headers = HTTPFields()
    headers[.contentType] = "text/event-stream"
    headers[.cacheControl] = "no-store"
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        // Something at once, so that the client knows that it is connected.
        try await writer.write(ByteBuffer(string: ": cuelight\n\n"))
        for await message in messages { try await writer.write(ByteBuffer(string: text(message))) }
        try await writer.finish(nil)
      })
  }

  /// A message as the lines that carry it; one without a name only keeps the connection open.
  static func text(_ message: LiveFeed.Message) -> String {
    message.event.isEmpty ? ":\n\n" : "id: \(message.id)\nevent: \(message.event)\ndata: \(message.data)\n\n"
  }
}
