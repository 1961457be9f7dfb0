import TestSupport
import Testing

@testable import HTTPClient

private func limits(time: Duration = .seconds(20)) -> NetworkLimits {
  var limits = NetworkLimits(time: time, redirects: 5)
  limits.headSize = 4096
  return limits
}

@Suite(.enabled(if: Servers.plain != nil, "python3 is not installed: apt-get install python3"))
struct CurlTransferTests {
  private let server: HostileServer

  init() throws { server = try #require(Servers.plain) }

  private func load(
    _ url: String, _ limits: NetworkLimits, pool: HandlePool = .shared
  ) throws(NetworkInputError.Reason) -> [UInt8] {
    var transfer = try CurlTransfer.open(WebRequest(url: url), limits: limits, pool: pool)
    var bytes: [UInt8] = []
    while try transfer.fill() { bytes += transfer.content }
    return bytes
  }

  private func text(_ target: String) throws -> String {
    String(decoding: try load(server.url(target), limits()), as: UTF8.self)
  }

  @Test func tellsWhatTheServerSays() throws {
    var transfer = try CurlTransfer.open(WebRequest(url: server.url("/a b/../bytes/300?ü#end")), range: 10...19, limits: limits())
    #expect(transfer.head.status == 206)
    #expect(transfer.head["content-range"] == "bytes 10-19/300")
    #expect(transfer.contentLength == 10)
    #expect(transfer.finalURL == server.url("/bytes/300?%c3%bc#end"))
    #expect(try transfer.fill())
    #expect(transfer.content.count == 10)
    #expect(transfer.content[0] == 10)
    #expect(try !transfer.fill())
    #expect(try !transfer.fill())
    #expect(transfer.content.count == 0)
    #expect(try text("/-/requests").contains("/bytes/300?%c3%bc bytes=10-19\n"))
  }

  @Test func keepsConnections() throws {
    let server = try HostileServer()
    // A pool of its own: the tests beside this one take handles out of the shared one.
    let pool = HandlePool()
    for count in 1...10 { #expect(try load(server.url("/bytes/\(count)?keep=1"), limits(), pool: pool).count == count) }
    #expect(String(decoding: try load(server.url("/-/connections"), limits(), pool: pool), as: UTF8.self) == "1")
    // One that was given up in the middle is not used again; neither is one that the server has closed.
    _ = try CurlTransfer.open(WebRequest(url: server.url("/bytes/9?keep=1&endless=1")), limits: limits(), pool: pool)
    #expect(String(decoding: try load(server.url("/-/connections"), limits(), pool: pool), as: UTF8.self) == "3")
  }

  @Test func receivesNothingWhileNobodyReads() throws {
    var transfer = try CurlTransfer.open(WebRequest(url: server.url("/bytes/9?endless=1")), limits: limits())
    var total = 0
    while total < 64 << 20 {
      #expect(try transfer.fill())
      // A megabyte, and the piece that came last.
      #expect(transfer.content.count <= 3 << 19)
      total += transfer.content.count
    }
  }

  @Test func staysFailed() throws {
    var transfer = try CurlTransfer.open(WebRequest(url: server.url("/bytes/2000?cut=10")), limits: limits())
    #expect(try transfer.fill())
    #expect(transfer.content.count == 10)
    for _ in 1...2 { #expect(throws: NetworkInputError.Reason.cutOff(received: 0, expected: nil)) { _ = try transfer.fill() } }
    #expect(transfer.content.count == 0)
  }

  @Test func saysWhatFailed() throws {
    func failure(_ url: String) -> String? {
      do throws(NetworkInputError.Reason) {
        _ = try load(url, limits())
        return nil
      } catch {
        guard case .connection(let text) = error else { return "\(error)" }
        return text
      }
    }
    // Nobody listens on TCP's port multiplexer nowadays.
    #expect(try #require(failure("http://127.0.0.1:1/")).contains("connect to 127.0.0.1"))
    // A name that is never known (RFC 6761, 6.4).
    #expect(failure("http://nowhere.invalid/") == "Could not resolve host: nowhere.invalid")
  }

  @Test func stopsBeforeItBegins() {
    #expect(throws: NetworkInputError.Reason.interrupted) {
      _ = try CurlTransfer.open(WebRequest(url: server.url("/never")), limits: limits()) { true }
    }
    #expect(throws: NetworkInputError.Reason.timedOut(.end)) {
      _ = try CurlTransfer.open(WebRequest(url: server.url("/never")), limits: limits(time: .zero))
    }
  }
}

@Suite struct WebAddressTests {
  @Test(arguments: [
    ("HTTPS://Example.com/a b/ü?c=d e", "https://Example.com/a%20b/%c3%bc?c=d+e"), ("http://[::1]:8080", "http://[::1]:8080/"),
    ("http://a/%2e%41?b=%zz", "http://a/%2e%41?b=%zz"),
  ])
  func encodesWhatMayNotStandInAURL(text: String, url: String) throws {
    #expect(try WebAddress(text, .found()).url == url)
  }

  @Test(arguments: [
    (Duration.zero, 1), (.milliseconds(-5), 1), (.microseconds(1500), 1), (.milliseconds(1234), 1234), (.seconds(Int64.max), 2_000_000_000),
    (.seconds(Int64.min), 1),
  ])
  func countsMilliseconds(duration: Duration, milliseconds: Int) { #expect(duration.milliseconds == milliseconds) }
}
