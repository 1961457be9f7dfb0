import TestSupport
import Testing

@testable import HTTPClient

/// Requests that send something, and answers of any status.
@Suite(.enabled(if: Servers.plain != nil, "python3 is not installed: apt-get install python3")) struct WebAnswerTests {
  private let server: HostileServer

  init() throws { server = try HostileServer() }

  private func answer(_ request: WebRequest, bytes: Int = 1 << 20) throws(NetworkInputError) -> WebAnswer {
    try WebAnswer(to: request, limits: NetworkLimits(bytes: bytes, time: .seconds(20), redirects: 0))
  }

  private func sent() throws -> [String] {
    String(decoding: try load(server.url("/-/sent")).get().bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Each method sends what it has and nothing that libcurl adds to it.
  @Test func whatIsSent() throws {
    let fields = [WebRequest.Field("Authorization", "Bearer a b"), WebRequest.Field("Content-Type", "application/json")]
    let body = Array("{\"é\":1}".utf8)
    _ = try answer(WebRequest(.post, url: server.url("/bytes/1?a"), fields: fields, body: body))
    _ = try answer(WebRequest(.post, url: server.url("/bytes/1?b"), fields: [WebRequest.Field("X-Empty", "")]))
    _ = try answer(WebRequest(.put, url: server.url("/bytes/1?c"), fields: fields, body: body))
    _ = try answer(WebRequest(.delete, url: server.url("/bytes/1?d"), fields: [fields[0]], body: body))
    _ = try answer(WebRequest(url: server.url("/bytes/1?e"), fields: [fields[0]], body: body))
    let common = "Authorization: Bearer a b | Content-Length: 8 | Content-Type: application/json | {\"é\":1}"
    #expect(
      try sent() == [
        "POST /bytes/1?a | \(common)", "POST /bytes/1?b | Content-Length: 0 | X-Empty: | ", "PUT /bytes/1?c | \(common)",
        "DELETE /bytes/1?d | Authorization: Bearer a b | ", "GET /bytes/1?e | Authorization: Bearer a b | ",
      ])
  }

  /// Much content is sent without a question whether it may be.
  @Test func muchContent() throws {
    let body = [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(try answer(WebRequest(.put, url: server.url("/bytes/2"), body: body)).body == pattern(2))
    let line = try #require(try sent().first)
    #expect(line.hasPrefix("PUT /bytes/2 | Content-Length: 3145728 | aaa") && line.utf8.count > 3 << 20)
  }

  @Test(arguments: [200, 202, 404, 409, 422, 429, 500, 503]) func everyStatusIsAnAnswer(status: Int) throws {
    let found = try answer(WebRequest(.post, url: server.url("/bytes/5?status=\(status)"), body: [1]))
    #expect(found.status == status && found.body == Array("no".utf8) && found["content-length"] == "2" && found["none"] == nil)
  }

  /// What carries a token goes nowhere else.
  @Test func redirectionsAreNotFollowed() throws {
    let url = server.url("/bytes/1?redirect=/bytes/2")
    #expect(throws: NetworkInputError(url: url, reason: .tooManyRedirects(limit: 0))) { try answer(WebRequest(.post, url: url)) }
    #expect(try sent().count == 1)
    #expect("\(NetworkInputError.Reason.tooManyRedirects(limit: 0))" == "it is redirected, which is not followed here")
  }

  /// A redirection that is followed gets the same method and content, and the fields for one origin stay with that.
  @Test func redirectionsGetTheSameContent() throws {
    let other = try HostileServer()
    let access = { (url: String) in WebAccess([.init("Authorization", "Bearer a")], for: url) }
    let limits = NetworkLimits(redirects: 2)
    let connection = WebConnection()
    for (path, expected) in [
      ("/a?redirect=/bytes/2", "PUT /bytes/2 | Authorization: Bearer a | Content-Length: 3 | xyz"),
      ("/b?status=307&redirect=/bytes/3", "PUT /bytes/3 | Authorization: Bearer a | Content-Length: 3 | xyz"),
    ] {
      let url = server.url(path)
      let request = WebRequest(.put, url: url, body: Array("xyz".utf8), access: access(url))
      #expect(try WebAnswer(to: request, over: connection, limits: limits).status == 200)
      #expect(try sent().last == expected)
    }
    let url = server.url("/c?redirect=\(other.url("/bytes/4"))")
    let request = WebRequest(.put, url: url, body: Array("xyz".utf8), access: access(url))
    #expect(try WebAnswer(to: request, over: connection, limits: limits).status == 200)
    let elsewhere = String(decoding: try load(other.url("/-/sent")).get().bytes, as: UTF8.self)
    #expect(elsewhere.hasPrefix("PUT /bytes/4 | Content-Length: 3 | xyz"))
  }

  /// Content goes out in chunks if the request says so.
  @Test func chunkedContent() throws {
    for count in [3, 2 << 20] {
      let fields = [WebRequest.Field("Transfer-Encoding", "chunked")]
      let body = [UInt8](repeating: 0x62, count: count)
      #expect(try answer(WebRequest(.put, url: server.url("/bytes/2"), fields: fields, body: body)).body == pattern(2))
      let line = try #require(try sent().last)
      #expect(line.hasPrefix("PUT /bytes/2 | Transfer-Encoding: chunked | bbb") && line.utf8.count == 44 + count)
    }
  }

  @Test func limits() throws {
    #expect(try answer(WebRequest(url: server.url("/bytes/100")), bytes: 100).body == pattern(100))
    for framing in ["length", "chunked"] {
      let url = server.url("/bytes/101?framing=\(framing)")
      #expect(throws: NetworkInputError(url: url, reason: .tooLarge(limit: 100))) { try answer(WebRequest(url: url), bytes: 100) }
    }
  }

  @Test func whatBreaksIsToldAndWorthAnotherTry() throws {
    for (target, reason) in [
      ("/bytes/100?cut=10", NetworkInputError.Reason.cutOff(received: 10, expected: 100)),
      ("/bytes/100?silent=1", .cutOff(received: 0, expected: nil)),
    ] {
      let error = #expect(throws: NetworkInputError.self) { try answer(WebRequest(.post, url: server.url(target), body: [1])) }
      #expect(error == NetworkInputError(url: server.url(target), reason: reason) && error?.isWorthRetrying == true)
    }
  }

  /// A line break would begin another field, or another request.
  @Test(arguments: ["a\r\nX: y", "a\n", "\0", "\u{7F}"]) func fieldsThatEndEarly(value: String) throws {
    let url = server.url("/bytes/1")
    let error = NetworkInputError(url: url, reason: .invalidField("X-Text"))
    #expect(throws: error) { try answer(WebRequest(url: url, fields: [WebRequest.Field("X-Text", value)])) }
    #expect(
      !error.isWorthRetrying && "\(error)".hasSuffix("the header field X-Text has a line break or another character that it cannot have"))
    #expect(try sent() == [])
  }

  @Test func interrupted() throws {
    let url = server.url("/bytes/1?hang=1")
    #expect(throws: NetworkInputError(url: url, reason: .interrupted)) {
      try WebAnswer(to: WebRequest(.post, url: url), limits: NetworkLimits()) { true }
    }
  }
}
