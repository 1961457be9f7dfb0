import Basics
import HLSPlaylist
import Testing

@Suite struct CueTagTests {
  private static let section: [UInt8] = [0xFC, 0x30, 0x25, 0xFF]
  private static let base64 = "/DAl/w=="

  private static func tag(
    _ name: CueTag.Name, isOut: Bool? = nil, duration: Int64? = nil, elapsed: Int64? = nil, section: String? = nil, problem: String? = nil
  ) throws -> CueTag {
    var tag = try #require(CueTag("#\(name.rawValue)"))
    (tag.isOut, tag.section, tag.problem) = (isOut, section.map { .unquoted($0) }, problem)
    tag.duration = duration.map { PlaylistDecimal(billionths: $0 * 1_000_000) }
    tag.elapsed = elapsed.map { PlaylistDecimal(billionths: $0 * 1_000_000) }
    return tag
  }

  private static func playlist(_ text: String) throws -> MediaPlaylist {
    let bytes = Array(text.utf8)
    return try MediaPlaylist(bytes.view)
  }

  @Test func whatTheTagsSayIsRead() throws {
    let cases: [(String, CueTag)] = [
      ("#EXT-X-CUE-OUT", try Self.tag(.out, isOut: true)),
      ("#EXT-X-CUE-OUT:30.5", try Self.tag(.out, isOut: true, duration: 30_500)),
      ("#EXT-X-CUE-OUT: DURATION=\"12\" ,CUE=\"\(Self.base64)\"", try Self.tag(.out, isOut: true, duration: 12_000, section: Self.base64)),
      ("#EXT-X-CUE-OUT:30,CUE=\(Self.base64)", try Self.tag(.out, isOut: true, duration: 30_000, section: Self.base64)),
      ("#EXT-X-CUE-OUT-CONT:8/30", try Self.tag(.outContinued, isOut: true, duration: 30_000, elapsed: 8_000)),
      (
        "#EXT-X-CUE-OUT-CONT:ElapsedTime=8.25,Duration=30,SCTE35=\(Self.base64)",
        try Self.tag(.outContinued, isOut: true, duration: 30_000, elapsed: 8_250, section: Self.base64)
      ),
      ("#EXT-X-CUE-IN", try Self.tag(.in, isOut: false)),
      ("#EXT-X-CUE-IN:DURATION=4", try Self.tag(.in, isOut: false, duration: 4_000)),
      ("#EXT-X-SCTE35:CUE=\"\(Self.base64)\" ,CUE-OUT=CONT", try Self.tag(.scte35, isOut: true, section: Self.base64)),
      (
        "#EXT-X-SCTE35:ID=\"1,2\",CUE-IN=YES,ELAPSED=2,CUE=0xFC3025FF",
        try Self.tag(.scte35, isOut: false, elapsed: 2_000, section: "0xFC3025FF")
      ),
      ("#EXT-OATCLS-SCTE35:\"\(Self.base64)\"", try Self.tag(.oatcls, section: Self.base64)),
      ("#EXT-X-SPLICEPOINT-SCTE35:\(Self.base64)", try Self.tag(.splicepoint, section: Self.base64)),
      ("#EXT-X-SCTE35:CUE=\"/DAl", try Self.tag(.scte35, problem: "the closing quote is missing")),
    ]
    for (text, expected) in cases { #expect(CueTag(text) == expected, "\(text)") }
    for other in ["#EXT-X-CUE-OUTER", "#EXT-X-CUE", "#EXTINF:4,", "EXT-X-CUE-OUT", ""] { #expect(CueTag(other) == nil) }
  }

  @Test(arguments: ["0xFC3025FF", "0XFC3025ff", "fc3025ff", "/DAl/w==", "/DAl/w"]) func sectionsAreHexadecimalOrBase64(_ text: String) {
    #expect(AttributeValue.quoted(text).section == Self.section)
    #expect(AttributeValue.unquoted(text).section == Self.section)
  }

  @Test(arguments: ["", "FC302", "section!"]) func anythingElseIsNoSection(_ text: String) {
    #expect(AttributeValue.quoted(text).section == nil)
  }

  @Test func tagsInFrontOfTheFirstSegmentAreOfThatSegment() throws {
    let text =
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-VENDOR:1\n#EXT-X-CUE-OUT-CONT:4/15\n#EXT-X-OTHER\n#EXTINF:6,\na.ts\n#EXT-X-CUE-IN\n"
    let playlist = try Self.playlist(text)
    #expect(playlist.unknownTags == ["#EXT-X-VENDOR:1"])
    #expect(playlist.segments.map(\.unknownTags) == [["#EXT-X-CUE-OUT-CONT:4/15", "#EXT-X-OTHER"]])
    #expect(playlist.trailingTags == ["#EXT-X-CUE-IN"])
  }

  @Test func dateRangesHaveSectionsInAllForms() throws {
    let attributes = "SCTE35-OUT=0xFC3025FF,SCTE35-IN=\"0xFC3025FF\",SCTE35-CMD=\"\(Self.base64)\""
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-DATERANGE:ID=\"1\",\(attributes)\n#EXT-X-DATERANGE:ID=\"2\",SCTE35-OUT=\"no!\"\n"
    let playlist = try Self.playlist(text)
    let first = try #require(playlist.dateRanges.first)
    #expect([first.scte35Out, first.scte35In, first.scte35Command] == [Self.section, Self.section, Self.section])
    #expect(playlist.dateRanges.last?.scte35Out == nil)
    #expect(playlist.dateRanges.last?.attributes == AttributeList([Attribute("SCTE35-OUT", .quoted("no!"))]))
  }
}
