import Basics
import Testing

@testable import Stamping

/// Peak bit rates, over segments in a row that last between half and one and a half target durations.
@Suite struct BandwidthTests {
  /// A track whose segments last so many seconds and have so many bytes.
  private func track(_ segments: [(seconds: Int, byteCount: Int)]) -> TrackTimeline {
    var track = TrackTimeline(playlistName: "")
    for (seconds, byteCount) in segments {
      let segment = TrackTimeline.Segment(
        name: "", number: 0, start: track.end, duration: MediaTime(seconds: seconds), byteCount: byteCount)
      #expect(track.append(segment).isEmpty)
    }
    return track
  }

  @Test func theLargestSegmentIsThePeak() {
    #expect(track([(6, 6_000), (6, 12_000), (6, 3_000)]).peakBitRate(targetDuration: 6) == 16_000)
  }

  /// A short segment at the end counts only together with the one before it.
  @Test func aShortSegmentIsNoPeakByItself() {
    #expect(track([(6, 6_000), (1, 6_000)]).peakBitRate(targetDuration: 6) == (12_000 * 8 + 6) / 7)
    #expect(track([(1, 500)]).peakBitRate(targetDuration: 6) == 4_000)
  }

  @Test func shortSegmentsCountTogether() {
    #expect(track([(2, 1_000), (2, 3_000), (2, 1_000)]).peakBitRate(targetDuration: 6) == 8_000)
  }

  /// Rates are rounded up, and neither a duration of nothing nor any number of bytes is too much.
  @Test func rates() {
    #expect(MediaTime(seconds: 2).bitRate(byteCount: 1_000) == 4_000)
    #expect(MediaTime(seconds: 3).bitRate(byteCount: 1_000) == 2_667)
    #expect(MediaTime(seconds: 2).bitRate(byteCount: 0) == 0 && MediaTime.zero.bitRate(byteCount: 1) == 720_000)
    #expect(MediaTime(ticks: -5).bitRate(byteCount: 1) == 720_000)
    #expect(MediaTime(seconds: 1).bitRate(byteCount: .max) == .max)
    #expect(MediaTime(ticks: .max).bitRate(byteCount: .max / 720_000) == 1)
  }
}
