import HLSPlaylist
@testable import HTTPClient
import TestSupport
import Testing

@Suite(.enabled(if: Servers.plain != nil, "python3 is not installed: apt-get install python3"))
struct NetworkInputTests {
  private let server: HostileServer

  init() throws { server = try #require(Servers.plain) }

  /// What comes of a resource that loads.
  private func whole(_ target: String, _ count: Int, size: Int?) -> Result<Loaded, NetworkInputError> {
    .success(Loaded(bytes: pattern(count), size: size, finalURL: server.url(target)))
  }

  private func failure(_ target: String, _ reason: NetworkInputError.Reason) -> Result<Loaded, NetworkInputError> {
    .failure(NetworkInputError(url: server.url(target), reason: reason))
  }

  @Test(arguments: [0, 1, 999, 1000, 1001, 700_000], ["length", "chunked", "none"])
  func readsAResourceWhole(count: Int, framing: String) {
    let target = "/bytes/\(count)?framing=\(framing)&trailer=1"
    #expect(load(server.url(target)) == whole(target, count, size: framing == "length" ? count : nil))
  }

  @Test(arguments: ["length", "chunked", "none"])
  func readsWhatComesInDrips(framing: String) {
    let target = "/bytes/60?framing=\(framing)&chunk=7&drip=0.001"
    #expect(load(server.url(target)) == whole(target, 60, size: framing == "length" ? 60 : nil))
  }

  @Test(arguments: [
    ("?cut=0", 0, 2000), ("?cut=10", 10, 2000), ("?reset=0", 0, 2000), ("?reset=10", 10, 2000), ("?framing=chunked&cut=10", 10, nil),
    // At the end of a chunk.
    ("?framing=chunked&cut=1000", 1000, nil), ("?framing=chunked&cut=2000", 2000, nil), ("?silent=1", 0, nil),
  ])
  func noticesWhatIsCutOff(query: String, received: Int, expected: Int?) {
    let target = "/bytes/2000" + query
    var delivered = 0
    let result = load(server.url(target), delivered: &delivered)
    #expect(result == failure(target, .cutOff(received: received, expected: expected)))
    #expect(delivered == received)
  }

  @Test(arguments: [
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", nil),
    // What follows the content is not read. (On a connection that is kept it would belong to the next answer.)
    ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\n\0\u{1}\u{2}\u{3}", NetworkInputError.Reason?.none),
    ("HTTP/1.0 200 OK\n\n\0\u{1}\u{2}", nil),
    ("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\0\u{1}\u{2}\r\n0\r\n\r\nmore", nil),
    ("", .cutOff(received: 0, expected: nil)),
    ("HTTP/1.1 200 OK\r\nA: b\r\n", .cutOff(received: 0, expected: nil)), ("SSH-2.0-server\r\n\r\n", .malformed(.statusLine)),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302\r\n\r\n", .malformed(.location)),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .cutOff(received: 0, expected: nil)),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n", .malformed(.transferEncoding)),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", .malformed(.contentEncoding)),
    ("HTTP/1.1 404 N\r\nContent-Encoding: gzip\r\n\r\n", .notFound(status: 404)),
  ])
  func readsAnswersAsTheyAre(answer: String, reason: NetworkInputError.Reason?) {
    let encoded = answer.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    for drip in ["", "&drip=0.0001"] {
      let target = "/raw?raw=\(encoded)\(drip)"
      let count = answer.contains("\0") ? 3 : 0
      let expected = reason.map { failure(target, $0) } ?? whole(target, count, size: answer.contains("Length") ? 3 : nil)
      #expect(load(server.url(target)) == expected)
    }
  }

  @Test(arguments: [
    (404, NetworkInputError.Reason.notFound(status: 404), false), (410, .notFound(status: 410), false), (400, .refused(status: 400), false),
    (401, .refused(status: 401), false), (403, .refused(status: 403), false), (429, .refused(status: 429), true),
    (500, .server(status: 500), true), (503, .server(status: 503), true), (204, .unexpected(status: 204), false),
    (206, .malformed(.range), false), (302, .malformed(.location), false), (304, .unexpected(status: 304), false),
    (999, .unexpected(status: 999), false),
  ])
  func tellsStatusesApart(status: Int, reason: NetworkInputError.Reason, isWorthRetrying: Bool) {
    let target = "/bytes/10?status=\(status)"
    #expect(load(server.url(target)) == failure(target, reason))
    #expect(NetworkInputError(url: "", reason: reason).isWorthRetrying == isWorthRetrying)
  }

  @Test(arguments: ["status=503", "cut=3", "reset=3", "silent=1", "framing=chunked&cut=5&chunk=5"])
  func succeedsWhenTriedAgain(query: String) throws {
    let target = "/bytes/10?\(query)&times=2"
    for _ in 1...2 {
      guard case .failure(let error) = load(server.url(target)) else {
        Issue.record("it succeeds at once")
        return
      }
      #expect(error.isWorthRetrying)
    }
    #expect(load(server.url(target)) == whole(target, 10, size: 10))
    #expect(try server.parts(askedOf: target) == ["-", "-", "-"])
  }

