import Basics
@testable import HLSPlaylist
import Testing

/// A playlist with a slip, what it is read as, and what is told of it.
private struct Slip: CustomTestStringConvertible, Sendable {
  let text: String
  /// The same playlist as it should have been written.
  let meant: String
  let notice: String

  init(_ text: String, as meant: String, _ notice: String) { (self.text, self.meant, self.notice) = (text, meant, notice) }

  /// In a media playlist, in line 3.
  static func media(_ tag: String, as meant: String, _ notice: String) -> Slip {
    func text(_ tag: String) -> String { lines("#EXTM3U", "#EXT-X-TARGETDURATION:10") + tag + "\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n" }
    return Slip(text(tag), as: text(meant), notice)
  }

  /// In a multivariant playlist, in line 2.
  static func multivariant(_ tag: String, as meant: String, _ notice: String) -> Slip {
    func text(_ tag: String) -> String { "#EXTM3U\n" + tag + "\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n" }
    return Slip(text(tag), as: text(meant), notice)
  }

  var testDescription: String { notice }
}

private let audio = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"b\""

private let slips: [Slip] = [
  .multivariant(
    "#EXT-X-STREAM-INF:BANDWIDTH=1,my_id=\"x,y\",X.Y=2\nb.m3u8", as: "#EXT-X-STREAM-INF:BANDWIDTH=1\nb.m3u8",
    "#EXT-X-STREAM-INF: an attribute's name is made of A to Z, 0 to 9 and - (line 2, column 31); the attribute was left out (2 times)"),
  .multivariant(
    "#EXT-X-STREAM-INF:BANDWIDTH=1,PREFERRED,CODECS=\"avc1\"\nb.m3u8", as: "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1\"\nb.m3u8",
    "#EXT-X-STREAM-INF: the = after an attribute's name is missing (line 2, column 40); the attribute was left out"),
  .multivariant(
    "#EXT-X-STREAM-INF:BANDWIDTH=1,X-NOTE=two words,AUDIO=\"a\"\nb.m3u8",
    as: "#EXT-X-STREAM-INF:BANDWIDTH=1,X-NOTE=two,AUDIO=\"a\"\nb.m3u8",
    "#EXT-X-STREAM-INF: a comma between two attributes is missing (line 2, column 42); the attribute was left out"),
  .multivariant(
    "#EXT-X-STREAM-INF:\nb.m3u8", as: "#EXT-X-STREAM-INF:BANDWIDTH=0\nb.m3u8",
    "#EXT-X-STREAM-INF: an attribute's name is missing (line 2, column 19); read without it"),
  .media(
    "#EXT-X-VERSION: 3", as: "#EXT-X-VERSION:3", "#EXT-X-VERSION: a blank in front of the value (line 3, column 16); read as it is meant"),
  .media(
    "#EXT-X-VERSION:three", as: "#", "#EXT-X-VERSION: a decimal integer is expected here (line 3, column 16); the tag was left out"),
  .media(
    "#EXT-X-VERSION:3\n#EXT-X-VERSION:4", as: "#EXT-X-VERSION:3",
    "#EXT-X-VERSION: #EXT-X-VERSION is repeated (line 4); the tag was left out"),
  .media("#EXTM3U", as: "#", "#EXTM3U: #EXTM3U is repeated (line 3); the tag was left out"),
  .media(
    "#EXT-X-TARGETDURATION:10", as: "#", "#EXT-X-TARGETDURATION: #EXT-X-TARGETDURATION is repeated (line 3); read as it is meant"),
  .media(
    "#EXT-X-PLAYLIST-TYPE:LIVE", as: "#", "#EXT-X-PLAYLIST-TYPE: EVENT or VOD is expected here (line 3, column 22); the tag was left out"),
  .media(
    "#EXT-X-PLAYLIST-TYPE:vod", as: "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-PLAYLIST-TYPE: EVENT or VOD is expected here (line 3, column 22); read as it is meant"),
  .media(
    "#EXT-X-START:PRECISE=YES", as: "#", "#EXT-X-START: TIME-OFFSET is missing (line 3, column 25); the tag was left out"),
  .media(
    "#EXT-X-PROGRAM-DATE-TIME:yesterday", as: "#",
    "#EXT-X-PROGRAM-DATE-TIME: a date is expected here (line 3, column 26); the tag was left out"),
  .media("#EXT-X-BITRATE:1.5", as: "#", "#EXT-X-BITRATE: a decimal integer is expected here (line 3, column 16); the tag was left out"),
  .media("#EXT-X-DATERANGE:CLASS=\"c\"", as: "#", "#EXT-X-DATERANGE: ID is missing (line 3, column 27); the tag was left out"),
  .media(
    "#EXT-X-DATERANGE:ID=\"a\",DURATION=-1", as: "#EXT-X-DATERANGE:ID=\"a\"",
    "#EXT-X-DATERANGE: DURATION: a decimal number is expected here (line 3, column 34); the attribute was left out"),
  .media(
    "#EXT-X-DATERANGE:ID=a,END-ON-NEXT=\"yes\"", as: "#EXT-X-DATERANGE:ID=\"a\",END-ON-NEXT=YES",
    "#EXT-X-DATERANGE: ID: a quoted string is expected here (line 3, column 21); read as it is meant"),
  .media(
    "#EXT-X-KEY:METHOD=\"AES-128\",URI=\"k\",", as: "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"",
    "#EXT-X-KEY: a comma without an attribute after it (line 3, column 37); read as it is meant"),
  Slip(
    "#EXTM3U\n#EXT-X-TARGETDURATION:9.5\n#EXTINF:6,\n a.ts\n", as: "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:6,\na.ts\n",
    "#EXT-X-TARGETDURATION: a decimal integer is expected here (line 2, column 23); read as it is meant"),
  .multivariant(
    audio + ",FORCED=\"NO\"", as: audio, "#EXT-X-MEDIA: FORCED: YES or NO is expected here (line 2, column 54); read as it is meant"),
  .multivariant(
    audio + ",", as: audio, "#EXT-X-MEDIA: a comma without an attribute after it (line 2, column 47); read as it is meant"),
  .multivariant(
    audio + ",,LANGUAGE=en", as: audio + ",LANGUAGE=\"en\"",
    "#EXT-X-MEDIA: a comma without an attribute after it (line 2, column 47); read as it is meant"),
  .multivariant(
    audio + " ,CHANNELS=", as: audio, "#EXT-X-MEDIA: an attribute's value is missing (line 2, column 57); the attribute was left out"),
  .multivariant(
    audio + ", CHANNELS = \"2\"", as: audio + ",CHANNELS=\"2\"",
    "#EXT-X-MEDIA: a space beside the = of an attribute (line 2, column 56); read as it is meant (2 times)"),
  .multivariant(
    audio + ",NAME=\"c\"", as: audio, "#EXT-X-MEDIA: NAME is repeated (line 2, column 47); the attribute was left out"),
  .multivariant(
    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\"", as: "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"\"",
    "#EXT-X-MEDIA: NAME is missing (line 2, column 37); read without it"),
  .multivariant("#EXT-X-MEDIA:NAME=\"a\"", as: "#", "#EXT-X-MEDIA: TYPE is missing (line 2, column 22); the tag was left out"),
  .multivariant(
    "#EXT-X-MEDIA:TYPE=\"AUDIO", as: "#", "#EXT-X-MEDIA: the closing quote is missing (line 2, column 19); the tag was left out"),
  .multivariant(
    "#EXT-X-SESSION-KEY:METHOD=NONE", as: "#", "#EXT-X-SESSION-KEY: METHOD=NONE is no session key (line 2); the tag was left out"),
  .multivariant(
    "#EXT-X-TARGETDURATION:6", as: "#",
    "#EXT-X-TARGETDURATION: #EXT-X-TARGETDURATION does not belong in this kind of playlist (line 2); the tag was left out"),
  .multivariant(
    "#EXT-X-STREAM-INF:CODECS=\"c\"\nb", as: "#EXT-X-STREAM-INF:BANDWIDTH=0,CODECS=\"c\"\nb",
    "#EXT-X-STREAM-INF: BANDWIDTH is missing (line 2, column 29); read without it"),
  .multivariant(
    "#EXT-X-STREAM-INF:BANDWIDTH=1.5,RESOLUTION=1X2\nb", as: "#EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1x2\nb",
    "#EXT-X-STREAM-INF: BANDWIDTH: a decimal integer is expected here (line 2, column 29); read as it is meant"),
  .multivariant(
    "#EXT-X-STREAM-INF:BANDWIDTH=1,CLOSED-CAPTIONS=NO,FRAME-RATE=many\nb", as: "#EXT-X-STREAM-INF:BANDWIDTH=1\nb",
    "#EXT-X-STREAM-INF: FRAME-RATE: a decimal number is expected here (line 2, column 61); the attribute was left out"),
]

