import Basics
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LiveInterface
import LivePair
import LiveSession
import Logging
import NIOCore
import Terminal
import WebSupport

/// Serves a node of a pair over HTTP: both have the same presentation, and whatever reaches the one that follows is passed on.
package struct PairServer: Sendable {
  private let node: PairNode
  private let host: String
  private let port: Int

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - host: The address to listen on; `port` 0 is any that is free.
  package init(_ node: PairNode, host: String, port: Int) { (self.node, self.host, self.port) = (node, host, port) }

  /// How long the server goes on behind the end of its stream.
  private static let farewell = Duration.milliseconds(1_500)

  /// Serves until the node has ended, or until somebody interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: what the system says where nobody can listen there.
  package func run(listening: @escaping @Sendable (Int) -> Void) async throws {
    let node = node
    let application = Application(
      responder: PairResponder(node: node),
      server: HTTPServerBuilder { responder in PairedChannel(base: HTTP1Channel(responder: responder), node: node) },
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "Cuelight"),
      onServerRunning: { channel in
        listening(channel.localAddress?.port ?? 0)
        node.start()
      }, logger: silentLogger())
    try await application.serve {
      while node.outcome == nil, !Interruption.isRequested { try await Task.sleep(for: .milliseconds(20)) }
      let end = ContinuousClock.now + Self.farewell
      while case .ended = node.outcome, !Interruption.isRequested, .now < end { try await Task.sleep(for: .milliseconds(20)) }
      await withCheckedContinuation { continuation in
        _ = Worker("stop") {
          node.stop()
          continuation.resume()
        }
      }
    }
  }
}

/// A connection as the web server sets it up, which may be that of the other node.
private struct PairedChannel<Base: ServerChildChannel>: ServerChildChannel {
  typealias Value = Base.Value

  let base: Base
  let node: PairNode

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    do {
      try channel.pipeline.syncOperations.addHandler(PairGate { [node] in node.accept($0) })
      return base.setup(channel: channel, logger: logger)
    } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Answers requests: as a session does where the node leads, and otherwise with what it has, or with what the other one answers.
private struct PairResponder: HTTPResponder {
  typealias Context = WebContext

  let node: PairNode

  /// How long a request waits where nobody leads for the moment.
  private static let patience = Duration.seconds(3)

  func respond(to request: Request, context: WebContext) async throws -> Response {
    if request.uri.path == Endpoint.getMetrics.route.path, request.method == .get {
      return Answer(.ok, "text/plain; version=0.0.4; charset=utf-8", Array(metrics.utf8)).response
    }
    // A leading node that can make no connections may be one of two that lead.
    let isAsked = Endpoint.getReady.route.path == request.uri.path && !node.isReady
    if let server = node.leading, !isAsked { return await server.respond(to: request, isLocal: context.isLocal) }
    var response: Response
    do throws(Problem) {
      response = try await answer(request, context.isLocal)
    } catch {
      response = error.answer.response
    }
    if let origin = request.headers[.origin], node.access.isAllowed(origin) {
      response.headers.allowOrigin(origin)
    } else if request.uri.path.hasPrefix("/live/") {
      response.headers[.accessControlAllowOrigin] = "*"
    }
    return request.method == .head ? response.headOnly : response
  }

  private var metrics: String {
    var text = node.leading?.metrics ?? ""
    func add(_ name: String, _ kind: String, _ help: String, _ value: Int) {
      text += "# HELP cuelight_pair_\(name) \(help)\n# TYPE cuelight_pair_\(name) \(kind)\ncuelight_pair_\(name) \(value)\n"
    }
    add("leads", "gauge", "Whether this node of the pair leads.", node.leading == nil ? 0 : 1)
    add("connected", "gauge", "Whether the other node of the pair is connected.", node.isConnected ? 1 : 0)
    add("takeovers_total", "counter", "How often this process has taken the place of the other node.", node.takeovers)
    return text
  }

