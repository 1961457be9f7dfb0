import Testing

@testable import LiveInterface

/// Which call a request is.
@Suite struct EndpointTests {
  /// What a path has, so that it can be compared.
  private enum Found: Equatable {
    case endpoint(Endpoint, [String: String])
    case otherMethods([String])
  }

  private func route(_ method: String, _ path: String) -> Found? {
    Endpoint.allCases.find(method, path).map { found in
      switch found {
      case .call(let endpoint, let parts): .endpoint(endpoint, parts)
      case .otherMethods(let methods): .otherMethods(methods)
      }
    }
  }

  @Test func calls() {
    let cases: [(String, String, Endpoint, [String: String])] = [
      ("POST", "/v1/streams/live/events", .postEvent, ["stream": "live"]),
      ("GET", "/v1/streams/live/events", .listEvents, ["stream": "live"]),
      ("GET", "/v1/streams/live/events/a", .getEvent, ["stream": "live", "guid": "a"]),
      ("PUT", "/v1/streams/live/events/a", .putEvent, ["stream": "live", "guid": "a"]),
      ("DELETE", "/v1/streams/live/events/a", .deleteEvent, ["stream": "live", "guid": "a"]),
      ("POST", "/v1/streams/live/events:batch", .postBatch, ["stream": "live"]),
      ("PUT", "/v1/streams/live/cues", .putCues, ["stream": "live"]),
      ("POST", "/v1/streams/live/next", .postNext, ["stream": "live"]), ("POST", "/v1/streams/live/input", .postInput, ["stream": "live"]),
      ("GET", "/v1/streams/live/now", .getNow, ["stream": "live"]),
      ("GET", "/v1/streams/live/stream", .getStream, ["stream": "live"]),
      ("GET", "/live/show/index.m3u8", .getPresentation, ["stream": "show", "file": "index.m3u8"]),
      ("GET", "/live/show/~1.A/index.m3u8", .getPresentationByPass, ["stream": "show", "pass": "~1.A", "file": "index.m3u8"]),
      ("GET", "/v1/status", .getStatus, [:]),
      ("GET", "/v1/streams/live/events/a/reach", .getReach, ["stream": "live", "guid": "a"]),
      ("POST", "/v1/streams/live/cmcd", .postReports, ["stream": "live"]),
    ]
    #expect(cases.map(\.2) == Endpoint.allCases)
    for (method, path, endpoint, parts) in cases { #expect(route(method, path) == .endpoint(endpoint, parts), "\(method) \(path)") }
  }

  /// A part of a path may hold anything, in percent-encoding.
  @Test func parts() {
    for (part, text) in [
      ("a%2Fb", "a/b"), ("%C3%A9", "é"), ("a%20b", "a b"), ("a+b", "a+b"), ("a%3Fb%23", "a?b#"), ("..", ".."), ("%2E%2E", ".."),
      ("a:b", "a:b"),
      ("%25", "%"),
    ] {
      #expect(route("GET", "/v1/streams/live/events/\(part)") == .endpoint(.getEvent, ["stream": "live", "guid": text]))
      #expect(route("GET", "/live/\(part)/x") == .endpoint(.getPresentation, ["stream": text, "file": "x"]))
    }
    for part in ["", "%FF", "%C3"] { #expect(route("GET", "/v1/streams/live/events/\(part)") == nil, "\(part)") }
  }

  /// A varying part may have an ending.
  @Test func endings() {
    let template = "/apps/{app}/streams/{stream}:send"
    #expect("/apps/a/streams/b%3Ac:send".parts(of: template) == ["app": "a", "stream": "b:c"])
    for path in ["/apps/a/streams/b", "/apps/a/streams/:send", "/apps/a/streams/b:sent", "/apps//streams/b:send"] {
      #expect(path.parts(of: template) == nil, "\(path)")
    }
  }

  /// A path is made again of its parts.
  @Test func paths() {
    let route = Route("GET", "/v1/streams/{stream}/events/{guid}")
    #expect(route.names == ["stream", "guid"] && route.methods == ["GET", "HEAD"] && Route("PUT", "/x").methods == ["PUT"])
    #expect(route.path(["stream": "b/c", "guid": "a/..%"]) == "/v1/streams/b%2Fc/events/a%2F..%25")
  }

  @Test func head() {
    for endpoint in Endpoint.allCases {
      let path = endpoint.route.path.replacing("{", with: "").replacing("}", with: "")
      guard case .endpoint(let found, _)? = route("HEAD", path) else {
        // There is no GET at this path, and so no HEAD.
        #expect(Endpoint.allCases.allSatisfy { $0.route.path != endpoint.route.path || $0.route.method != "GET" })
        continue
      }
      #expect(found.route == Route("GET", endpoint.route.path))
    }
  }

  @Test func otherMethods() {
    #expect(route("PUT", "/v1/streams/live/events") == .otherMethods(["POST", "GET", "HEAD"]))
    #expect(route("POST", "/v1/streams/live/events/a") == .otherMethods(["GET", "HEAD", "PUT", "DELETE"]))
    #expect(route("GET", "/v1/streams/live/events:batch") == .otherMethods(["POST"]))
    #expect(route("HEAD", "/v1/streams/live/next") == .otherMethods(["POST"]))
    // Methods have upper-case letters.
    #expect(route("get", "/v1/streams/live/now") == .otherMethods(["GET", "HEAD"]))
  }

  @Test(
    arguments: [
      "", "/", "/v1", "/v1/", "/v2/streams/live/now", "/v1/streams/live", "/v1/streams//now", "/v1/streams/live/now/", "//health",
      "/health/",
      "/Health", "/live/show", "/live/show/a/b/c", "/v1/streams/live/events/a/b", "health", "/v1/openapi.json/",
    ]) func pathsWithoutACall(path: String)
  {
    #expect(route("GET", path) == nil)
  }

  @Test func scopes() {
    #expect(Endpoint.allCases.filter { $0.scope == .read } == [.getNow, .getStream, .getStatus, .getReach])
    #expect(Endpoint.allCases.filter { $0.scope == .view } == [.getPresentation, .getPresentationByPass, .postReports])
    #expect(!Endpoint.allCases.contains { $0.scope == .manage })
    #expect(Endpoint.Scope.view < .read && Endpoint.Scope.read < .publish && Endpoint.Scope.publish < .manage)
  }
}
