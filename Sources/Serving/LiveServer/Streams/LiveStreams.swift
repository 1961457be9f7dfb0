package import Basics
package import Hummingbird
import LiveInterface
import LiveSession
import Synchronization
package import WebShell
package import WebSupport

/// The web site of a process with many streams: each stream has its own interface, and there are calls that add, change and remove streams.
package final class LiveStreams: Sendable {
  private let servers: Mutex<[String: LiveServer]> = Mutex([:])
  private let api: StreamsAPI
  private let about: ServerStatus.About

  /// - Parameters:
  ///   - origins: The origins whose pages may make calls; `*` for all.
  ///   - about: The server, for its status.
  ///   - manager: Carries out the calls that change streams.
  package init(tokens: CurrentTokens, origins: [String], about: ServerStatus.About = ServerStatus.About(), _ manager: any StreamManager) {
    self.about = about
    api = StreamsAPI(access: Access(stream: "", tokens: tokens, origins: origins), manager: manager)
  }

  /// Serves a stream from now on, in place of one of the same name.
  package func put(_ server: LiveServer) { servers.withLock { $0[server.name] = server } }

  /// Serves a stream no longer.
  package func remove(_ name: String) { servers.withLock { $0[name] = nil } }

  private var all: [LiveServer] { servers.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value) }

  /// The stream that a request is about.
  private func server(_ method: String, _ path: String) throws(Problem) -> LiveServer {
    let name: String?
    switch LiveAPI.calls.find(method, path) {
    case .call(_, let parts)?: name = parts["stream"]
    case .otherMethods(let methods)?: throw .otherMethods(methods, path)
    case nil: name = WowzaAPI.stream(path) ?? OvenMediaEngineAPI.Place(path)?.stream
    }
    if let name {
      if let server = servers.withLock({ $0[name] }) { return server }
      throw .unknownStream(name)
    }
    // The version of Wowza's interface is the same for all streams.
    guard WowzaAPI.has(path), let server = all.first else { throw .nothing(at: path) }
    return server
  }
}

extension LiveStreams: StreamSite {
  package var statuses: [JSONObject] { all.flatMap(\.statuses) }

  package func mayRead(_ request: Request, _ caller: Caller) -> Bool { api.mayRead(APIRequest(request, isLocal: caller.isLocal)) }

  package var openAPI: JSONObject? { OpenAPIPaths.joined(OpenAPI.document, StreamsAPI.document) }

  package var metrics: String? { Metrics.text(all.map { ($0.api.session, $0.api.viewers.count()) }) }

  /// The server is ready if a stream is: one that has no input must not take the others away from their viewers.
  package func checkReadiness() throws(Problem) {
    let faults = all.map { (name: $0.name, faults: $0.api.session.faults) }
    guard !faults.isEmpty, faults.allSatisfy({ !$0.faults.isEmpty }) else { return }
    throw .notReady(faults.map { "\($0.name): \($0.faults.joined(separator: "; "))" }.joined(separator: "; "))
  }

  package func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess { api.access.crossOrigin(origin, path: path) }

  package func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response {
    if let response = try await api.respond(to: request, from: caller) { return response }
    if request.uri.path == Endpoint.getStatus.route.path, request.method == .get || request.method == .head {
      try api.require(.read, APIRequest(request, isLocal: caller.isLocal))
      return Answer(.ok, ServerStatus.object(about, statuses)).response
    }
    return try await server(request.method.rawValue, request.uri.path).respond(to: request, from: caller)
  }
}

extension LiveServer {
  /// The name of the stream.
  package var name: String { api.session.settings.name }
}
