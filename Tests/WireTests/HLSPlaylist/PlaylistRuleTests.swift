@testable import HLSPlaylist
import Testing

private let head = lines("#EXTM3U", "#EXT-X-TARGETDURATION:10")

@Suite struct ReadingRuleTests {
  @Test func anOffsetThatIsLeftOutFollowsTheSegmentBefore() throws {
    let text = head + "#EXTINF:1,\n#EXT-X-BYTERANGE:100@50\na\n#EXTINF:1,\n#EXT-X-BYTERANGE:20\na\n#EXT-X-BYTERANGE:30\n#EXTINF:1,\na\n"
    let ranges = [ByteRange(length: 100, offset: 50), ByteRange(length: 20, offset: 150), ByteRange(length: 30, offset: 170)]
    #expect(try readMedia(text).segments.map(\.byteRange) == ranges)
  }

  @Test func resourcesAreToldApartByTheirBytes() {
    // Both are ä, but other bytes and so other resources.
    let text = head + "#EXT-X-BYTERANGE:1@0\n#EXTINF:1,\n\u{E4}\n#EXT-X-BYTERANGE:1\n#EXTINF:1,\na\u{308}\n"
    #expect(throws: PlaylistError.self) { try readMedia(text) }
  }

  @Test func aMissingCommaIsAccepted() throws {
    let segment = try readMedia(head + "#EXTINF:6.5\na.ts\n").segments.first
    #expect(segment == MediaSegment(uri: "a.ts", duration: try seconds("6.5")))
  }

  @Test func aSegmentAboveTheTargetDurationIsReadAndNotWritten() throws {
    var playlist = try readMedia(head + "#EXTINF:10.4,\na\n#EXTINF:10.5,\nb\n")
    #expect(playlist.overlongSegments == [1])
    #expect(throws: PlaylistError(.invalid("a segment longer than the target duration"), line: 7)) { try playlist.encode() }
    playlist.targetDuration = 11
    #expect(playlist.overlongSegments.isEmpty)
    #expect(try readMedia(String(decoding: try playlist.encode(), as: UTF8.self)).segments == playlist.segments)
  }

  @Test func playlistTagsMayStandAnywhere() throws {
    let playlist = try readMedia(
      lines("#EXTM3U", "#EXT-X-ENDLIST", "#EXTINF:1,", "#EXT-X-INDEPENDENT-SEGMENTS", "a", "#EXT-X-TARGETDURATION:2"))
    #expect(playlist.isEnded)
    #expect(playlist.hasIndependentSegments)
    #expect(playlist.targetDuration == 2)
    #expect(playlist.segments == [MediaSegment(uri: "a", duration: try seconds("1"))])
    #expect(playlist.trailingTags.isEmpty)
  }

  @Test func dateRangesAreFoundWhereverTheyStand() throws {
    let playlist = try readMedia(head + "#EXT-X-DATERANGE:ID=\"1\"\n#EXTINF:1,\n#EXT-X-DATERANGE:ID=\"2\"\na\n#EXT-X-DATERANGE:ID=\"3\"\n")
    #expect(playlist.allDateRanges.map(\.id) == ["1", "2", "3"])
    #expect(playlist.dateRanges.map(\.id) == ["3"])
  }

  @Test func aKeyTakesThePlaceOfTheOneOfItsFormat() throws {
    let text =
      head + "#EXT-X-KEY:METHOD=AES-128,URI=\"1\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"2\",KEYFORMAT=\"f\"\n"
      + "#EXT-X-KEY:METHOD=AES-128,URI=\"3\",KEYFORMAT=\"identity\"\n#EXTINF:1,\na\n"
    #expect(try readMedia(text).segments.first?.keys.map(\.uri) == ["3", "2"])
  }

  @Test func aShortVectorIsPaddedAndNoneIsTheSequenceNumber() throws {
    let key = try readMedia(head + "#EXT-X-KEY:METHOD=AES-128,URI=\"1\",IV=0x1AB\n#EXTINF:1,\na\n").segments.first?.keys.first
    let padded = [UInt8](repeating: 0, count: 14) + [1, 0xAB]
    #expect(key?.initializationVector == padded)
    #expect(key?.initializationVector(mediaSequence: 9) == padded)
    let vector = EncryptionKey(method: .aes128, uri: "").initializationVector(mediaSequence: 0x0102_0304_0506_0708)
    #expect(vector == [UInt8](repeating: 0, count: 8) + [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func theKindIsDetected() throws {
    #expect(try readPlaylist(lines("#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1")).kind == .media)
    #expect(try readPlaylist(lines("#EXTM3U", "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-SESSION-DATA:DATA-ID=\"a\"")).kind == .multivariant)
  }
}

