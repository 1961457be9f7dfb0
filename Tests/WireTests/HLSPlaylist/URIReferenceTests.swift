import HLSPlaylist
import Testing

/// The examples of RFC 3986, 5.4.1 and 5.4.2.
private let resolutions: [(reference: String, target: String)] = [
  ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
  ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
  ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
  ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
  ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
  ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
  ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
  ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
  ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
  ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
]

private let files: [(reference: String, path: String?)] = [
  ("a.ts", "a.ts"), ("./a.ts", "a.ts"), ("v/a.ts?x=1#t", "v/a.ts"), ("v/../a.ts", "a.ts"), ("a%20b.ts", "a b.ts"), ("100%.ts", "100%.ts"),
  ("%41.ts", "A.ts"), ("...", "..."), ("12:30.ts", "12:30.ts"), ("%C3%A4.ts", "ä.ts"), ("a..b/.c", "a..b/.c"),
  ("../a.ts", nil), ("v/../../a.ts", nil), ("/a.ts", nil), ("//host/a.ts", nil), ("file:a.ts", nil), ("file:///a.ts", nil), ("data:,", nil),
  ("http://e.com/a.ts", nil), ("%2e%2e/a.ts", nil), (".%2E/a.ts", nil), ("%2e/a.ts", nil), ("v%2Fa.ts", nil), ("..%2fa.ts", nil),
  ("v%5Ca.ts", nil), ("v\\a.ts", nil), ("a%00.ts", nil), ("%ff.ts", nil), ("", nil), ("?x", nil), ("v/", nil), (".", nil), ("v/..", nil),
  ("v//a.ts", nil), ("%252e%252e/a.ts", "%2e%2e/a.ts"),
]

private let bases: [(base: String, reference: String, target: String)] = [
  ("http://e.com", "a.ts", "http://e.com/a.ts"), ("http://e.com?x", "?y", "http://e.com?y"), ("v/index.m3u8", "a.ts", "v/a.ts"),
  ("index.m3u8", "v/a.ts", "v/a.ts"), ("index.m3u8", "../a.ts", "../a.ts"), ("/v/index.m3u8", "../a.ts", "/a.ts"),
  ("index.m3u8", "..", ".."),
  ("v/i.m3u8", "../../a.ts", "../a.ts"), ("v/i.m3u8", "w/../../../a.ts", "../a.ts"), ("v/i.m3u8", "..", ""), ("v/w/i.m3u8", "..", "v/"),
  ("v/w/i.m3u8", "./x/.", "v/w/x/"), ("v/w/i.m3u8", "../x.ts", "v/x.ts"),
  ("https://e.com/v/i.m3u8?token=a/b", "1.ts", "https://e.com/v/1.ts"), ("https://e.com/v/i.m3u8", "//cdn/1.ts", "https://cdn/1.ts"),
]

@Suite struct URIReferenceTests {
  @Test(
    arguments: [
      ("http://a/b/c", "http://a"), ("https://b.example:8443", "https://b.example:8443"),
      ("https://user:secret@[::1]:80/?x@y", "https://[::1]:80"),
      ("//a/b", nil), ("a.m3u8", nil), ("/a", nil), ("mailto:me@a", nil), ("", nil),
    ] as [(String, String?)]) func origins(text: String, origin: String?)
  {
    #expect(URIReference(text).origin == origin)
  }

  @Test(arguments: resolutions) func resolvesTheExamplesOfTheSpecification(reference: String, target: String) {
    #expect(URIReference(reference).resolve(base: URIReference("http://a/b/c/d;p?q")).text == target)
    #expect(URIReference(reference).text == reference)
  }

  @Test(arguments: bases) func resolvesAgainstOtherBases(_ test: (base: String, reference: String, target: String)) {
    #expect(URIReference(test.reference).resolve(base: URIReference(test.base)).text == test.target)
  }

  @Test(arguments: files) func namesNoFileOutsideTheFolder(reference: String, path: String?) {
    #expect(URIReference(reference).pathWithinFolder == path)
  }

  @Test(arguments: ["a.ts", "v 1/ä.ts", "100%.ts", "a?b#c.ts", "x:1.ts", "v/x:1.ts", "%2e%2e", "\"{$a}\".ts", "[1].ts"])
  func writesReferencesThatNameTheFile(_ path: String) {
    let reference = URIReference(relativePath: path)
    #expect(URIReference(reference.text).pathWithinFolder == path)
    #expect(reference.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "{") })
  }

  @Test func partsAreTakenApart() {
    let reference = URIReference("https://user@e.com:8080/a/b?c=d?e#f#g")
    #expect(reference.scheme == "https")
    #expect(reference.authority == "user@e.com:8080")
    #expect(reference.path == "/a/b")
    #expect(reference.query == "c=d?e")
    #expect(reference.fragment == "f#g")
  }
}
