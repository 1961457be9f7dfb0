import HLSPlaylist
import HLSReading
import StreamDoctor
import TestSupport
import Testing
import TransportStream

/// What doctors say of whole presentations.
@Suite struct PresentationTests {
  /// Text, images and frames of sound carry no events, and are no damage. An error page in a variant is.
  @Test(arguments: [
    ("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n", true), ("\u{FEFF}WEBVTT", true), ("<tt xmlns=\"http://www.w3.org/ns/ttml\"/>", true),
    ("{\"a\":1}", true), ("", true), ("<html>not found, and something more</html>", false),
  ]) func segmentsOfText(text: String, isOfSubtitles: Bool) throws {
    var presentation = try SamplePresentation()
    presentation.multivariant += "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"s\",URI=\"s.m3u8\"\n"
    presentation.renditions.append(
      .init(uri: "s.m3u8", isVariant: !isOfSubtitles, playlist: SamplePresentation.playlist(count: 1), segments: [Array(text.utf8)]))
    #expect(presentation.report().rules.isEmpty == isOfSubtitles, "\(presentation.report().rules)")
  }

  /// The tables of a transport stream in its initialization segment (RFC 8216, 3.1).
  @Test func tablesInTheInitializationSegment() throws {
    let segments = try SamplePresentation.segments(withoutTables: [0, 1, 2])
    let tables = SamplePacket.all(in: TagStream().bytes).filter { $0.pid == ProgramAssociationTable.pid || $0.pid == 0x1000 }.prefix(2)
    let playlist = SamplePresentation.playlist(version: 6, tags: "#EXT-X-MAP:URI=\"map\"\n")
    var presentation = try SamplePresentation(segments, playlist: playlist)
    presentation.renditions[0].map = tables.flatMap(\.bytes)
    let report = presentation.report()
    #expect(report.rules == [] && report.player(.hlsjs)?.events == 1)
    presentation.renditions[0].map = nil
    #expect(presentation.report().rules.contains("EVENT-NO-TAGS"))
  }

  @Test func aPlaylistThatIsNotThere() {
    var doctor = StreamDoctor(name: "index.m3u8")
    doctor.receive(missingPlaylist: "none.m3u8", "no such file")
    let finding = doctor.finish().findings.first
    #expect(finding?.rule.id == "HLS-MISSING" && finding?.places.map { "\($0): \($0.found)" } == ["none.m3u8: no such file"])
  }
}
