import Basics
import EventSchedule
import HLSPlaylist
import TestSupport
import Testing

@testable import LibAV
@testable import Stamping

/// Text subtitles of files become WebVTT.
@Suite struct SubtitleTests {
  @Test(
    arguments: [
      ("subrip", "{\\an8}<i>Tom & Jerry</i>\r\n\r\n<font color=red>2 --> 3", "<i>Tom &amp; Jerry</i>\n&lt;font color=red&gt;2 --&gt; 3"),
      ("ass", "7,0,Default,,0,0,0,,{\\pos(1,2)}One, two\\Nthree\\h4", "One, two\nthree 4"),
      ("webvtt", "<v Ann>Hello\n \nthere", "<v Ann>Hello\nthere"),
      ("mov_text", "\0\u{5}a < bstyl", "a &lt; b"), ("mov_text", "\0\0", nil), ("ass", "7,0", nil),
    ] as [(String, String, String?)]) func texts(codec: String, bytes: String, text: String?)
  {
    #expect(SubtitleCue.text(Array(bytes.utf8), codec: codec) == text)
  }

  @Test func cuesAndSegments() {
    func packet(_ start: Double, _ duration: Double?, _ text: String) -> SubtitlePacket {
      SubtitlePacket(
        stream: 2, start: MediaTime(seconds: start), duration: duration.map { MediaTime(seconds: $0) }, bytes: Array(text.utf8))
    }
    let cues = SubtitleCue.cues(
      [packet(3.5, nil, "c"), packet(-1, 2, "a"), packet(2, nil, "b"), packet(-3, 2, "gone"), packet(5, 1, " ")], codec: "text")
    let times = cues.map { [$0.time.lowerBound, $0.time.upperBound] }
    let expected: [[Double]] = [[0, 1], [2, 3.5], [3.5, 5]]
    #expect(times == expected.map { $0.map { MediaTime(seconds: $0) } })
    #expect(cues.map(\.text) == ["a", "b", "c"])
    let segment = cues.segment(MediaTime(seconds: 3)..<MediaTime(seconds: 6), origin: MediaTime(seconds: 10))
    #expect(
      segment == """
        WEBVTT
        X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000

        00:00:02.000 --> 00:00:03.500
        b

        00:00:03.500 --> 00:00:05.000
        c

        """)
  }

  /// Two languages of a file, with segments that go with those of the video.
  @Test(.enabled(if: Programs.hasFFmpeg, Workshop.reason), arguments: [SegmentType.transportStream, .fragmentedMP4])
  func renditions(type: SegmentType) throws {
    let folder = try Workshop.newFolder()
    let srt = "1\n00:00:00,500 --> 00:00:01,500\nOne <b>bold</b>\n\n2\n00:00:01,800 --> 00:00:02,600\nTwo\n"
    try Workshop.write(Array(srt.utf8), to: folder + "/in.srt")
    let input = Workshop.file(
      "subtitles-\(type.rawValue).mkv",
      "-i \(Clip.mp4.path) -i \(folder)/in.srt -i \(folder)/in.srt -map 0 -map 1 -map 2 -c copy -c:s subrip -metadata:s:s:0 language=ger "
        + "-metadata:s:s:1 language=eng")
    var stamper = HLSStamper(inputs: [input], output: folder + "/hls/show.m3u8")
    (stamper.segmentType, stamper.segmentDuration) = (type, MediaTime(seconds: 1))
    let summary = try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    #expect(summary.first?.remuxed.leftOut == [])
    let main = try #require(try Self.playlist("\(folder)/hls/show.m3u8").main)
    let subtitles = main.renditions.filter { $0.type == .subtitles }
    #expect(subtitles.map(\.language) == ["de", "en"])
    #expect(subtitles.map(\.name) == ["de", "en"])
    #expect(main.variants.map(\.subtitles) == ["subtitles"])
    let video = try #require(try Self.playlist("\(folder)/hls/show-media.m3u8").media)
    let text = try #require(try Self.playlist("\(folder)/hls/show-subtitles.m3u8").media)
    #expect(text.segments.map(\.duration) == video.segments.map(\.duration))
    #expect(text.segments.count > 1)
    let second = String(decoding: try Workshop.bytes(folder + "/hls/show-subtitles-00001.vtt"), as: UTF8.self)
    #expect(second.hasPrefix("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:"))
    #expect(second.contains("00:00:00.500 --> 00:00:01.500\nOne <b>bold</b>\n"))
    #expect(second.contains("00:00:01.800 --> 00:00:02.600\nTwo\n"))
  }

  private static func playlist(_ path: String) throws -> (main: MultivariantPlaylist?, media: MediaPlaylist?) {
    let bytes = try Workshop.bytes(path)
    switch try Playlist(bytes.span) {
    case .multivariant(let main): return (main, nil)
    case .media(let media): return (nil, media)
    }
  }
}
