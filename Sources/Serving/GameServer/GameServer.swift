import AccessTokens
package import Basics
import GameStore
import HTTPTypes
package import Hummingbird
import LibC
import LiveInterface
package import LiveServer
package import LiveSession
import Terminal
package import WebPages
package import WebShell
package import WebSupport

/// The streams that a process produces, while its web server runs.
package protocol StreamRun: Sendable {
  /// Begins them; returns at once.
  func begin() async

  /// Returns at their end: whether the process must end with them, since they cannot go on.
  func haveFailed() async -> Bool

  /// Ends them, and returns when everything is written.
  func stopWaiting() async
}

extension LiveSession: StreamRun {
  package func begin() async { start() }

  package func haveFailed() async -> Bool {
    await feed.end()
    return failure != nil
  }
}

/// Serves games over HTTP, together with the stream that carries their events if this process produces it.
package struct GameServer: Sendable {
  /// The settings of the server.
  package struct Settings: Sendable {
    package var shell: WebShell.Settings
    /// How many days finished games are kept; `nil` for ever.
    package var retention: Int?
    /// How many seconds the server continues after it was told to end, so that load balancers stop sending requests.
    package var drain = 0
    /// The server, for its status.
    package var about = ServerStatus.About()
    /// The pages for browsers.
    package var pages = WebPages()
    /// The pictures and sounds of questions.
    package var media = MediaFiles()

    package init(_ shell: WebShell.Settings) { self.shell = shell }
  }

  private let settings: Settings
  private let api: GameAPI
  private let live: (any StreamSite)?
  private let streams: (any StreamRun)?

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - streams: The streams that this process produces.
  ///   - live: Serves them.
  package init(_ settings: Settings, _ games: Games, _ streams: (any StreamRun)?, _ live: (any StreamSite)?) {
    (self.settings, self.streams, self.live) = (settings, streams, live)
    var api = GameAPI(directory: games.directory, tokens: games.tokens)
    api.about = settings.about
    api.hasMedia = { [media = settings.media] in media.has($0) }
    api.streams = { live?.statuses ?? [] }
    self.api = api
  }

  /// Serves until the user interrupts, or the stream cannot begin. If the stream ends, scoreboards and records stay.
  ///
  /// - Parameter listening: Called with the port, once there is one.
  /// - Throws: The system's error if it cannot listen there, or if the certificate cannot be read.
  package func run(listening: @escaping @Sendable (Int) async -> Void) async throws {
    let (api, streams, settings) = (api, streams, settings)
    let shell = WebShell(settings.shell, handlers: { [AnswerHandler(api)] })
    api.directory.start()
    try await shell.serve(self) { port in
      await streams?.begin()
      await listening(port)
    } until: {
      await Interruption.wait { await Self.work(api.directory, streams, retention: settings.retention) }
      if Interruption.isRequested, settings.drain > 0 {
        api.directory.leave()
        try await Task.sleep(for: .seconds(settings.drain))
      }
      await streams?.stopWaiting()
      api.directory.endMessages()
    }
    await Worker.run { api.directory.end() }
  }

  /// Forgets old games from time to time. It returns if the streams cannot go on.
  private static func work(_ directory: GameDirectory, _ streams: (any StreamRun)?, retention: Int?) async {
    let hasFailed = await withTaskGroup(of: Bool.self) { group in
      group.addTask { await streams?.haveFailed() ?? false }
      group.addTask {
        while let retention, !Task.isCancelled {
          let isDone = await directory.retain(since: WallClock.now - Int64(retention) * 86_400_000)
          try? await Task.sleep(for: .seconds(isDone ? 3_600 : 60))
        }
        return false
      }
      var hasFailed = false
      while !hasFailed, let isOver = await group.next() { hasFailed = isOver }
      group.cancelAll()
      return hasFailed
    }
    if !hasFailed { await Interruption.wait() }
  }

  /// The path without the identifier of a player, which is as sensitive as a password.
  package static func shownPath(_ path: String) -> String {
    path.parts(of: GameAPI.joinRoute.path) == nil ? LiveServer.shownPath(path) : GameAPI.joinRoute.path
  }
}

/// Turns requests of the web server into calls, and returns their answers.
extension GameServer: WebSite {
  package var openAPI: JSONObject? { GameOpenAPI.document(with: live?.openAPI) }

  package var metrics: String? { GameMetrics.text(api.directory) + (live?.metrics ?? "") }

  package func checkReadiness() throws(Problem) { try api.requireReadiness() }

  /// Pages of any origin may play: there are no cookies, and the rights of a page depend on its token alone.
  package func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess {
    // Playlists and segments are the same for all pages, so that caches may share them.
    if origin == nil || path.hasPrefix("/live/"), let live { return live.crossOrigin(origin, path: path) }
    return .caller
  }

  package func respond(to request: Request, from caller: Caller) async throws(Problem) -> Response {
    let path = request.uri.path
    switch GameAPI.calls.find(request.method.rawValue, path) {
    // Whoever may read what happens to the stream may see what runs, and so may the operator of games.
    case .call where path == Endpoint.getStatus.route.path && live?.mayRead(request, caller) ?? false: return api.status.response
    case nil:
      let (known, accepted) = (request.headers[.ifNoneMatch], request.headers[.acceptEncoding])
      if let page = settings.pages.answer(request.method.rawValue, path, known: known, accepted: accepted) { return page.response }
      if let file = settings.media.answer(request.method.rawValue, path, known: known) {
        return file.response(toRange: request.headers[.range])
      }
      guard let live, !path.hasPrefix("/v1/games") else { throw .nothing(at: path) }
      return try await live.respond(to: request, from: caller)
    case .otherMethods(let methods): throw .otherMethods(methods, path)
    case .call(let call, let parts):
      var call = GameCall(
        call: call, parts: parts, query: request.queryParts, headers: request.headers, caller: caller,
        token: try api.token(request.headers), isHead: request.method == .head)
      let runner = try await api.authorize(call)
      call.body = try await request.contents(limit: call.call.largestBody)
      return try await api.answer(call, runner).response
    }
  }
}