  @Test func followsRedirects() {
    let limits = NetworkLimits(redirects: 3)
    let last = server.url("/bytes/10?hops=0")
    #expect(load(server.url("/bytes/10?hops=3"), nil, limits) == .success(Loaded(bytes: pattern(10), size: 10, finalURL: last)))
    #expect(load(server.url("/bytes/10?hops=4"), nil, limits) == failure("/bytes/10?hops=4", .tooManyRedirects(limit: 3)))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func followsEveryKindOfRedirect(status: Int) throws {
    let target = "/a/list?status=\(status)&redirect=../bytes/7"
    let part = ByteRange(length: 2, offset: 3)
    let loaded = Loaded(bytes: [3, 4], size: 2, finalURL: server.url("/bytes/7"))
    #expect(load(server.url(target), part) == .success(loaded))
    #expect(try server.parts(askedOf: target) == ["bytes=3-4"])
  }

  @Test func tellsWhatIsNotHTTPBehindARedirect() {
    let target = "/bytes/1?redirect=/raw%3Fraw=SSH-2.0-server%0d%0a"
    #expect(load(server.url(target)) == failure(target, .malformed(.statusLine)))
  }

  @Test func givesUpOnALoop() throws {
    #expect(load(server.url("/around?loop=1")) == failure("/around?loop=1", .tooManyRedirects(limit: 8)))
    #expect(try server.parts(askedOf: "/around?loop=1").count == 9)
  }

  @Test(arguments: [
    ("file:///etc/hostname", NetworkInputError.Reason.unsupportedScheme("file")), ("ftp://127.0.0.1/a", .unsupportedScheme("ftp")),
    ("concat:a", .unsupportedScheme("concat")), ("http://", .invalidURL), ("//me@127.0.0.1/", .invalidURL),
    ("http://127.0.0.1:99999/", .invalidURL), ("http://127.0.0.1%3Flisten=1/", .invalidURL),
  ])
  func followsNoRedirectElsewhere(location: String, reason: NetworkInputError.Reason) {
    let target = "/bytes/1?redirect=" + location.replacing("%", with: "%25")
    #expect(load(server.url(target)) == failure(target, reason))
    #expect(!NetworkInputError(url: "", reason: reason).isWorthRetrying)
  }

  @Test(arguments: ["", "&framing=chunked", "&framing=none", "&drip=0.0001"], ["on", "off"])
  func readsAPart(framing: String, ranges: String) throws {
    let target = "/bytes/1000?range=\(ranges)\(framing)"
    let part = ByteRange(length: 300, offset: 400)
    let loaded = Loaded(bytes: Array(pattern(1000)[400..<700]), size: 300, finalURL: server.url(target))
    #expect(load(server.url(target), part) == .success(loaded))
    #expect(try server.parts(askedOf: target) == ["bytes=400-699"])
  }

  @Test func readsAPartFromTheStartAndToTheEnd() {
    let url = server.url("/bytes/1000")
    #expect(load(url, ByteRange(length: 1000, offset: 0)) == .success(Loaded(bytes: pattern(1000), size: 1000, finalURL: url)))
    #expect(load(url, ByteRange(length: 1, offset: 999)) == .success(Loaded(bytes: [246], size: 1, finalURL: url)))
  }

  @Test func refusesAnotherPart() {
    let part = ByteRange(length: 300, offset: 400)
    func check(_ target: String, _ part: ByteRange, _ reason: NetworkInputError.Reason) {
      #expect(load(server.url(target), part) == failure(target, reason))
    }
    check("/bytes/1000?range=wrong", part, .malformed(.range))
    check("/bytes/1000?range=short", part, .cutOff(received: 150, expected: 300))
    check("/bytes/600", part, .cutOff(received: 200, expected: 300))
    check("/bytes/600?range=off", part, .cutOff(received: 200, expected: 300))
    check("/bytes/400", part, .refused(status: 416))
    check("/bytes/400?range=off", part, .cutOff(received: 0, expected: 300))
    check("/bytes/400", ByteRange(length: 0, offset: 0), .invalidRange)
    check("/bytes/400", ByteRange(length: 5, offset: .max), .invalidRange)
    check("/bytes/400", ByteRange(length: 5, offset: UInt64(Int.max)), .invalidRange)
  }

  @Test(arguments: ["endless=1&", ""], ["framing=length", "framing=chunked", "framing=none"])
  func stopsAtTheLimit(endless: String, framing: String) {
    let target = "/bytes/3000000?\(endless)\(framing)"
    var delivered = 0
    let result = load(server.url(target), nil, NetworkLimits(bytes: 1_000_000), delivered: &delivered)
    #expect(result == failure(target, .tooLarge(limit: 1_000_000)))
    #expect(delivered <= 1_000_000)
  }

  @Test func countsWhatIsSkipped() {
    let limits = NetworkLimits(bytes: 1000)
    let part = ByteRange(length: 1000, offset: 2000)
    #expect(load(server.url("/bytes/9000?range=off"), part, limits) == failure("/bytes/9000?range=off", .tooLarge(limit: 1000)))
    let loaded = Loaded(bytes: Array(pattern(3000)[2000...]), size: 1000, finalURL: server.url("/bytes/9000"))
    #expect(load(server.url("/bytes/9000"), part, limits) == .success(loaded))
    #expect(load(server.url("/bytes/9000"), ByteRange(length: 1001, offset: 0), limits) == failure("/bytes/9000", .tooLarge(limit: 1000)))
    // Just as large as the limit.
    #expect(load(server.url("/bytes/1000?limit"), nil, limits) == whole("/bytes/1000?limit", 1000, size: 1000))
  }
}
