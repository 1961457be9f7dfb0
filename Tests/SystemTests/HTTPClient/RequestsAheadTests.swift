import HLSPlaylist
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.enabled(if: HostileServer.isAvailable, "python3 is not installed: apt-get install python3"))
struct RequestsAheadTests {
  private let server: HostileServer

  init() throws { server = try HostileServer() }

  private func read(_ target: String, _ range: ByteRange? = nil, from requests: RequestsAhead) throws(NetworkInputError) -> [UInt8] {
    var input = try requests.input(url: server.url(target), byteRange: range, limits: NetworkLimits())
    var bytes: [UInt8] = []
    while try input.fill() { bytes += input.slice }
    return bytes
  }

  private func ask(_ targets: [String], _ requests: RequestsAhead, _ range: ByteRange? = nil) {
    for target in targets { requests.request(url: server.url(target), byteRange: range, limits: NetworkLimits()) }
  }

  /// Each of eight answers takes 0.4 s, and all together hardly more.
  @Test func answersArriveAtTheSameTime() throws {
    let requests = RequestsAhead()
    let targets = (1...8).map { "/bytes/\($0)?delay=0.4" }
    ask(targets, requests)
    let start = ContinuousClock.now
    for (index, target) in targets.enumerated() { #expect(try read(target, from: requests) == pattern(index + 1)) }
    #expect(ContinuousClock.now - start < .seconds(2.4))
    for target in targets { #expect(try server.parts(askedOf: target) == ["-"]) }
  }

  /// Large answers wait for their reader, and faults are those of their own resources.
  @Test func eachIsReadInItsTurn() throws {
    let requests = RequestsAhead()
    let targets = ["/bytes/5000000?a", "/bytes/9?status=404", "/bytes/5000001", "/bytes/2000?cut=10"]
    ask(targets, requests)
    #expect(try read(targets[0], from: requests) == pattern(5_000_000))
    #expect(throws: NetworkInputError(url: server.url(targets[1]), reason: .notFound(status: 404))) { try read(targets[1], from: requests) }
    #expect(try read(targets[2], from: requests) == pattern(5_000_001))
    #expect(throws: NetworkInputError(url: server.url(targets[3]), reason: .cutOff(received: 10, expected: 2_000))) {
      try read(targets[3], from: requests)
    }
    // What was not asked for before is asked for now; so is what was read already.
    #expect(try read("/bytes/3", from: requests) == pattern(3))
    #expect(try read("/bytes/3", from: requests) == pattern(3))
  }

  @Test func partsAreResourcesOfTheirOwn() throws {
    let requests = RequestsAhead()
    let (first, second) = (ByteRange(length: 5, offset: 0), ByteRange(length: 7, offset: 20))
    ask(["/bytes/100"], requests, first)
    ask(["/bytes/100"], requests, second)
    #expect(try read("/bytes/100", second, from: requests) == Array(pattern(27).dropFirst(20)))
    #expect(try read("/bytes/100", first, from: requests) == pattern(5))
  }

  /// What is not wanted any more is given up, and asked for again if it is.
  @Test func requestsAreGivenUp() throws {
    let requests = RequestsAhead()
    ask(["/bytes/4?one", "/bytes/5?two"], requests)
    requests.keep { url, _ in url.hasSuffix("two") }
    #expect(try read("/bytes/5?two", from: requests) == pattern(5))
    #expect(try read("/bytes/4?one", from: requests) == pattern(4))
  }

  @Test func anAddressThatIsNoneIsNamedWhenItIsRead() throws {
    let requests = RequestsAhead()
    requests.request(url: "http://", byteRange: nil, limits: NetworkLimits())
    #expect(throws: NetworkInputError(url: "http://", reason: .invalidURL)) {
      _ = try requests.input(url: "http://", byteRange: nil, limits: NetworkLimits()).size
    }
  }
}

@Suite(.enabled(if: HostileServer.isAvailable, "python3 is not installed: apt-get install python3"))
struct WebAccessTests {
  private let key = WebRequest.Field("X-Key", "7")

  private func sent(_ server: HostileServer) throws -> [String] {
    String(decoding: try load(server.url("/-/sent")).get().bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("http://a.example/x", "http://a.example/y?z", true), ("http://a.example/x", "http://a.example:80/", true),
    ("https://A.example:443/", "HTTPS://a.example/", true), ("http://a.example/", "https://a.example/", false),
    ("http://a.example/", "http://a.example:8080/", false), ("http://a.example/", "http://b.example/", false),
    ("http://a.example/", "http://a.example.b.example/", false), ("show.m3u8", "other.m3u8", false),
  ])
  func oneOriginIsGivenTheFields(first: String, second: String, isSame: Bool) {
    let access = WebAccess([key], for: first)
    #expect(access.fields(for: second) == (isSame ? [key] : []))
    #expect(!access.isEmpty && WebAccess().isEmpty && WebAccess().fields(for: first) == [])
  }

  /// The fields go with redirections within the origin, and with none to another one.
  @Test func redirections() throws {
    let (server, other) = (try HostileServer(), try HostileServer())
    let access = WebAccess([key, .authorization(bearer: "abc")], for: server.url("/"))
    func size(_ url: String) throws(NetworkInputError) -> String {
      let input = try NetworkInput(url: url, access: access)
      return "\(input.finalURL) \(input.size ?? -1)"
    }
    #expect(try size(server.url("/a?redirect=/bytes/5")) == "\(server.url("/bytes/5")) 5")
    #expect(try size(server.url("/b?redirect=\(other.url("/bytes/6"))")) == "\(other.url("/bytes/6")) 6")
    let targets = ["/a?redirect=/bytes/5", "/bytes/5", "/b?redirect=\(other.url("/bytes/6"))"]
    #expect(try sent(server) == targets.map { "GET \($0) | Authorization: Bearer abc | X-Key: 7 | " })
    #expect(try sent(other) == ["GET /bytes/6 | "])
  }

  @Test func redirectionsEnd() throws {
    let server = try HostileServer()
    let access = WebAccess([key], for: server.url("/"))
    #expect(throws: NetworkInputError(url: server.url("/?loop"), reason: .tooManyRedirects(limit: 3))) {
      _ = try NetworkInput(url: server.url("/?loop"), limits: NetworkLimits(redirects: 3), access: access).size
    }
    #expect(throws: NetworkInputError(url: server.url("/f?redirect=ftp://x.example/"), reason: .unsupportedScheme("ftp"))) {
      _ = try NetworkInput(url: server.url("/f?redirect=ftp://x.example/"), access: access).size
    }
  }
}
