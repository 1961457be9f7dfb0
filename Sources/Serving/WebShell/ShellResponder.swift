import Hummingbird
import LiveInterface
import WebSupport

/// Answers the calls that all web servers of this project share, and passes on the others to the site.
struct ShellResponder<Site: WebSite>: HTTPResponder {
  typealias Context = WebContext

  let site: Site
  let proxies: TrustedProxies
  let log: RequestLog?
  let limits = RateLimits()
  /// Whether clients are told to use only HTTPS.
  let isEncrypted: Bool

  func respond(to request: Request, context: WebContext) async throws -> Response {
    let start = ContinuousClock.now
    let caller = Caller(
      request.headers, host: request.host, remote: context.remoteAddress?.ipAddress, isConnectionLocal: context.isLocal, proxies)
    var response = await response(to: request, from: caller)
    let origin = request.headers[.origin]
    switch site.crossOrigin(origin, path: request.uri.path) {
    case .none, .refused: break
    case .everybody: response.headers[.accessControlAllowOrigin] = "*"
    case .caller: if let origin { response.headers.allowOrigin(origin) }
    }
    // Half a year (RFC 6797). A server that has a certificate now is expected to keep one.
    if isEncrypted { response.headers[.strictTransportSecurity] = "max-age=15768000" }
    if request.method == .head { response = response.headOnly }
    log?.write(request, Int(response.status.code), caller.address, since: start)
    return response
  }

  private func response(to request: Request, from caller: Caller) async -> Response {
    let path = request.uri.path
    if request.method == .options, site.crossOrigin(request.headers[.origin], path: path) != .none { return Self.preflight }
    do throws(Problem) {
      switch ShellCall.all.find(request.method.rawValue, ShellCall.aliases[path] ?? path) {
      case nil: return try await answerOfSite(to: request, from: caller).get()
      case .otherMethods(let methods): throw .otherMethods(methods, path)
      case .call(let call, _):
        try limits.require(call.limit, call.name, of: caller)
        return try answer(call.handler, path).response
      }
    } catch {
      return error.answer.response
    }
  }

  /// What the site answers. It is made in a task of its own: a task keeps the memory of all that it has called until it ends, and that of a connection
  /// that listens to messages ends hours later. The task begins at once, on the thread of its caller.
  private func answerOfSite(to request: Request, from caller: Caller) async -> Result<Response, Problem> {
    let task = Task.immediate { [site] () -> Result<Response, Problem> in
      do throws(Problem) { return .success(try await site.respond(to: request, from: caller)) } catch { return .failure(error) }
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func answer(_ call: ShellCall, _ path: String) throws(Problem) -> Answer {
    switch call {
    case .getHealth: return Answer(.ok, "text/plain", Array("ok\n".utf8))
    case .getReady:
      try site.checkReadiness()
      return Answer(.ok, "text/plain", Array("ready\n".utf8))
    case .getMetrics:
      guard let metrics = site.metrics else { throw .nothing(at: path) }
      return Answer(.ok, "text/plain; version=0.0.4; charset=utf-8", Array(metrics.utf8))
    case .getOpenAPI:
      guard let document = site.openAPI else { throw .nothing(at: path) }
      var answer = Answer(.ok, document)
      answer.sharedName = path
      return answer
    }
  }

  private static var preflight: Response {
    var response = Answer.noContent.response
    response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, PATCH, DELETE"
    response.headers[.accessControlAllowHeaders] =
      "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range, metadata-api-key"
    response.headers[.accessControlMaxAge] = "600"
    return response
  }
}
