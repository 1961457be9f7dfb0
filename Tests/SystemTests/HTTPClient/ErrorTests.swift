import HLSPlaylist
import Testing

@testable import HTTPClient

@Suite struct ErrorTests {
  @Test(arguments: [
    ("show.m3u8", NetworkInputError.Reason.unsupportedScheme("")), ("file:///a", .unsupportedScheme("file")),
    ("ftp://a/", .unsupportedScheme("ftp")),
    ("hls+x://a/", .unsupportedScheme("hls+x")), ("mailto:a", .unsupportedScheme("mailto")),
    ("http:", .invalidURL), ("http://:80/", .invalidURL), ("http://a b/", .invalidURL),
    ("http://a:b/", .invalidURL), ("http://a:65536/", .invalidURL), ("http://me:secret@a/", .invalidURL), ("http://me@a/", .invalidURL),
    ("http://[::1/", .invalidURL), ("http://[]/", .invalidURL), ("http://[::1]x/", .invalidURL), ("http://a/\0b", .invalidURL),
    ("http://a/\r\nX: y", .invalidURL),
  ])
  func refusesOtherURLs(url: String, reason: NetworkInputError.Reason) {
    #expect(load(url) == .failure(NetworkInputError(url: url, reason: reason)))
  }

  @Test(arguments: [
    ("bytes 2-7/*", 2, 7), ("Bytes 0-0/1", 0, 0), ("bytes 3-4", 3, 4),
  ])
  func readsWhichPartItIs(text: String, first: UInt64, last: UInt64) throws {
    let range = try #require(ContentRange(text))
    #expect([range.first, range.last] == [first, last])
  }

  @Test(arguments: [
    "", "bytes", "bytes */10", "bytes 7-2/9", "bytes -2/9", "bytes 2-/9", "bytes +1-2/9", "bytes 1-+2/9", "lines 1-2/3", "bytes 1-2-3/4",
    "bytes 1-99999999999999999999/*",
  ])
  func understandsNoOtherPart(text: String) { #expect(ContentRange(text) == nil) }

  @Test func explainsItself() {
    func text(_ reason: NetworkInputError.Reason) -> String { "\(NetworkInputError(url: "http://a/b.ts", reason: reason))" }
    #expect(text(.notFound(status: 404)) == "http://a/b.ts: the server does not have it (HTTP 404)")
    #expect(text(.cutOff(received: 10, expected: 20)) == "http://a/b.ts: the answer was cut off after 10 of 20 bytes")
    #expect(text(.timedOut(.end)) == "http://a/b.ts: it took too long as a whole")
    #expect(text(.malformed(.head)) == "http://a/b.ts: the server's answer is not understood: its header does not end")
    #expect(text(.unsupportedScheme("ftp")) == "http://a/b.ts: leads to ftp:, which is neither http nor https")
    #expect(text(.untrusted("SSL certificate problem")) == "http://a/b.ts: the server is not trusted: SSL certificate problem")
    #expect(text(.interrupted) == "interrupted")
  }
}