@Suite struct PlaylistSlipTests {
  @Test(arguments: slips) private func isReadAndTold(_ slip: Slip) throws {
    let playlist = try readPlaylist(slip.text)
    #expect(playlist.flawless == (try readPlaylist(slip.meant)))
    #expect(try readPlaylist(slip.meant).slips == [])
    #expect(playlist.slips.map { "\($0)" }.contains(slip.notice), "\(playlist.slips)")
  }

  /// Nothing that is read from a part is not in the whole.
  @Test(arguments: slips) private func aCutNeverCrashesAndInventsNothing(_ slip: Slip) throws {
    let bytes = Array(slip.text.utf8)
    let total = try readPlaylist(bytes).uris.count
    for length in bytes.indices {
      guard let playlist = try? readPlaylist(Array(bytes.prefix(length))) else { continue }
      #expect(playlist.uris.count <= total)
      guard let written = try? playlist.encode() else { continue }
      #expect(try readPlaylist(written).encode() == written)
    }
  }

  /// Text that is not UTF-8 counts as Latin-1: a title as it was meant, a URI by its bytes.
  @Test func otherEncodingsAreReadAndTold() throws {
    let text =
      Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,Gr".utf8) + [0xFC, 0xDF] + Array("e\nt".utf8) + [0xF6] + Array("n.ts\n".utf8)
    guard case .media(let playlist) = try readPlaylist(text) else { throw PlaylistError(.notAPlaylist, line: 1) }
    var segment = MediaSegment(uri: "t%F6n.ts", duration: PlaylistDecimal(billionths: 1_000_000_000))
    segment.title = "Gr\u{FC}\u{DF}e"
    #expect(playlist.segments == [segment])
    #expect(
      playlist.slips.map { "\($0)" } == ["#EXTINF: no UTF-8 (line 3); read as it is meant", "no UTF-8 (line 4); read as it is meant"])
    // A comment is not read at all.
    #expect(try readPlaylist(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n# ".utf8) + [0xFF]).slips == [])
  }

  /// `#EXTM3U` behind other lines.
  @Test(arguments: [("\n", 2), (" ", 1), ("\u{FEFF}# made by hand\r\n\r\n", 3), ("#EXT-X-VERSION:3\n", 2)])
  func theHeaderHasToBeFirst(before: String, line: Int) throws {
    let text = before + lines("#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXTINF:1,", "a.ts")
    #expect(try readMedia(text).segments.map(\.uri) == ["a.ts"])
    let told = line == 1 ? [] : ["#EXTM3U: #EXTM3U has to be the first line (line \(line)); read as it is meant"]
    #expect(try readMedia(text).slips.map { "\($0)" } == told)
    let bytes = Array(text.utf8)
    #expect(Playlist.isPlaylist(bytes.span) && !Playlist.isPlaylist(Array("a\n#EXTM3U\n".utf8).span))
  }

  /// What is left of a list of variants, without anything that could be read, is none.
  @Test func aListOfNothingIsRefused() {
    let error = PlaylistError(.missing("#EXT-X-STREAM-INF"), line: 3)
    #expect(throws: error) { try readPlaylist("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,NAME\n#EXT-X-VERSION:3\n") }
  }

  @Test func aDurationMayLackDigitsBeforeThePoint() throws {
    let playlist = try readMedia("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:.360,\na.ts\n")
    #expect(playlist.segments == [MediaSegment(uri: "a.ts", duration: PlaylistDecimal(billionths: 360_000_000))])
    #expect(playlist.slips == [])
  }

  @Test func oneKindIsToldOnceWithItsNumber() throws {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
    for index in 0..<1_000 { text += "#EXT-X-PROGRAM-DATE-TIME:\(index)\n#EXTINF:1,\na.ts\n" }
    let slip = PlaylistSlip(
      tag: "#EXT-X-PROGRAM-DATE-TIME", PlaylistError(.invalid("a date is expected here"), line: 3, column: 26), .tagIgnored, count: 1_000)
    #expect(try readMedia(text).slips == [slip])
    #expect(slip.description.hasSuffix("; the tag was left out (1000 times)"))
  }

  @Test func ofManyKindsTheFirstAreKept() throws {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DATERANGE:ID=\"a\""
    for index in 0..<60 { text += ",X-\(index)=" + (index % 2 == 0 ? "1,X-\(index)=2" : "1") }
    #expect(try readMedia(text + "\n").slips.count == 30)
    for index in 0..<60 { text += "\n#EXT-X-DATERANGE:ID=\"a\",Y-\(index)=1,Y-\(index)=2" }
    #expect(try readMedia(text + "\n").slips.count == 32)
  }

  @Test func limitsHoldForWhatIsNotNeeded() {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DATERANGE:A=1,B=2,C=3\n"
    let error = PlaylistError(.aboveLimit(what: "number of attributes", limit: 2), line: 3, column: 26)
    #expect(throws: error) { try readPlaylist(text, limits: PlaylistLimits(attributes: 2)) }
  }

  @Test(arguments: [("a=1&token=x%2Fy%20z&token=2", "x/y z"), ("to%6Ben=%C3%A4", "ä"), ("token=a=b", "a=b")])
  func aVariableComesFromTheAddress(query: String, value: String) throws {
    let text = "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-DEFINE:QUERYPARAM=\"token\"\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts?t={$token}\n"
    let playlist = try readPlaylist(text, query: query)
    guard case .media(let media) = playlist else { return #expect(Bool(false)) }
    #expect(media.variables == [PlaylistVariable("token", value: value, from: .query)])
    #expect(media.segments.map(\.uri) == ["a.ts?t=\(value)"])
    #expect(try readPlaylist(try playlist.encode(), query: query) == playlist)
    let multivariant = "#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"token\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$token}\n"
    guard case .multivariant(let main) = try readPlaylist(multivariant, query: query) else { return #expect(Bool(false)) }
    #expect(main.variants.map(\.uri) == [value])
  }

  @Test(arguments: [nil, "", "token", "token=", "Token=1", "token=%22", "token=%0A", "token=%FF", "a=token"])
  func aParameterMustHaveAValue(query: String?) {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DEFINE:QUERYPARAM=\"token\"\n"
    let error = PlaylistError(.invalid("the playlist's address has no value of the parameter token"), line: 3)
    #expect(throws: error) { try readPlaylist(text, query: query) }
  }
}
