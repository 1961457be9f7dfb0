import Basics
import DASH
import Testing

/// The MPD of a presentation.
@Suite struct MediaPresentationTests {
  private typealias Segment = MediaPresentation.SegmentTemplate.Segment

  private func segments(_ times: [(start: Int64, duration: Int64)]) -> [Segment] {
    times.map { Segment(start: MediaTime(ticks: $0.start), duration: MediaTime(ticks: $0.duration)) }
  }

  private func template(_ name: String, _ segments: [Segment]) -> MediaPresentation.SegmentTemplate {
    MediaPresentation.SegmentTemplate(
      initialization: "\(name)-init.mp4", media: .init(prefix: "\(name)-", suffix: ".m4s"), start: MediaTime(seconds: 10),
      segments: segments)
  }

  /// All of it: sets, segments of one duration as one entry, a track that begins later, and names with signs that mean something.
  @Test func text() {
    var video = MediaPresentation.Representation(
      id: "1", bandwidth: 200_000, segments: template("a&b$", segments([(900_000, 90_000), (990_000, 90_000), (1_080_000, 45_000)])))
    (video.codecs, video.width, video.height, video.frameRate) = ("avc1.64000d", 320, 240, "30000/1001")
    var audio = MediaPresentation.Representation(
      id: "2", bandwidth: 64_000, segments: template("sound", segments([(990_000, 90_000), (1_090_000, 35_000)])))
    audio.channelCount = 2
    var presentation = MediaPresentation(duration: MediaTime(ticks: 225_090), minimumBuffer: MediaTime(seconds: 1))
    presentation.adaptationSets = [.init(.video, representations: [video]), .init(.audio, representations: [audio])]
    presentation.adaptationSets[0].eventSchemes = ["https://aomedia.org/emsg/ID3"]
    (presentation.adaptationSets[1].language, presentation.adaptationSets[1].startsWithKeyFrames) = ("en", false)
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="PT2.501S" minBufferTime="PT1S">
        <Period id="1" start="PT0S">
          <AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
            <InbandEventStream schemeIdUri="https://aomedia.org/emsg/ID3" value=""/>
            <Representation id="1" bandwidth="200000" codecs="avc1.64000d" width="320" height="240" frameRate="30000/1001">
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="0" initialization="a&amp;b$$-init.mp4" media="a&amp;b$$-$Number%05d$.m4s">
                <SegmentTimeline>
                  <S t="900000" d="90000" r="1"/>
                  <S d="45000"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
          <AdaptationSet id="2" contentType="audio" mimeType="audio/mp4" segmentAlignment="true" lang="en">
            <Representation id="2" bandwidth="64000">
              <AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="0" initialization="sound-init.mp4" media="sound-$Number%05d$.m4s">
                <SegmentTimeline>
                  <S t="990000" d="90000"/>
                  <S t="1090000" d="35000"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
        </Period>
      </MPD>

      """
    #expect(presentation.text == expected)
  }

  /// The events of a stream are in the order of their times; those of one time stay as they came.
  @Test func eventsInOrder() {
    func event(_ seconds: Int, _ id: UInt32) -> EventStream.Event { .init(time: MediaTime(seconds: seconds), id: id, .message([1])) }
    #expect(
      EventStream(scheme: "a", events: [event(3, 1), event(9, 2), event(3, 3), event(1, 4)]).events
        == [event(1, 4), event(3, 1), event(3, 3), event(9, 2)])
  }
}
