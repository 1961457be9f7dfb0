import Basics
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import WebShell
@testable import WebSupport

/// What all web servers answer in the same way.
@Suite struct ShellResponderTests {
  /// A site that says what it was asked for.
  private struct Echo: WebSite {
    var access = CrossOriginAccess.caller
    var isReady = true
    var metrics: String? = "numbers\n"
    var openAPI: JSONObject?

    func respond(to request: Request, from caller: Caller) async -> Response {
      Answer(.ok, "text/plain", Array("\(request.method) \(request.uri.path) \(caller.address) \(caller.isLocal)".utf8)).response
    }
    func crossOrigin(_ origin: String?, path: String) -> CrossOriginAccess { access }
    func checkReadiness() throws(Problem) {
      guard isReady else { throw Problem("notReady", .serviceUnavailable, "not yet") }
    }
  }

  /// What a client sees of a response.
  private struct Seen: Equatable {
    var status: Int
    var body: String
    var fields: [String: String]
  }

  private func ask(
    _ method: HTTPRequest.Method, _ path: String, _ fields: [String: String] = [:], of site: Echo = Echo(), isEncrypted: Bool = false,
    log: RequestLog? = nil
  ) async throws -> Seen {
    var headers = HTTPFields()
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers),
      body: RequestBody(buffer: ByteBuffer()))
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 9)
    let context = WebContext(source: ApplicationRequestContextSource(channel: channel, logger: silentLogger()))
    let responder = ShellResponder(site: site, proxies: TrustedProxies([]), log: log, isEncrypted: isEncrypted)
    let response = try await responder.respond(to: request, context: context)
    let (writer, collected) = CollectedBody.make()
    try await response.body.write(writer)
    let shown = ["Access-Control-Allow-Origin", "Allow", "Retry-After", "Strict-Transport-Security", "Content-Type", "Vary"]
    var seen: [String: String] = [:]
    for name in shown { seen[name] = HTTPField.Name(name).flatMap { response.headers[$0] } }
    return Seen(status: Int(response.status.code), body: collected.text, fields: seen)
  }

  private let plain = ["Content-Type": "text/plain"]

  /// Health, readiness and metrics have one set of paths, and the older names work.
  @Test func health() async throws {
    for path in ["/healthz", "/health"] { #expect(try await ask(.get, path) == Seen(status: 200, body: "ok\n", fields: plain)) }
    for path in ["/readyz", "/ready"] {
      #expect(try await ask(.get, path) == Seen(status: 200, body: "ready\n", fields: plain))
      #expect(try await ask(.get, path, of: Echo(isReady: false)).status == 503)
      #expect(try await ask(.head, path).body == "")
      let refused = try await ask(.post, path)
      #expect(refused.status == 405 && refused.fields["Allow"] == "GET, HEAD")
    }
    #expect(try await ask(.get, "/metrics").body == "numbers\n")
    #expect(try await ask(.get, "/metrics", of: Echo(metrics: nil)).status == 404)
    #expect(try await ask(.get, "/v1/openapi.json").status == 404)
    #expect(try await ask(.get, "/v1/openapi.json", of: Echo(openAPI: JSONObject())).body == "{}\n")
    #expect(try await ask(.get, "/healthz/").body == "GET /healthz/ 127.0.0.1 true")
  }

  /// Who calls, and what the client gets of HEAD.
  @Test func callers() async throws {
    #expect(try await ask(.put, "/a?token=1").body == "PUT /a 127.0.0.1 true")
    #expect(try await ask(.get, "/a", ["Via": "1.1 x"]).body == "GET /a 127.0.0.1 false")
    #expect(try await ask(.head, "/a") == Seen(status: 200, body: "", fields: plain))
    #expect(try await ask(.get, "/a", isEncrypted: true).fields["Strict-Transport-Security"] == "max-age=15768000")
  }

  /// Which pages may read a response.
  @Test func origins() async throws {
    let page = ["Origin": "https://show.example"]
    let rows: [(CrossOriginAccess, [String: String], Int, String?)] = [
      (.caller, page, 204, "https://show.example"), (.caller, [:], 204, nil), (.everybody, page, 204, "*"), (.everybody, [:], 204, "*"),
      (.refused, page, 204, nil), (.none, page, 200, nil),
    ]
    for (access, fields, status, allowed) in rows {
      let (read, asked) = (
        try await ask(.get, "/a", fields, of: Echo(access: access)), try await ask(.options, "/a", fields, of: Echo(access: access))
      )
      #expect(read.fields["Access-Control-Allow-Origin"] == allowed && asked.fields["Access-Control-Allow-Origin"] == allowed, "\(access)")
      #expect(asked.status == status, "\(access)")
    }
  }

  /// A line for each request, without its query.
  @Test func log() async throws {
    let lines = Mutex<[JSONObject]>([])
    let log = RequestLog(shownPath: { $0.replacing("secret", with: "{}") }) { line in lines.withLock { $0.append(line) } }
    _ = try await ask(.get, "/a/secret?token=x", ["X-Forwarded-For": "9.9.9.9"], log: log)
    let line = try #require(lines.withLock { $0.first })
    #expect(line["path"]?.string == "/a/{}" && line["status"]?.int == 200 && line["address"]?.string == "127.0.0.1")
    #expect(line.members.map(\.key) == ["at", "method", "path", "status", "milliseconds", "address"])
  }
}
