import Basics
import HLSPlaylist
import Testing

@testable import LiveHLS
@testable import LiveSession

/// The messages about a session's condition, once for each change.
@Suite struct ConditionWatchTests {
  private let format = StreamFormat(
    codecs: "avc1.64001E,mp4a.40.2", resolution: Resolution(width: 640, height: 360), frameRate: PlaylistDecimal(billionths: 29_970_000_000)
  )

  @Test func stream() {
    var watch = ConditionWatch()
    var (situation, format) = (LiveSession.Situation(), StreamFormat?.none)
    func messages() -> [String] { watch.messages(situation, format, refusal: nil, input: "udp://a:1") }
    #expect(messages() == [])
    situation.isInputUp = true
    #expect(messages() == [])
    situation.segments = 1
    (format, situation.input.bitRate, situation.keyFrameInterval) = (self.format, 2_404_000, MediaTime(seconds: 2))
    let line = "udp://a:1: avc1.64001E,mp4a.40.2, 640 x 360, 29.97 frames a second, 2.40 Mbit/s, a key frame every 2.0 s"
    #expect(messages() == [line])
    situation.input.bitRate = 3_000_000
    #expect(messages() == [])
    // It goes, and comes back; then it is coded in another way.
    situation.isInputUp = false
    #expect(messages() == [])
    situation.isInputUp = true
    // Only a segment of what is there now says how that is coded.
    #expect(messages() == [])
    situation.segments = 2
    #expect(messages() == [line.replacing("2.40", with: "3.00")])
    format = StreamFormat(codecs: nil)
    (situation.input.bitRate, situation.keyFrameInterval) = (0, nil)
    #expect(messages() == ["udp://a:1: codecs that are not known here"])
  }

  @Test func journal() {
    var watch = ConditionWatch()
    func messages(_ refusal: String?) -> [String] { watch.messages(LiveSession.Situation(), nil, refusal: refusal, input: "-") }
    #expect(messages("no event can be written: the disk is full") == ["no event can be written: the disk is full"])
    #expect(messages("no event can be written: the disk is full") == [])
    #expect(messages("no event can be written: for another reason") == [])
    #expect(messages(nil) == ["events can be written again"])
  }
}
