import Foundation
import HLSPlaylist
import Testing

@testable import NetworkInput

@Suite struct AnswerTests {
  private func head(_ text: String) -> Result<AnswerHead, NetworkInputError.Reason> {
    do throws(NetworkInputError.Reason) {
      return .success(try AnswerHead(parsing: Array(text.utf8)[...]))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n\r\n", AnswerHead(status: 200)), ("HTTP/1.0 200\r\n\r\n", AnswerHead(status: 200)),
    ("HTTP/1.1 404 \n\n", AnswerHead(status: 404)),
    ("HTTP/1.1 200 OK\r\ncontent-LENGTH: \t12 \r\nContent-Length:12\r\n\r\n", AnswerHead(status: 200, contentLength: 12)),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: Chunked\r\n\r\n", AnswerHead(status: 200, isChunked: true)),
    (
      "HTTP/1.1 206 P\r\nContent-Range: bytes 2-7/*\r\nContent-Encoding: identity\r\n\r\n",
      AnswerHead(status: 206, part: .init(first: 2, last: 7))
    ),
    ("HTTP/1.1 206 P\r\nContent-Range: bytes 7-2/9\r\n\r\n", AnswerHead(status: 206)),
    ("HTTP/1.1 302 F\r\nLocation: /ä b\r\nX:\r\n\r\n", AnswerHead(status: 302, location: "/ä b")),
    ("HTTP/1.1 404 N\r\nContent-Encoding: gzip\r\n\r\n", AnswerHead(status: 404)),
  ])
  func readsAHead(text: String, expected: AnswerHead) {
    #expect(head(text) == .success(expected))
    #expect(AnswerHead.end(in: Array(text.utf8).span) == text.utf8.count)
  }

  @Test(arguments: [
    ("", NetworkInputError.Fault.statusLine), ("\r\n\r\n", .statusLine),
    ("ICY 200 OK\r\n\r\n", .statusLine), ("HTTP/2 200\r\n\r\n", .statusLine),
    ("HTTP/1.1 20\r\n\r\n", .statusLine), ("HTTP/1.1 2000\r\n\r\n", .statusLine), ("HTTP/1.1 +20\r\n\r\n", .statusLine),
    ("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", .field), ("HTTP/1.1 200 OK\r\n: none\r\n\r\n", .field),
    ("HTTP/1.1 200 OK\r\nA: b\r\n folded: c\r\n\r\n", .field), ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .field),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .length), ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .length),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .length),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .length),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferEncoding),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", .contentEncoding),
  ])
  func refusesADamagedHead(text: String, fault: NetworkInputError.Fault) {
    #expect(head(text) == .failure(.malformed(fault)))
  }

  /// The content of a chunked body that comes in pieces of `size` bytes, whether it was whole, and what was wrong.
  private func content(_ bytes: [UInt8], piece size: Int) -> (String, Bool, NetworkInputError.Reason?) {
    var framing = BodyFraming(AnswerHead(status: 200, isChunked: true))
    var taken: [UInt8] = []
    do throws(NetworkInputError.Reason) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        var rest = Array(bytes[start..<min(start + size, bytes.count)])
        while !rest.isEmpty {
          let range = try framing.take(from: rest.span)
          taken += rest[range]
          rest.removeFirst(range.upperBound)
        }
      }
      return (String(decoding: taken, as: UTF8.self), framing.isComplete, nil)
    } catch {
      return (String(decoding: taken, as: UTF8.self), framing.isComplete, error)
    }
  }

  @Test(arguments: 1...9)
  func readsChunks(piece: Int) {
    let bytes = Array("5\r\nhello\r\n01;name=\"value\"\r\n,\r\n6 \r\n world\r\n000\r\nA: b\r\nC: d\r\n\r\n".utf8)
    #expect(content(bytes, piece: piece) == ("hello, world", true, nil))
    // Cut off anywhere it is not whole.
    for count in bytes.indices { #expect(content(Array(bytes[..<count]), piece: piece).1 == false) }
  }

  @Test(arguments: [
    "x\r\n", "\r\n", "5\n", "5\r5", "5;\n",
    "1\r\nab\r\n", "1\r\na\rb", "1\r\na\n", "0\r\n\n", "0\r\na\n", "0\r\n\r\r", "-1\r\n", "FFFFFFFFFFFF\r\n",
    "0\r\n" + String(repeating: "a", count: 20_000),
  ])
  func refusesDamagedChunks(text: String) {
    for piece in [1, 64] { #expect(content(Array(text.utf8), piece: piece).2 == .malformed(.chunk)) }
  }

  @Test func requestsWhatTheURLSays() throws {
    let address = try WebAddress(URIReference("HTTPS://Example.com/a b/ü\r\n?c=<d>%20#e"))
    #expect(
      String(decoding: address.request(for: ByteRange(length: 10, offset: 5)), as: UTF8.self) == """
        GET /a%20b/%C3%BC%0D%0A?c=%3Cd%3E%20 HTTP/1.1\r
        Host: Example.com\r
        User-Agent: cuelight/0.1\r
        Accept: */*\r
        Accept-Encoding: identity\r
        Connection: close\r
        Range: bytes=5-14\r
        \r

        """)
    #expect(address.url.text == "HTTPS://Example.com/a b/ü\r\n?c=<d>%20")
    #expect(address.port == 443)
    let other = try WebAddress(URIReference("http://[::1]:8080"))
    #expect([other.host, "\(other.port)", "\(other.isSecure)"] == ["[::1]", "8080", "false"])
    #expect(String(decoding: other.request(for: nil), as: UTF8.self).hasPrefix("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n"))
  }

  @Test(arguments: [
    ("show.m3u8", NetworkInputError.Reason.unsupportedScheme("")), ("file:///a", .unsupportedScheme("file")), ("http:", .invalidURL),
    ("http:///a", .invalidURL), ("http://:80/", .invalidURL), ("http://a b/", .invalidURL), ("http://a:b/", .invalidURL),
    ("http://a:0/", .invalidURL), ("http://a:65536/", .invalidURL), ("http://me:secret@a/", .invalidURL), ("http://ä/", .invalidURL),
    ("http://[::1/", .invalidURL), ("http://[]/", .invalidURL), ("http://[::1]x/", .invalidURL),
  ])
  func refusesOtherURLs(url: String, reason: NetworkInputError.Reason) {
    #expect(throws: NetworkInputError(url: url, reason: reason)) { _ = try NetworkInput(url: url) }
  }

  @Test func explainsItself() {
    func text(_ reason: NetworkInputError.Reason) -> String { "\(NetworkInputError(url: "http://a/b.ts", reason: reason))" }
    #expect(text(.notFound(status: 404)) == "http://a/b.ts: the server does not have it (HTTP 404)")
    #expect(text(.cutOff(received: 10, expected: 20)) == "http://a/b.ts: the answer was cut off after 10 of 20 bytes")
    #expect(text(.timedOut(.end)) == "http://a/b.ts: it took too long as a whole")
    #expect(text(.malformed(.chunk)) == "http://a/b.ts: the server's answer is not understood: a chunk is damaged")
    #expect(text(.unsupportedScheme("ftp")) == "http://a/b.ts: leads to ftp:, which is neither http nor https")
    #expect(text(.interrupted) == "interrupted")
  }
}
