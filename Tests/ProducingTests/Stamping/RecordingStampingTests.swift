import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import LibAV
import TestSupport
import Testing

@testable import Stamping

/// Recordings and phones' videos become HLS.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct RecordingStampingTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  /// Segments start at key frames of open groups, too, and are then not called independent.
  @Test(arguments: SegmentType.allCases) func openGroups(type: SegmentType) throws {
    let summary = try #require(try presentation.stamp([.openGroups], type).first)
    #expect(summary.segments == 3 && summary.remuxed.leadingFrames == 0)
    #expect(try !presentation.multivariant().hasIndependentSegments)
    #expect(try !presentation.media("show-media.m3u8").hasIndependentSegments)
    let firsts = try read(try presentation.joined("show-media.m3u8")).copies.filter { $0.copy.copy == 1 }
    #expect(firsts.map { $0.copy.event } == SampleGame.plan().map { $0.event })
    try presentation.stamp([.mp4], type) { $0.overwrite = true }
    #expect(try presentation.multivariant().hasIndependentSegments)
  }

  /// Where open groups are all that there is, renditions are cut at them.
  @Test func openGroupsOfRenditions() throws {
    let summaries = try presentation.stamp([.openGroups, .openSmall], .transportStream)
    #expect(summaries.map { $0.segments } == [3, 3])
    #expect(try !presentation.multivariant().hasIndependentSegments)
  }

  /// Files that the old presentation names go; files that it does not name, or that have other names, stay.
  @Test func replacingLeavesNothingBehind() throws {
    try presentation.stamp([.mp4, .small], .fragmentedMP4)
    let others = ["show-segment-00009.ts", "show-notes.txt", "video.mp4"]
    for name in others { try Workshop.write([1], to: "\(presentation.folder)/hls/\(name)") }
    try presentation.stamp([.mp4], .transportStream) {
      $0.overwrite = true
      $0.segmentDuration = MediaTime(seconds: 9)
    }
    #expect(try presentation.entries == (others + ["show-media.m3u8", "show-segment-00000.ts", "show.m3u8"]).sorted())
  }

  /// What the old playlists name elsewhere, and inputs, are not removed.
  @Test func onlyOwnNamesAreRemoved() throws {
    try presentation.stamp([.mp4], .transportStream)
    let text =
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
      + ["show-segment-00000.ts", "movie.ts", "../show-out.ts", "show-a/b.ts", "https://example.com/show-c.ts"].map {
        "#EXTINF:1,\n\($0)\n"
      }.joined()
    try Workshop.write(Array(text.utf8), to: "\(presentation.folder)/hls/show-media.m3u8")
    let old = OldPresentation("show", in: presentation.folder + "/hls")
    #expect(old.files == ["show-media.m3u8", "show-segment-00000.ts"])
    #expect(OldPresentation("another", in: presentation.folder + "/hls").files == [])
  }

  /// The matrix of a phone's video is that of the track, and the playlist names the size that is shown.
  @Test func aTurnedPicture() throws {
    let matrix = try #require(TrackMatrix([0, 65_536, 0, -65_536, 0, 0, 120 << 16, 0, 1 << 30]))
    let original = try Workshop.bytes(Clip.mp4.path)
    let input = presentation.folder + "/turned.mp4"
    try Workshop.write(try matrix.setting(in: original.span), to: input)
    for type in SegmentType.allCases {
      var stamper = HLSStamper(inputs: [input], output: presentation.folder + "/hls/show.m3u8")
      stamper.segmentType = type
      stamper.overwrite = true
      let summary = try #require(try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy())).first)
      #expect(summary.remuxed.orientation == .turned(90))
      let isFragmented = type == .fragmentedMP4
      let size = isFragmented ? Resolution(width: 120, height: 160) : Resolution(width: 160, height: 120)
      #expect(try presentation.multivariant().variants.first?.resolution == size)
      guard isFragmented else { continue }
      let header = try presentation.bytes("show-segment-init.mp4")
      #expect(try TrackMatrix.all(in: header.span) == [matrix])
    }
  }

  @Test func whatAnEditListHides() throws {
    #expect(HiddenStart.duration(of: Clip.trimmed.path) == MediaTime(ticks: 13 * 3_600))
    #expect(HiddenStart.duration(of: Clip.mp4.path) == .zero)
    #expect(HiddenStart.duration(of: Clip.transportStream.path) == .zero)
    #expect(HiddenStart.duration(of: presentation.folder + "/missing.mp4") == .zero)
  }
}
