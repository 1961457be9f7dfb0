import Basics
import HLSPlaylist
import LiveHLS
import Testing

@testable import LiveSession

/// The messages about a session's condition, once for each change.
@Suite struct ConditionWatchTests {
  private let format = StreamFormat(
    codecs: "avc1.64001E,mp4a.40.2", resolution: Resolution(width: 640, height: 360), frameRate: PlaylistDecimal(billionths: 29_970_000_000)
  )

  @Test func stream() {
    var watch = ConditionWatch()
    var condition = SessionCondition()
    #expect(watch.messages(condition, input: "udp://a:1") == [])
    condition.isInputUp = true
    #expect(watch.messages(condition, input: "udp://a:1") == [])
    condition.segmentCount = 1
    (condition.format, condition.bitRate, condition.keyFrameInterval) = (format, 2_404_000, MediaTime(seconds: 2))
    let line = "udp://a:1: avc1.64001E,mp4a.40.2, 640 x 360, 29.97 frames a second, 2.40 Mbit/s, a key frame every 2.0 s"
    #expect(watch.messages(condition, input: "udp://a:1") == [line])
    condition.bitRate = 3_000_000
    #expect(watch.messages(condition, input: "udp://a:1") == [])
    // It goes, and comes back; then it is coded in another way.
    condition.isInputUp = false
    #expect(watch.messages(condition, input: "udp://a:1") == [])
    condition.isInputUp = true
    // Only a segment of what is there now says how that is coded.
    #expect(watch.messages(condition, input: "udp://a:1") == [])
    condition.segmentCount = 2
    #expect(watch.messages(condition, input: "udp://a:1") == [line.replacing("2.40", with: "3.00")])
    condition.format = StreamFormat(codecs: nil)
    (condition.bitRate, condition.keyFrameInterval) = (0, nil)
    #expect(watch.messages(condition, input: "udp://a:1") == ["udp://a:1: codecs that are not known here"])
  }

  @Test func journal() {
    var watch = ConditionWatch()
    var condition = SessionCondition()
    condition.refusal = "no event can be written: the disk is full"
    #expect(watch.messages(condition, input: "-") == ["no event can be written: the disk is full"])
    #expect(watch.messages(condition, input: "-") == [])
    condition.refusal = "no event can be written: for another reason"
    #expect(watch.messages(condition, input: "-") == [])
    condition.refusal = nil
    #expect(watch.messages(condition, input: "-") == ["events can be written again"])
  }
}
