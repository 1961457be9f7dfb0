import Basics
import Testing
import XML

@testable import DASHReading

/// What an MPD lists, as the playlists that list the same.
@Suite struct ManifestTests {
  private func playlists(_ text: String, now: Int64 = 0) throws(ManifestError) -> ManifestPlaylists {
    try Manifest(Array(text.utf8), now: now).playlists(name: "show.mpd")
  }

  private func lines(_ bytes: [UInt8]?) -> [String] { String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init) }

  /// The URIs of segments, and their durations in front of them.
  private func segments(_ bytes: [UInt8]?) -> [String] {
    lines(bytes).filter { !$0.hasPrefix("#") || $0.hasPrefix("#EXTINF") }
  }

  private static func set(_ inside: String, _ attributes: String = "contentType=\"video\"") -> String {
    "<AdaptationSet \(attributes)>\(inside)</AdaptationSet>"
  }

  private static func mpd(_ inside: String, _ attributes: String = "mediaPresentationDuration=\"PT6S\"") -> String {
    "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" \(attributes)><Period>\(inside)</Period></MPD>"
  }

  /// Numbers of segments of one duration, to the end of the presentation; with templates of every form.
  @Test func numbers() throws {
    let template =
      "<SegmentTemplate timescale=\"1000\" duration=\"2500\" startNumber=\"9\" initialization=\"$RepresentationID$/i$$.mp4\" "
      + "media=\"$RepresentationID$/$Bandwidth$-$Number%03d$.m4s\"/>"
    let found = try playlists(
      Self.mpd(
        "<BaseURL>cdn/</BaseURL>"
          + Self.set(template + "<Representation id=\"v\" bandwidth=\"700\" width=\"16\" height=\"8\" codecs=\"avc1.64001F\"/>")))
    #expect(
      lines(found.multivariant) == [
        "#EXTM3U", "#EXT-X-STREAM-INF:BANDWIDTH=700,CODECS=\"avc1.64001F\",RESOLUTION=16x8", "show.mpd#v",
      ])
    #expect(
      lines(found.media["v"]) == [
        "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:3", "#EXT-X-MAP:URI=\"cdn/v/i$.mp4\"", "#EXTINF:2.5,",
        "cdn/v/700-009.m4s", "#EXTINF:2.5,", "cdn/v/700-010.m4s", "#EXTINF:2.5,", "cdn/v/700-011.m4s", "#EXT-X-ENDLIST",
      ])
  }

  /// Entries of a timeline that repeat, up to the next one or to the end.
  @Test func timelines() throws {
    let timeline =
      "<SegmentTimeline><S t=\"5\" d=\"2\" r=\"1\"/><S d=\"1\"/><S t=\"20\" d=\"2\" r=\"-1\"/><S t=\"25\" d=\"1\"/></SegmentTimeline>"
    let template = "<SegmentTemplate media=\"$Time$\" presentationTimeOffset=\"5\">\(timeline)</SegmentTemplate>"
    let found = try playlists(Self.mpd(Self.set("<Representation id=\"a\">\(template)</Representation>")))
    #expect(segments(found.media["a"]).filter { !$0.hasPrefix("#") } == ["5", "7", "9", "20", "22", "24", "25"])
    let open =
      "<SegmentTemplate timescale=\"2\" media=\"$Number$\"><SegmentTimeline><S d=\"4\" r=\"-1\"/></SegmentTimeline></SegmentTemplate>"
    let second = try playlists(Self.mpd(Self.set("<Representation id=\"a\">\(open)</Representation>")))
    #expect(segments(second.media["a"]) == ["#EXTINF:2,", "1", "#EXTINF:2,", "2", "#EXTINF:2,", "3"])
  }

  @Test func listsAndFiles() throws {
    let list =
      "<SegmentList timescale=\"10\" duration=\"15\"><Initialization range=\"0-99\"/><SegmentURL mediaRange=\"100-149\"/>"
      + "<SegmentURL media=\"b &amp; c.mp4\"/></SegmentList>"
    let found = try playlists(Self.mpd(Self.set("<Representation id=\"a\"><BaseURL> all.mp4 </BaseURL>\(list)</Representation>")))
    #expect(
      lines(found.media["a"]).dropFirst(3) == [
        "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"100@0\"", "#EXTINF:1.5,", "#EXT-X-BYTERANGE:50@100", "all.mp4", "#EXTINF:1.5,",
        "b & c.mp4", "#EXT-X-ENDLIST",
      ])
    let file = "<Representation id=\"a\"><BaseURL>one.mp4</BaseURL><SegmentBase indexRange=\"800-899\"/></Representation>"
    #expect(try segments(playlists(Self.mpd(Self.set(file))).media["a"]) == ["#EXTINF:6,", "one.mp4"])
  }

  /// Periods follow each other, with their own initialization segments; sound is a group beside the pictures.
  @Test func periodsAndGroups() throws {
    func period(_ number: Int, _ duration: Int) -> String {
      let template =
        "<SegmentTemplate duration=\"2\" initialization=\"\(number)$RepresentationID$i\" media=\"\(number)$RepresentationID$$Number$\"/>"
      let sound = "<InbandEventStream schemeIdUri=\"urn:s\" value=\"\(number)\"/>\(template)<Representation id=\"s\"/>"
      let sets = Self.set("\(template)<Representation id=\"v\"/>") + Self.set(sound, "mimeType=\"audio/mp4\" lang=\"de\"")
      return "<Period duration=\"PT\(duration)S\">\(sets)</Period>"
    }
    let found = try playlists("<MPD>\(period(1, 3))\(period(2, 2))</MPD>")
    #expect(
      lines(found.multivariant) == [
        "#EXTM3U", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"s\",LANGUAGE=\"de\",URI=\"show.mpd#s\"",
        "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"audio\"", "show.mpd#v",
      ])
    #expect(
      lines(found.media["v"]).dropFirst(3) == [
        "#EXT-X-MAP:URI=\"1vi\"", "#EXTINF:2,", "1v1", "#EXTINF:2,", "1v2", "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"2vi\"",
        "#EXTINF:2,", "2v1", "#EXT-X-ENDLIST",
      ])
    #expect(found.inband["show.mpd#s"] == [.init(scheme: "urn:s", value: "1"), .init(scheme: "urn:s", value: "2")])
    #expect(found.inband["show.mpd#v"] == [])
  }

  /// A live MPD without a timeline: what is there at this time of day.
  @Test func aLiveSnapshot() throws {
    let template = "<SegmentTemplate duration=\"2\" media=\"$Number$\"/>"
    let text = Self.mpd(
      Self.set("\(template)<Representation id=\"v\"/>"),
      "type=\"dynamic\" availabilityStartTime=\"2026-11-20T20:00:00Z\" timeShiftBufferDepth=\"PT4S\"")
    let now: Int64 = 1_795_204_800_000 + 11_000
    #expect(try segments(playlists(text, now: now).media["v"]).filter { !$0.hasPrefix("#") } == ["4", "5"])
    let manifest = try Manifest(Array(text.utf8), now: now)
    #expect(manifest.isDynamic && !manifest.hasClock && manifest.eventStreams == [:])
  }

  @Test func durations() throws {
    for (text, seconds) in [("PT1H2M3.5S", 3_723.5), ("P1DT1S", 86_401), ("PT0S", 0), ("P0Y0M0DT0H3M", 180), ("PT", 0)] {
      #expect(try Manifest.duration(text, "MPD", "x") == MediaTime(seconds: seconds))
    }
    for text in ["", "1S", "PT1", "PTS", "P1S", "PT-1S", "P1Y", "PT1e9S", "PT99999999999S", "PT1S2"] {
      #expect(throws: ManifestError.value(element: "MPD", attribute: "x", text)) { _ = try Manifest.duration(text, "MPD", "x") }
    }
  }

  @Test(arguments: [
    ("<MPD", ManifestError.xml(.damaged)), ("<mpd/>", .noManifest), ("<MPD/>", .empty), ("<MPD><Period/></MPD>", .empty),
    ("<!DOCTYPE MPD [<!ENTITY a \"b\">]><MPD>&a;</MPD>", .xml(.documentType)),
    (
      Self.mpd(Self.set("<Representation><SegmentTemplate media=\"$Number$\"/></Representation>")),
      .value(element: "SegmentTemplate", attribute: "duration", nil)
    ),
    (
      Self.mpd(Self.set("<Representation><SegmentTemplate duration=\"1\" media=\"$Nothing$\"/></Representation>")),
      .value(element: "SegmentTemplate", attribute: "media", "$Nothing$")
    ),
    (
      Self.mpd(Self.set("<Representation><SegmentTemplate timescale=\"0\" duration=\"1\" media=\"x\"/></Representation>")),
      .value(element: "SegmentTemplate", attribute: "timescale", "0")
    ),
    (
      Self.mpd(
        Self.set("<Representation><SegmentTemplate timescale=\"9999\" duration=\"1\" media=\"x\"/></Representation>"),
        "mediaPresentationDuration=\"PT99999S\""), .tooLarge
    ),
    (
      Self.mpd(
        Self.set(
          "<Representation><SegmentTemplate media=\"x\"><SegmentTimeline><S d=\"1\" r=\"99999999999\"/></SegmentTimeline>"
            + "</SegmentTemplate></Representation>"
        )),
      .tooLarge
    ),
    (
      Self.mpd(
        Self.set(
          "<Representation><SegmentTemplate media=\"x\"><SegmentTimeline><S d=\"18446744073709551615\"/></SegmentTimeline>"
            + "</SegmentTemplate></Representation>"
        )),
      .value(element: "S", attribute: "d", "18446744073709551615")
    ),
  ])
  func mistakes(text: String, error: ManifestError) {
    #expect(throws: error) { _ = try playlists(text) }
  }

  /// The events that an MPD holds itself, on the timeline of the segments.
  @Test func events() throws {
    let template = "<SegmentTemplate timescale=\"1000\" duration=\"2000\" media=\"$Number$\" presentationTimeOffset=\"10000\"/>"
    let set = Self.set(template + "<Representation id=\"a\"/>")
    func events(_ inside: String, _ attributes: String = "schemeIdUri=\"urn:x\" value=\"1\" timescale=\"90000\"") throws -> [Manifest.Event]
    {
      try Manifest(Array(Self.mpd("<EventStream \(attributes)>\(inside)</EventStream>" + set).utf8), now: 0).events
    }
    let stream = Manifest.EventStream(scheme: "urn:x", value: "1")
    func event(_ ticks: Int64, _ text: String) -> Manifest.Event {
      Manifest.Event(stream: stream, presentationTime: MediaTime(ticks: 900_000 + ticks), content: Array(text.utf8))
    }
    #expect(
      try events(
        "<Event presentationTime=\"90001\" id=\"1\" contentEncoding=\"base64\"> aG\n k= </Event><Event messageData=\"data\"/>"
          + "<Event presentationTime=\"3\"> text </Event><Event presentationTime=\"4\"><Signal/></Event>")
        == [event(90_001, "hi"), event(0, "data"), event(3, "text")])
    // The stream's own offset, and a timescale of its own.
    #expect(
      try events(
        "<Event presentationTime=\"7\">t</Event>", "schemeIdUri=\"urn:x\" value=\"1\" timescale=\"10\" presentationTimeOffset=\"5\"")
        == [event(18_000, "t")])
    // What cannot be read is left out.
    for wrong in [
      "presentationTime=\"-1\"", "presentationTime=\"x\"", "presentationTime=\"18446744073709551615\"", "contentEncoding=\"base64\"",
    ] {
      #expect(try events("<Event \(wrong)>?</Event><Event>t</Event>") == [event(0, "t")], "\(wrong)")
    }
    for wrong in ["0", "x", "99999999999"] {
      #expect(try events("<Event>t</Event>", "schemeIdUri=\"urn:x\" timescale=\"\(wrong)\"").isEmpty)
    }
  }
}