@Suite struct VariableTests {
  private static let multivariant = lines(
    "#EXTM3U", "#EXT-X-VERSION:8", "#EXT-X-DEFINE:NAME=\"host\",VALUE=\"e.com\"",
    "#EXT-X-DEFINE:NAME=\"base-1_A\",VALUE=\"http://{$host}/v\"",
    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{$host}\",NAME=\"{$}{$ host}{x\",URI=\"{$base-1_A}/a\"", "#EXT-X-STREAM-INF:BANDWIDTH=1",
    "{$base-1_A}/1{$host}.m3u8")

  @Test func valuesAreFilledIn() throws {
    let playlist = try readMultivariant(Self.multivariant)
    #expect(playlist.variables == [PlaylistVariable("host", value: "e.com"), PlaylistVariable("base-1_A", value: "http://e.com/v")])
    #expect(playlist.variants.first?.uri == "http://e.com/v/1e.com.m3u8")
    #expect(playlist.renditions == [Rendition(type: .audio, groupID: "e.com", name: "{$}{$ host}{x", uri: "http://e.com/v/a")])
  }

  @Test func mediaPlaylistsImportThem() throws {
    let text = lines(
      "#EXTM3U", "#EXT-X-VERSION:8", "#EXT-X-DEFINE:IMPORT=\"base-1_A\"", "#EXT-X-TARGETDURATION:9", "#EXT-X-MEDIA-SEQUENCE:0",
      "#EXTINF:9,", "{$base-1_A}/1.ts")
    let playlist = try readMedia(text, importing: try readMultivariant(Self.multivariant).variables)
    #expect(playlist.segments.map(\.uri) == ["http://e.com/v/1.ts"])
    #expect(playlist.variables == [PlaylistVariable("base-1_A", value: "http://e.com/v", from: .multivariantPlaylist)])
    let written = String(decoding: try playlist.encode(), as: UTF8.self)
    #expect(written == text.split(separator: "{$base-1_A}").joined(separator: "http://e.com/v"))
    let unknown = PlaylistError.Reason.invalid("the multivariant playlist does not define the variable base-1_A")
    #expect(throws: PlaylistError(unknown, line: 3)) { try readMedia(text) }
  }

  @Test(arguments: [
    "NAME=\"a\"", "VALUE=\"a\"", "NAME=\"\",VALUE=\"a\"", "NAME=\"a b\",VALUE=\"a\"", "NAME=\"a\",IMPORT=\"b\"",
    "NAME=\"a\",VALUE=\"{$a}\"", "QUERYPARAM=\"\"", "QUERYPARAM=\"a\",NAME=\"b\"", "NAME=\"a\",VALUE=",
  ])
  func definitionsThatAreNoneAreRefused(_ attributes: String) {
    #expect(throws: PlaylistError.self) { try readMedia(head + "#EXT-X-DEFINE:" + attributes) }
  }

  @Test func aVariableIsDefinedOnce() {
    let define = "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n"
    #expect(throws: PlaylistError(.repeated("the variable a"), line: 4)) { try readMedia(head + define + define) }
  }
}

@Suite struct WritingRuleTests {
  private func playlist(_ change: (inout MediaPlaylist) -> Void) -> MediaPlaylist {
    let second = PlaylistDecimal(billionths: 1_000_000_000)
    var playlist = MediaPlaylist(targetDuration: 1, segments: ["a", "b"].map { MediaSegment(uri: $0, duration: second) })
    change(&playlist)
    return playlist
  }

