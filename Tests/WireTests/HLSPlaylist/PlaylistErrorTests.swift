@testable import HLSPlaylist
import Testing

private let head = lines("#EXTM3U", "#EXT-X-TARGETDURATION:10")

/// Text that is refused, and where and why. The first two lines of `media` cases are those of `head`.
private struct Refusal: CustomTestStringConvertible, Sendable {
  let text: String
  let error: PlaylistError

  init(_ text: String, _ reason: PlaylistError.Reason, line: Int, column: Int? = nil) {
    (self.text, error) = (text, PlaylistError(reason, line: line, column: column))
  }

  static func media(_ text: String, _ reason: PlaylistError.Reason, line: Int = 3, column: Int? = nil) -> Refusal {
    Refusal(head + text, reason, line: line, column: column)
  }

  static func multivariant(_ text: String, _ reason: PlaylistError.Reason, line: Int = 2, column: Int? = nil) -> Refusal {
    Refusal("#EXTM3U\n" + text, reason, line: line, column: column)
  }

  var testDescription: String { error.description }
}

private let duration = PlaylistError.Reason.invalid("a duration in seconds is expected here")
private let integer = PlaylistError.Reason.invalid("a decimal integer is expected here")
private let range = PlaylistError.Reason.invalid("a byte range is expected here")
private let impliedRange = PlaylistError.Reason.invalid("a byte range without an offset, and none of the same URI before it")

private let headers: [Refusal] = [
  Refusal("", .notAPlaylist, line: 1),
  Refusal("a.ts\n#EXTM3U", .notAPlaylist, line: 1),
  Refusal("#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n", .notAPlaylist, line: 1),
  Refusal(String(repeating: "\n", count: 64) + "#EXTM3U", .notAPlaylist, line: 1),
  Refusal("#EXTM3U8\n", .notAPlaylist, line: 1),
  Refusal("<html>\n", .notAPlaylist, line: 1),
  Refusal("#EXTM3U", .missing("#EXT-X-TARGETDURATION"), line: 1),
  Refusal("#EXTM3U\n\n#EXTINF:1,\na.ts\n", .missing("#EXT-X-TARGETDURATION"), line: 4),
  .media("#EXT-X-TARGETDURATION:9", .repeated("#EXT-X-TARGETDURATION")),
  .media("#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-MEDIA-SEQUENCE:2", .repeated("#EXT-X-MEDIA-SEQUENCE"), line: 4),
  .media("#EXT-X-MEDIA-SEQUENCE:-1", integer, column: 23),
  .media("#EXT-X-MEDIA-SEQUENCE", integer, column: 22),
  .media("#EXT-X-MEDIA-SEQUENCE:18446744073709551616", integer, column: 23),
  .media("#EXT-X-MEDIA-SEQUENCE:18446744073709551615\n#EXTINF:1,\na", .invalid("media sequence numbers beyond 64 bits"), line: 5),
  .media("#EXT-X-SKIP:SKIPPED-SEGMENTS=3", .unsupported("#EXT-X-SKIP")),
]

private let segments: [Refusal] = [
  .media("#EXTINF:,\na.ts", duration, column: 9),
  .media("#EXTINF\na.ts", duration, column: 8),
  .media("#EXTINF:-1,\na.ts", duration, column: 9),
  .media("#EXTINF:1e3,\na.ts", duration, column: 9),
  .media("#EXTINF:6,\n#EXTINF:6,\na.ts", .repeated("#EXTINF"), line: 4),
  .media("a.ts", .missing("#EXTINF before the URI")),
  .media("#EXTINF:6,\na.ts\n\n\nb.ts", .missing("#EXTINF before the URI"), line: 7),
  .media("#EXTINF:6,\n#EXT-X-ENDLIST", .missing("the URI after #EXTINF")),
  .media("#EXT-X-BYTERANGE:x@0", range, column: 18),
  .media("#EXT-X-BYTERANGE:1@", range, column: 18),
  .media("#EXT-X-BYTERANGE:18446744073709551615@1", range, column: 18),
  .media("#EXT-X-BYTERANGE:10\n#EXTINF:1,\na.ts", impliedRange, column: 18),
  .media("#EXTINF:1,\na.ts\n#EXT-X-BYTERANGE:10\n#EXTINF:1,\na.ts", impliedRange, line: 5, column: 18),
  .media("#EXT-X-BYTERANGE:10@0\n#EXTINF:1,\na.ts\n#EXT-X-BYTERANGE:10\n#EXTINF:1,\nb.ts", impliedRange, line: 6, column: 18),
  .media("#EXT-X-KEY:URI=\"k\"", .missing("METHOD"), column: 19),
  .media("#EXT-X-KEY:METHOD=AES-128", .missing("URI"), column: 26),
  .media("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",URI=\"l\"", .repeated("URI"), column: 35),
  .media("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=", .missing("an attribute's value"), column: 38),
  .media("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=1", .invalid("IV: a hexadecimal sequence is expected here"), column: 38),
  .media("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x100000000000000000000000000000000", .invalid("an IV of more than 128 bits")),
  .media("#EXT-X-MAP:BYTERANGE=\"1@0\"", .missing("URI"), column: 27),
  .media("#EXT-X-MAP:URI=\"i\",BYTERANGE=\"x\"", .invalid("BYTERANGE: a byte range is expected here"), column: 30),
]

