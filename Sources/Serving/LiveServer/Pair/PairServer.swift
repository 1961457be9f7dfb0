package import Basics
import HTTPTypes
package import Hummingbird
import LiveInterface
import LivePair
import LiveSession
import Terminal
package import WebShell
package import WebSupport

/// Serves a node of a pair over HTTP: both nodes have the same presentation, and the following node passes on all other requests.
package struct PairServer: Sendable {
  private let node: PairNode

  package init(_ node: PairNode) { self.node = node }

  /// How long the server continues after the end of its stream.
  private static let farewell = Duration.milliseconds(1_500)

  /// Serves until the node has ended, or until the user interrupts.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: The system's error if it cannot listen there, or if the certificate cannot be read.
  package func run(_ settings: WebShell.Settings, listening: @escaping @Sendable (Int) -> Void) async throws {
    let node = node
    // The nodes connect without TLS, whatever players use.
    let shell = WebShell(settings, gate: { PairGate { [node] in node.accept($0) } })
    try await shell.serve(self) { port in
      listening(port)
      node.start()
    } until: {
      await Interruption.wait { await node.feed.end() }
      if case .ended? = node.outcome { await Interruption.wait { try? await Task.sleep(for: Self.farewell) } }
      await withCheckedContinuation { continuation in
        _ = Worker("stop") {
          node.stop()
          continuation.resume()
        }
      }
    }
  }
}

/// Answers requests: as a session does if the node leads, and otherwise from its own data, or with the other node's answer.
extension PairServer: WebSite {
  /// How long a request waits while neither node leads.
  private static let patience = Duration.seconds(3)

  package var openAPI: JSONObject? { OpenAPI.document }

  package var metrics: String? {
    var text = MetricsText(prefix: "cuelight_pair_")
    text.add("leads", "Whether this node of the pair leads.", isTrue: node.leading != nil)
    text.add("connected", "Whether the other node of the pair is connected.", isTrue: node.isConnected)
    text.add("takeovers_total", .counter, "How often this process has taken the place of the other node.", node.takeovers)
    return (node.leading?.metrics ?? "") + text.text
  }

  package func checkReadiness() throws(Problem) {
    // A leading node that cannot make connections may be one of two that lead.
    guard node.isReady else { throw notReady }
    try node.leading?.checkReadiness()
  }

  package func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess { node.access.crossOrigin(origin, path: path) }

  package func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response {
    if let server = node.leading { return try await server.respond(to: request, from: caller) }
    // The other node leads, or neither does.
    let known = APIRequest(request, isLocal: caller.isLocal)
    guard case .call(let found, _)? = LiveAPI.calls.find(known.method, known.path) else { return try await pass(request, caller) }
    switch found.handler {
    case .session: break
    case .messages:
      let call = try node.access.authorize(known, of: caller)
      return MessageStream.answer(node.feed.listen(after: call.request.lastEventID)).response
    case .presentation:
      let call = try node.access.authorize(known, of: caller)
      if let entry = node.access.entry(call) { return entry.response }
      // By now, the leading node may have listed files that are not here yet.
      await wait { node.isReady }
      guard node.isReady else { throw notReady }
      if let server = node.leading { return try await server.respond(to: request, from: caller) }
      let files = PresentationFiles(store: node.store) { [node] in node.outcome != nil }
      return try await files.answer(call, range: request.range)
    }
    return try await pass(request, caller)
  }

  private var notReady: Problem {
    let reason = node.linkFailure.map { "this node cannot reach the other one: \($0)" } ?? "this node does not have what the other one has"
    return .notReady(reason)
  }

  /// Waits for a condition that may soon be true.
  private func wait(for condition: () -> Bool) async {
    await node.changes.wait(until: .now + Self.patience, for: condition)
  }

  /// Passes a request on to the leading node, or answers it if this node leads by now.
  private func pass(_ request: Request, _ caller: Caller) async throws(Problem) -> Response {
    let body = try await request.contents(limit: LiveAPI.calls.map(\.largestBody).max() ?? 0)
    var fields = request.headers.map { PairCall.Field(name: $0.name.rawName, value: $0.value) }
    fields.append(.init(name: Self.addressField, value: caller.address))
    if let host = request.head.authority { fields.append(.init(name: "Host", value: host)) }
    let call = PairCall(
      method: request.method.rawValue, path: request.head.path ?? "/", fields: fields, isLocal: caller.isLocal, body: body)
    await wait { node.isConnected || node.leading != nil }
    if let server = node.leading { return await server.answer(call).response }
    guard node.isConnected else { throw Self.busy("no node leads at present") }
    guard let answer = await node.pass(call) else { throw Self.busy("the node that leads has gone") }
    return answer.response
  }

  /// The field of a forwarded request with the client's address. It is the last one of its name, whatever the client has sent.
  fileprivate static let addressField = "Cuelight-Client-Address"

  private static func busy(_ reason: String) -> Problem {
    .overloaded("\(reason); send the request again, with the same guid or Idempotency-Key")
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
    let response: Response
    let address = call.fields.last { $0.name == PairServer.addressField }?.value ?? ""
    do throws(Problem) { response = try await respond(to: request, from: Caller(address: address, isLocal: call.isLocal)) } catch {
      response = error.answer.response
    }
    let (writer, collected) = BodyCollector.make()
    try? await response.body.write(writer)
    let answered = response.headers.map { PairCall.Field(name: $0.name.rawName, value: $0.value) }
    return PairAnswer(status: Int(response.status.code), fields: answered, body: collected.bytes)
  }
}

extension PairAnswer {
  /// The response for a client.
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
