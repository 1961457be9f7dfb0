import Basics
import Testing

@testable import CueSheet

/// Timecodes without a rate, and rates that are measured.
@Suite struct TimecodeLabelTests {
  @Test(arguments: ["10:01:30:12", "00:00:00:00", "23:59:59:99", "10:01:30;02"]) func texts(text: String) throws {
    #expect(try #require(TimecodeLabel(text)).text == text)
  }

  @Test(arguments: [
    "", "10:01:30", "24:00:00:00", "10:60:00:00", "10:00:60:00", "1:02:03:04", "10:01:30:1", "10:01:30:123", "10;01:30:12", "10:01:30.12",
    "+1:02:03:04", "10:01:30:1x", "１0:01:30:1",
  ]) func otherTexts(text: String) { #expect(TimecodeLabel(text) == nil) }

  @Test func parts() {
    #expect(TimecodeLabel(hours: 1, minutes: 2, seconds: 3, frames: 4, isDrop: true)?.text == "01:02:03;04")
    #expect(TimecodeLabel(hours: 1, minutes: 2, seconds: 3, frames: 511, isDrop: false)?.text == "01:02:03:511")
    for parts in [(24, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0), (0, 0, 0, 512), (-1, 0, 0, 0), (0, 0, 0, -1)] {
      #expect(TimecodeLabel(hours: parts.0, minutes: parts.1, seconds: parts.2, frames: parts.3, isDrop: false) == nil)
    }
  }

  @Test func nearestRates() {
    let cases: [(ticks: Int64, frames: Int, isDrop: Bool, name: String?)] = [
      (10_800, 3, false, "25"), (9_000, 3, false, "30"), (9_009, 3, false, "29.97"), (9_000, 3, true, "29.97"),
      (11_261, 3, false, "23.976"),
      (5_400, 3, false, "50"), (4_505, 3, false, "59.94"), (4_500, 3, true, "59.94"),
      // At 25 there is no drop frame, whatever the stream says.
      (10_800, 3, true, "25"), (18_000, 3, false, nil), (0, 3, false, nil), (-10_800, 3, false, nil), (10_800, 0, false, nil),
    ]
    for item in cases {
      let rate = FrameRate.nearest(to: MediaTime(ticks: item.ticks), of: item.frames, isDrop: item.isDrop)
      #expect(rate?.name == item.name, "\(item)")
    }
  }

  @Test func wholeFrames() throws {
    let film = try #require(FrameRate("23.976"))
    for frame in [-100_001, -1, 0, 1, 2, 3, 999, 1_000_000] {
      // A frame lasts 3,753.75 ticks, and starts with the first tick that is not before it.
      let start = (Int64(frame) * 15_015 + (frame > 0 ? 3 : 0)) / 4
      #expect(film.wholeFrames(in: MediaTime(ticks: start)) == frame)
      #expect(film.wholeFrames(in: MediaTime(ticks: start + 3_000)) == frame)
      #expect(film.wholeFrames(in: MediaTime(ticks: start - 1)) == frame - 1)
    }
    // Times that no stream has do not trap.
    #expect(film.wholeFrames(in: MediaTime(ticks: .max)) > 0 && film.wholeFrames(in: MediaTime(ticks: .min)) < 0)
  }
}