  @Test func theVersionIsAsHighAsNeeded() {
    let key = EncryptionKey(method: .aes128, uri: "k")
    var (vectorKey, formatKey) = (key, key)
    vectorKey.initializationVector = [UInt8](repeating: 1, count: 16)
    formatKey.keyFormat = "identity"
    let cases: [(Int, (inout MediaPlaylist) -> Void)] = [
      (1, { _ in }), (1, { $0.segments[1].keys = [key] }), (2, { $0.segments[1].keys = [vectorKey] }),
      (3, { $0.segments[1].duration.billionths = 1 }), (4, { $0.segments[0].byteRange = ByteRange(length: 1, offset: 0) }),
      (4, { $0.isIFramesOnly = true }), (5, { $0.segments[0].keys = [formatKey] }),
      (7, { $0.segments[1].initializationSegment = InitializationSegment(uri: "i") }),
      (8, { $0.variables = [PlaylistVariable("a", value: "b")] }),
      (
        5,
        {
          $0.isIFramesOnly = true
          $0.segments[1].initializationSegment = InitializationSegment(uri: "i")
        }
      ),
    ]
    for (version, change) in cases { #expect(playlist(change).requiredVersion == version) }
  }

  @Test func theVersionIsRaisedWhenWritten() throws {
    let raised = playlist {
      $0.version = 2
      $0.segments[0].duration.billionths = 1
    }
    #expect(String(decoding: try raised.encode(), as: UTF8.self).split(separator: "\n")[1] == "#EXT-X-VERSION:3")
    #expect(
      try playlist { $0.version = 1 }.encode() == Array(lines("#EXTM3U", "#EXT-X-VERSION:1").utf8)
        + (try playlist { _ in }.encode()).dropFirst(8))
  }

  @Test func whatDiffersInItsBytesOnlyIsWrittenAgain() throws {
    // Both are ä.
    let uris = ["\u{E4}", "a\u{308}"]
    let playlist = playlist {
      for index in 0..<2 {
        $0.segments[index].keys = [EncryptionKey(method: .aes128, uri: uris[index])]
        $0.segments[index].initializationSegment = InitializationSegment(uri: uris[index], keys: $0.segments[index].keys)
      }
    }
    let written = String(decoding: try playlist.encode(), as: UTF8.self)
    #expect(try readMedia(written).segments == playlist.segments)
    #expect(written.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-KEY") }.count == 2)
    #expect(written.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-MAP") }.count == 2)
    #expect(playlist.segments[0].keys != playlist.segments[1].keys)
  }

  @Test func whatWouldNotReadBackIsNotWritten() {
    let map = InitializationSegment(uri: "i")
    let cases: [(Int, (inout MediaPlaylist) -> Void)] = [
      (5, { $0.segments[0].uri = "" }), (5, { $0.segments[0].uri = "#a" }), (5, { $0.segments[0].uri = " a" }),
      (5, { $0.segments[0].uri = "a " }), (5, { $0.segments[0].uri = "a\r\nb" }), (5, { $0.segments[0].uri = "a\rb" }),
      (4, { $0.segments[0].title = "a\nb" }), (4, { $0.segments[0].title = "a " }), (5, { $0.segments[0].duration.billionths = -1 }),
      (5, { $0.segments[0].unknownTags = ["# comment"] }), (4, { $0.unknownTags = ["#EXT-X-ENDLIST"] }),
      (8, { $0.trailingTags = ["#EXT-X-ENDLIST"] }), (8, { $0.trailingTags = ["#EXTINF:1,"] }),
      (8, { $0.trailingTags = ["#EXT-X-A\n#EXT-X-B"] }),
      (4, { $0.segments[0].keys = [EncryptionKey(method: .aes128, uri: "\"")] }),
      (4, { $0.segments[0].keys = [EncryptionKey(method: .aes128, uri: "{$a}")] }), (5, { $0.segments[0].uri = "{$a}" }),
      (4, { $0.segments[0].keys = [EncryptionKey(method: EncryptionMethod(rawValue: "A,B"), uri: "")] }),
      (8, { $0.segments[0].initializationSegment = map }),
      (7, { $0.segments[0].bitrate = 1 }),
      (4, { $0.segments[0].keys = [EncryptionKey(method: .aes128, uri: "a"), EncryptionKey(method: .aes128, uri: "b")] }),
      (5, { $0.segments[0].keys = [EncryptionKey(method: .aes128, uri: "a", initializationVector: [1])] }),
    ]
    for (line, change) in cases {
      let error = playlistError { () throws(PlaylistError) in _ = try playlist(change).encode() }
      #expect(error?.line == line)
    }
  }
}