  /// Answers where another node leads, or nobody does.
  private func answer(_ request: Request, _ isLocal: Bool) async throws(Problem) -> Response {
    let call = APIRequest(request, isLocal: isLocal)
    if case .endpoint(let endpoint, _)? = Endpoint.route(call.method, call.path) {
      switch endpoint {
      case .getHealth: return Answer(.ok, "text/plain", Array("ok\n".utf8)).response
      case .getReady:
        guard node.isReady else { throw notReady }
        return Answer(.ok, "text/plain", Array("ready\n".utf8)).response
      case .getOpenAPI: return Answer(.ok, OpenAPI.document).response
      case .getPresentation:
        let (_, parts) = try node.access.authorize(call)
        // The node that leads by now may have listed what is not here yet.
        await wait { node.isReady }
        guard node.isReady else { throw notReady }
        if let server = node.leading { return await server.respond(to: request, isLocal: isLocal) }
        let files = PresentationFiles(store: node.store) { [node] in node.outcome != nil }
        return try await files.answer(parts["file"] ?? "", query: call.query).response
      case .getStream:
        _ = try node.access.authorize(call)
        return MessageStream.response(node.feed, after: call.lastEventID)
      default: break
      }
    }
    return try await pass(request, isLocal)
  }

  private var notReady: Problem {
    let reason = node.linkFailure.map { "this node cannot reach the other one: \($0)" } ?? "this node does not have what the other one has"
    return Problem("notReady", .serviceUnavailable, reason)
  }

  /// Waits for something that may be true in a moment.
  private func wait(for condition: () -> Bool) async {
    let end = ContinuousClock.now + Self.patience
    while !condition(), .now < end, (try? await Task.sleep(for: .milliseconds(20))) != nil {}
  }

  /// Passes a request on to the node that leads, or answers it where that is this one by now.
  private func pass(_ request: Request, _ isLocal: Bool) async throws(Problem) -> Response {
    let body = try await request.contents(limit: LiveAPI.largestBody(.putCues))
    var fields = request.headers.map { PairCall.Field(name: $0.name.rawName, value: $0.value) }
    if let host = request.head.authority { fields.append(.init(name: "Host", value: host)) }
    let call = PairCall(method: request.method.rawValue, path: request.head.path ?? "/", fields: fields, isLocal: isLocal, body: body)
    await wait { node.isConnected || node.leading != nil }
    if let server = node.leading { return await server.answer(call).response }
    guard node.isConnected else { throw Self.busy("no node leads at present") }
    guard let answer = await node.pass(call) else { throw Self.busy("the node that leads has gone") }
    return answer.response
  }

  private static func busy(_ reason: String) -> Problem {
    let advice = "send the request again, with the same guid or Idempotency-Key"
    return Problem("busy", .serviceUnavailable, "\(reason); \(advice)", headers: [(.retryAfter, "1")])
  }
}

extension LiveServer {
  /// Answers a request that the other node of a pair has passed on.
  func answer(_ call: PairCall) async -> PairAnswer {
    var fields = HTTPFields()
    var host: String?
    for field in call.fields {
      if field.name.lowercased() == "host" { host = field.value }
      if let name = HTTPField.Name(field.name), field.name.lowercased() != "host" {
        fields.append(HTTPField(name: name, value: field.value))
      }
    }
    let method = HTTPRequest.Method(call.method) ?? .get
    let head = HTTPRequest(method: method, scheme: "http", authority: host, path: call.path, headerFields: fields)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: call.body)))
    let response = await respond(to: request, isLocal: call.isLocal)
    let (writer, collected) = BodyCollector.make()
    try? await response.body.write(writer)
    let answered = response.headers.map { PairCall.Field(name: $0.name.rawName, value: $0.value) }
    return PairAnswer(status: Int(response.status.code), fields: answered, body: collected.bytes)
  }
}

extension PairAnswer {
  /// The answer for a client.
  fileprivate var response: Response {
    var headers = HTTPFields()
    for field in fields {
      guard let name = HTTPField.Name(field.name), name != .contentLength, name != .transferEncoding else { continue }
      headers.append(HTTPField(name: name, value: field.value))
    }
    return Response(
      status: .init(code: status), headers: headers, body: body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}
