import Testing

@testable import LiveInterface

/// Where a live stream is called.
@Suite struct StreamAddressTests {
  @Test(arguments: [
    ("http://a", "http://a", "live"), ("http://a:8080/", "http://a:8080", "live"), ("HTTPS://[::1]:80", "HTTPS://[::1]:80", "live"),
    ("http://a/v1/streams/show", "http://a", "show"), ("http://a/v1/streams/show///", "http://a", "show"),
    ("http://a/studio", "http://a/studio", "live"), ("http://a/studio/v1/streams/b%2Fc%20d", "http://a/studio", "b/c d"),
    ("http://a/v1/streamsx", "http://a/v1/streamsx", "live"),
  ])
  func addresses(url: String, server: String, name: String) throws {
    let address = try StreamAddress(url)
    #expect(address.server == server && address.name == name)
  }

  @Test(arguments: [
    ("/live/show/index.m3u8", "/v1/streams/show/cmcd"), ("http://a/x/live/b%2Fc/index.m3u8", "http://a/x/v1/streams/b%2Fc/cmcd"),
    ("/live/show/~pass/index.m3u8?token=t", "/v1/streams/show/cmcd?token=t"), ("https://cdn.example/show/index.m3u8", nil),
    ("/live/", nil), ("/live/index.m3u8", nil), ("/live//index.m3u8", nil), ("", nil),
  ])
  func reports(presentation: String, address: String?) { #expect(StreamAddress.reports(of: presentation) == address) }

  @Test func urls() throws {
    let address = try StreamAddress("http://a/x/v1/streams/b%2Fc")
    #expect(address.url(of: .postEvent) == "http://a/x/v1/streams/b%2Fc/events")
    #expect(address.url(of: .postEvent, waits: true) == "http://a/x/v1/streams/b%2Fc/events?wait=placed")
    #expect(address.url(of: .getEvent, guid: "é /?") == "http://a/x/v1/streams/b%2Fc/events/%C3%A9%20%2F%3F")
    // What the server makes of it.
    let path = String(address.url(of: .deleteEvent, guid: "a/..%").dropFirst("http://a/x".count))
    guard case .call(.deleteEvent, let parts)? = Endpoint.allCases.find("DELETE", path) else { return #expect(Bool(false)) }
    #expect(parts == ["stream": "b/c", "guid": "a/..%"])
    #expect(try StreamAddress(StreamAddress.usual).url(of: .getNow) == "http://127.0.0.1:8080/v1/streams/live/now")
  }

  @Test(arguments: [
    ("", "the server is a URL such as http://127.0.0.1:8080, not \"\""),
    ("ftp://a", "the server is a URL such as http://127.0.0.1:8080, not \"ftp://a\""),
    ("http://", "the server is a URL such as http://127.0.0.1:8080, not \"http://\""),
    ("http:a", "the server is a URL such as http://127.0.0.1:8080, not \"http:a\""),
    ("http://a/v1/streams", "the URL of a stream ends with /v1/streams/NAME, and \"http://a/v1/streams\" does not"),
    ("http://a/v1/streams/b/events", "the URL of a stream ends with /v1/streams/NAME, and \"http://a/v1/streams/b/events\" does not"),
    ("http://a/v1/streams/%FF", "the URL of a stream ends with /v1/streams/NAME, and \"http://a/v1/streams/%FF\" does not"),
    ("http://me:secret@a", "the server is a URL without a user, ? and #; a token comes from a file or the environment"),
    ("http://a?token=secret", "the server is a URL without a user, ? and #; a token comes from a file or the environment"),
    ("http://127.0.0.1:99999", "a port is a number from 1 to 65535, and that of \"http://127.0.0.1:99999\" is not"),
    ("http://[::1]:0", "a port is a number from 1 to 65535, and that of \"http://[::1]:0\" is not"),
    ("http://a:8x", "a port is a number from 1 to 65535, and that of \"http://a:8x\" is not"),
    ("http://a#b", "the server is a URL without a user, ? and #; a token comes from a file or the environment"),
    ("ftp://me:secret@a?token=secret", "the server is a URL such as http://127.0.0.1:8080, not \"ftp://a\""),
  ])
  func otherTexts(url: String, message: String) {
    #expect(throws: StreamAddress.Mistake(description: message)) { try StreamAddress(url) }
  }
}