private let presentations: [Refusal] = [
  .multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1", .missing("the URI after #EXT-X-STREAM-INF")),
  .multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", .missing("the URI after #EXT-X-STREAM-INF")),
  .multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\na\nb", .missing("#EXT-X-STREAM-INF before the URI"), line: 4),
  .multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXTINF:6,\nb", .mixed("#EXTINF"), line: 4),
  .multivariant("#EXT-X-STREAM-INF:BANDWIDTH=1\n{$b}", .invalid("the variable b is not defined"), line: 3, column: 1),
  .multivariant("#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", .invalid("IMPORT stands in media playlists only")),
  .multivariant(
    "#EXT-X-DEFINE:QUERYPARAM=\"a\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na",
    .invalid("the playlist's address has no value of the parameter a")),
]

@Suite struct PlaylistErrorTests {
  @Test(arguments: headers + segments + presentations) private func namesThePlace(_ test: Refusal) {
    #expect(throws: test.error) { try readPlaylist(test.text) }
  }

  @Test func limitsHaveTheirLine() {
    func error(_ text: String, _ limits: PlaylistLimits) -> PlaylistError? {
      playlistError { () throws(PlaylistError) in _ = try readPlaylist(text, limits: limits) }
    }
    func aboveLimit(_ what: String, _ limit: Int, line: Int, column: Int? = nil) -> PlaylistError {
      PlaylistError(.aboveLimit(what: what, limit: limit), line: line, column: column)
    }
    let segment = "#EXTINF:1,\na\n"
    #expect(error(head, PlaylistLimits(bytes: 32)) == aboveLimit("length of the playlist in bytes", 32, line: 1))
    #expect(
      error(head + "#" + String(repeating: "x", count: 30), PlaylistLimits(line: 30))
        == aboveLimit("length of the line in bytes", 30, line: 3))
    #expect(error(head + segment + segment, PlaylistLimits(segments: 1)) == aboveLimit("number of segments", 1, line: 6))
    #expect(
      error(head + "#EXT-X-MAP:URI=\"a\",A=1,B=2\n", PlaylistLimits(attributes: 2))
        == aboveLimit("number of attributes", 2, line: 3, column: 24))
    let key = "#EXT-X-KEY:METHOD=A,URI=\"\",KEYFORMAT="
    #expect(error(head + key + "\"a\"\n" + key + "\"b\"\n", PlaylistLimits(keys: 1)) == aboveLimit("number of keys", 1, line: 4))
    let define = "#EXT-X-DEFINE:VALUE=\"xxxxxxxx\",NAME="
    #expect(
      error(head + define + "\"a\"\n" + define + "\"b\"\n", PlaylistLimits(variables: 1)) == aboveLimit("number of variables", 1, line: 4))
    let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n"
    #expect(
      error("#EXTM3U\n" + variant + variant, PlaylistLimits(variants: 1)) == aboveLimit("number of variants and renditions", 1, line: 4))
    let tooLong = define + "\"a\"\n#EXTINF:1,\n{$a}" + String(repeating: "x", count: 36)
    #expect(error(head + tooLong, PlaylistLimits(line: 40)) == aboveLimit("length after substitution in bytes", 40, line: 5, column: 1))
    let growing = define + "\"a\"\n#EXTINF:1,\n{$a}{$a}{$a}{$a}{$a}{$a}\n"
    #expect(error(head + growing, PlaylistLimits(line: 40)) == aboveLimit("length after substitution in bytes", 40, line: 5, column: 1))
  }

  @Test func valuesThatGrowWithEveryDefinitionEnd() {
    var text = head + "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"xxxxxxxxxxxxxxxx\"\n"
    for index in 1..<100 { text += "#EXT-X-DEFINE:NAME=\"v\(index)\",VALUE=\"{$v\(index - 1)}{$v\(index - 1)}\"\n" }
    let error = playlistError { () throws(PlaylistError) in _ = try readPlaylist(text) }
    #expect(error?.reason == .aboveLimit(what: "length after substitution in bytes", limit: 1_048_576))
  }

  @Test func errorsAreReadable() {
    #expect(PlaylistError(.missing("URI"), line: 3, column: 4).description == "URI is missing (line 3, column 4)")
    #expect(PlaylistError(.notAPlaylist, line: 1).description == "no playlist: the first line is not #EXTM3U (line 1)")
  }
}
