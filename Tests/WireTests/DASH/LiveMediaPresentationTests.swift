import Basics
import DASH
import Testing

/// The MPD of a presentation that goes on.
@Suite struct LiveMediaPresentationTests {
  private func period(_ id: String, start: Int, duration: MediaTime? = nil, firstNumber: UInt64) -> LiveMediaPresentation.Period {
    var media = MediaPresentation.SegmentTemplate.Media(prefix: "p-", suffix: ".m4s")
    (media.firstNumber, media.digitCount) = (firstNumber, 1)
    let segments = (0..<2).map {
      MediaPresentation.SegmentTemplate.Segment(start: MediaTime(seconds: 10 + 2 * $0), duration: MediaTime(seconds: 2))
    }
    let template = MediaPresentation.SegmentTemplate(
      initialization: "p-init.mp4", media: media, start: MediaTime(seconds: 10), segments: segments)
    return .init(
      id: id, start: MediaTime(seconds: start), duration: duration,
      adaptationSets: [.init(.video, representations: [.init(id: "main", bandwidth: 1_000, segments: template)])])
  }

  /// All of it: what goes on, with a period that ends early, numbers without leading zeros, and a clock.
  @Test func goingOn() {
    let presentation = LiveMediaPresentation(
      periods: [period("7", start: 100, duration: MediaTime(seconds: 4), firstNumber: 7), period("12", start: 110, firstNumber: 12)],
      start: "1970-01-01T00:15:00.000Z", publishTime: "1970-01-01T00:16:54.000Z", updateInterval: MediaTime(seconds: 2),
      timeShiftBuffer: MediaTime(seconds: 8), minimumBuffer: MediaTime(seconds: 2), delay: MediaTime(seconds: 6),
      clocks: [.file("time.txt"), .answer("index.mpd"), .time("1970-01-01T00:16:54.000Z")])
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" availabilityStartTime="1970-01-01T00:15:00.000Z" publishTime="1970-01-01T00:16:54.000Z" minimumUpdatePeriod="PT2S" minBufferTime="PT2S" timeShiftBufferDepth="PT8S" suggestedPresentationDelay="PT6S">
        <Period id="7" start="PT100S" duration="PT4S">
          <AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
            <Representation id="main" bandwidth="1000">
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="7" initialization="p-init.mp4" media="p-$Number$.m4s">
                <SegmentTimeline>
                  <S t="900000" d="180000" r="1"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
        </Period>
        <Period id="12" start="PT110S">
          <AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
            <Representation id="main" bandwidth="1000">
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="12" initialization="p-init.mp4" media="p-$Number$.m4s">
                <SegmentTimeline>
                  <S t="900000" d="180000" r="1"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
        </Period>
        <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="time.txt"/>
        <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-head:2014" value="index.mpd"/>
        <UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014" value="1970-01-01T00:16:54.000Z"/>
      </MPD>

      """
    #expect(presentation.text == expected)
  }

  /// Where nothing follows it is static and has its duration: nobody asks again, or for the time.
  @Test func ended() {
    let presentation = LiveMediaPresentation(
      periods: [], start: "1970-01-01T00:15:00.000Z", publishTime: "1970-01-01T00:16:44.000Z", updateInterval: MediaTime(seconds: 2),
      end: MediaTime(seconds: 104), timeShiftBuffer: MediaTime(seconds: 4), minimumBuffer: MediaTime(seconds: 2),
      delay: MediaTime(seconds: 6), clocks: [.file("time.txt")])
    #expect(
      presentation.text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="PT104S" minBufferTime="PT2S">
        </MPD>

        """)
  }
}
