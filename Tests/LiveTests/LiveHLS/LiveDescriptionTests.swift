import Basics
import DASH
import GameEvents
import HLSPlaylist
import LiveGame
import Stamping
import Testing

@testable import LiveHLS
@testable import PacketStamping

/// The MPD beside live fragmented MP4.
@Suite struct LiveDescriptionTests {
  /// A playlist of segments of two seconds with video, and audio in a track of its own.
  private struct Listing {
    var playlist: LivePlaylist
    var time = MediaTime.zero
    /// By how many milliseconds dates are ahead.
    var correction: Int64 = 0
    /// The date of the timeline origin, in milliseconds since 1970.
    static let origin: Int64 = 1_795_366_000_000

    init(
      _ kind: LivePlaylist.Kind = .event, _ type: SegmentType = .fragmentedMP4, renditionCount: Int = 0, hasParts: Bool = false
    ) {
      playlist = LivePlaylist(
        kind, type, prefix: "p", renditionCount: renditionCount, hasParts: hasParts, fragmentOrigin: MediaTime(seconds: 10))
    }

    static var program: LiveProgram {
      LiveProgram(
        initialization: [1], mainCodecs: "avc1.64001f",
        audio: [.init(initialization: [2], language: "eng", channelCount: 2, codecs: "mp4a.40.2")],
        resolution: Resolution(width: 320, height: 180), frameRate: PlaylistDecimal(billionths: 25_000_000_000))
    }

    mutating func append(
      _ boundary: SegmentClock.Boundary = .randomAccess, program: LiveProgram? = nil, audio: [UInt8]? = [UInt8](repeating: 0, count: 500),
      variants: [LiveSegment.Part?] = []
    ) {
      var segment = LiveSegment(
        bytes: [UInt8](repeating: 0, count: 2_500), start: time, duration: MediaTime(seconds: 2), boundary: boundary,
        isIndependent: boundary == .randomAccess, guids: [], targetDuration: 2)
      (segment.program, segment.audio, segment.variants) = (program, [audio], variants)
      _ = playlist.append(segment, wallClock: Self.origin + time.ticks / 90 + correction)
      time += MediaTime(seconds: 2)
    }

    mutating func gap() {
      _ = playlist.appendGap(MediaTime(seconds: 2), now: Self.origin + time.ticks / 90)
      time += MediaTime(seconds: 2)
    }

    func text(clock: String? = nil) -> String? { playlist.descriptionFile(clock: clock).map { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The lines of the MPD that begin with one of those elements, without what is in front.
    func lines(_ elements: String...) -> [String] {
      (text() ?? "").split(separator: "\n").map { $0.drop { $0 == " " } }.filter { line in
        elements.contains { line.hasPrefix("<\($0) ") }
      }.map { String($0) }
    }
  }

  @Test func theText() throws {
    var listing = Listing()
    #expect(listing.text() == nil)
    listing.append(program: Listing.program)
    listing.append()
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" availabilityStartTime="2026-11-22T16:46:40.000Z" publishTime="2026-11-22T16:46:44.000Z" minimumUpdatePeriod="PT2S" minBufferTime="PT2S" timeShiftBufferDepth="PT4S" suggestedPresentationDelay="PT6S">
        <Period id="0" start="PT0S">
          <AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
            <InbandEventStream schemeIdUri="https://aomedia.org/emsg/ID3" value=""/>
            <InbandEventStream schemeIdUri="urn:scte:scte35:2013:bin" value=""/>
            <Representation id="main" bandwidth="10000" codecs="avc1.64001f" width="320" height="180" frameRate="25">
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="0" initialization="p-init0.mp4" media="p-$Number$.m4s">
                <SegmentTimeline>
                  <S t="900000" d="180000" r="1"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
          <AdaptationSet id="2" contentType="audio" mimeType="audio/mp4" segmentAlignment="true" startWithSAP="1" lang="en">
            <Representation id="audio1" bandwidth="2000" codecs="mp4a.40.2">
              <AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
              <SegmentTemplate timescale="90000" presentationTimeOffset="900000" startNumber="0" initialization="p-init0-audio1.mp4" media="p-$Number$-audio1.m4s">
                <SegmentTimeline>
                  <S t="900000" d="180000" r="1"/>
                </SegmentTimeline>
              </SegmentTemplate>
            </Representation>
          </AdaptationSet>
        </Period>
        <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="time.txt"/>
      </MPD>

      """
    #expect(listing.text(clock: "time.txt") == expected)
    #expect(listing.playlist.upcomingNames == ["p-2.m4s", "p-2-audio1.m4s"])
    // A folder has it between the media playlists and the multivariant playlist.
    #expect(try listing.playlist.playlists().map(\.name) == ["audio1.m3u8", "media.m3u8", "index.mpd", "index.m3u8"])
  }

  /// Transport streams have none.
  @Test func transportStreams() throws {
    var listing = Listing(.event, .transportStream)
    listing.append()
    #expect(listing.text() == nil && listing.playlist.upcomingNames.isEmpty)
    #expect(try listing.playlist.playlists().map(\.name) == ["media.m3u8", "index.m3u8"])
  }

  /// A period begins behind a discontinuity, with other initialization segments, behind a gap, and where a track is missing.
  @Test func periods() {
    var listing = Listing()
    listing.append(program: Listing.program)
    listing.append(.discontinuity)
    listing.append(program: Listing.program)
    listing.append(audio: nil)
    listing.gap()
    listing.append()
    listing.append()
    #expect(
      listing.lines("Period") == [
        #"<Period id="0" start="PT0S">"#, #"<Period id="1" start="PT2S">"#, #"<Period id="2" start="PT4S">"#,
        #"<Period id="3" start="PT6S" duration="PT2S">"#, #"<Period id="5" start="PT10S">"#,
      ])
    #expect(
      listing.lines("S") == [
        #"<S t="900000" d="180000"/>"#, #"<S t="900000" d="180000"/>"#, #"<S t="1080000" d="180000"/>"#, #"<S t="1080000" d="180000"/>"#,
        #"<S t="1260000" d="180000"/>"#, #"<S t="1260000" d="180000"/>"#, #"<S t="1440000" d="180000"/>"#,
        #"<S t="1800000" d="180000" r="1"/>"#, #"<S t="1800000" d="180000" r="1"/>"#,
      ])
    let sets = listing.lines("AdaptationSet")
    // Decoding cannot start with a segment that begins without a key frame.
    #expect(sets.count == 9 && sets[2] == #"<AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true">"#)
    #expect(listing.lines("InbandEventStream").count == 10)
  }

  /// A period begins if the dates of the playlists have moved.
  @Test func movedDates() {
    var listing = Listing()
    for correction: Int64 in [0, 1, 11, 11, 1, 1] {
      listing.correction = correction
      listing.append(program: listing.time == .zero ? Listing.program : nil)
    }
    #expect(
      listing.lines("Period") == [
        #"<Period id="0" start="PT0S">"#, #"<Period id="2" start="PT4.011S">"#, #"<Period id="4" start="PT8.001S">"#,
      ])
    #expect(listing.lines("S").last == #"<S t="1620000" d="180000" r="1"/>"#)
  }

  /// If the machine's clock is set back, what would be in the future leaves the MPD, and its start goes back only if it must.
  @Test func datesThatGoBack() {
    var listing = Listing()
    for _ in 0..<5 { listing.append(program: listing.time == .zero ? Listing.program : nil) }
    listing.correction = -7_000
    listing.append(.discontinuity)
    #expect(listing.lines("Period") == [#"<Period id="0" start="PT0S">"#, #"<Period id="5" start="PT3S">"#])
    listing.correction = -3_600_000
    listing.append(.discontinuity)
    #expect(listing.lines("Period") == [#"<Period id="6" start="PT0S">"#])
    #expect(listing.text()?.contains(#"availabilityStartTime="2026-11-22T15:46:52.000Z""#) == true)
  }

  /// What has left the window is listed no longer, and a period keeps its start.
  @Test func theWindow() {
    var listing = Listing(.window(MediaTime(seconds: 6)))
    listing.append(program: Listing.program)
    for _ in 0..<5 { listing.append() }
    #expect(listing.lines("Period") == [#"<Period id="0" start="PT0S">"#])
    #expect(listing.lines("S") == Array(repeating: #"<S t="1440000" d="180000" r="2"/>"#, count: 2))
    #expect(listing.lines("SegmentTemplate").first?.contains(#"presentationTimeOffset="900000" startNumber="3""#) == true)
    listing.append(.discontinuity)
    for _ in 0..<2 { listing.append() }
    #expect(listing.lines("Period") == [#"<Period id="6" start="PT12S">"#])
    #expect(listing.lines("MPD").first?.contains(#"timeShiftBufferDepth="PT6S""#) == true)
  }

  /// The renditions are one set, whose events are those of each.
  @Test func renditions() {
    var listing = Listing(renditionCount: 1)
    listing.append(program: Listing.program, variants: [.init(bytes: [UInt8](repeating: 0, count: 1_000), program: Listing.program)])
    #expect(
      listing.lines("AdaptationSet", "InbandEventStream", "Representation") == [
        #"<AdaptationSet id="1" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">"#,
        #"<InbandEventStream schemeIdUri="https://aomedia.org/emsg/ID3" value=""/>"#,
        #"<InbandEventStream schemeIdUri="urn:scte:scte35:2013:bin" value=""/>"#,
        #"<Representation id="main" bandwidth="10000" codecs="avc1.64001f" width="320" height="180" frameRate="25">"#,
        #"<Representation id="v2" bandwidth="4000" codecs="avc1.64001f" width="320" height="180" frameRate="25">"#,
        #"<AdaptationSet id="2" contentType="audio" mimeType="audio/mp4" segmentAlignment="true" startWithSAP="1" lang="en">"#,
        #"<Representation id="audio1" bandwidth="2000" codecs="mp4a.40.2">"#,
      ])
    #expect(listing.playlist.upcomingNames == ["p-1.m4s", "p-1-audio1.m4s", "p-1-v2.m4s"])
  }

  /// A folder's web server is asked for the time; where nobody can, it is that of the MPD. So no player asks a public server.
  @Test func clocksOfFolders() throws {
    var listing = Listing()
    listing.append(program: Listing.program)
    let written = try #require(listing.playlist.playlists().first { $0.name == "index.mpd" })
    let clocks = String(decoding: written.bytes, as: UTF8.self).split(separator: "\n").filter { $0.contains("UTCTiming") }
    #expect(
      clocks == [
        #"  <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-head:2014" value="index.mpd"/>"#,
        #"  <UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014" value="2026-11-22T16:46:42.000Z"/>"#,
      ])
  }

  /// At the end it is static and says how long it lasts, on the same timeline, and nothing is announced.
  @Test(arguments: [nil, "time.txt"]) func theEnd(clock: String?) throws {
    var listing = Listing()
    listing.append(program: Listing.program)
    listing.append()
    let before = listing.lines("Period", "S")
    listing.playlist.end()
    let head = try #require(listing.lines("MPD").first)
    #expect(head.hasSuffix(#" type="static" mediaPresentationDuration="PT4S" minBufferTime="PT2S">"#))
    #expect(listing.lines("Period", "S") == before && before.first == #"<Period id="0" start="PT0S">"#)
    #expect(listing.text(clock: clock)?.contains("UTCTiming") == false)
    #expect(listing.playlist.upcomingNames.isEmpty)
  }

  /// A session that goes on counts from the first segment of the one before.
  @Test func goingOn() throws {
    var continuation = LivePlaylist.Continuation(mediaSequence: 5, discontinuitySequence: 0, targetDuration: 2)
    continuation.firstDate = Listing.origin - 60_000
    var listing = Listing()
    listing.playlist = LivePlaylist(
      .event, .fragmentedMP4, prefix: "q", fragmentOrigin: MediaTime(seconds: 10), following: continuation)
    listing.append(program: Listing.program)
    let head = try #require(listing.lines("MPD").first)
    #expect(head.contains(#"availabilityStartTime="2026-11-22T16:45:40.000Z""#))
    #expect(listing.lines("Period") == [#"<Period id="5" start="PT60S">"#])
    listing.playlist.end()
    #expect(listing.lines("MPD").first?.contains(#"mediaPresentationDuration="PT62S""#) == true)
  }

  /// Frame rates are whole numbers or fractions.
  @Test(arguments: [
    (25_000, "25"), (23_976, "24000/1001"), (29_970, "30000/1001"), (59_940, "60000/1001"), (12_500, "12500/1000"), (0, "0"),
  ]) func frameRates(thousandths: Int64, text: String) {
    #expect(PlaylistDecimal(billionths: thousandths * 1_000_000).fraction == text)
  }

  // MARK: Events, and the latency

  /// What is in the playlists as date ranges is in the period in which it begins, with the ids of the event messages.
  @Test func eventsOfPeriods() throws {
    var listing = Listing()
    listing.append(program: Listing.program)
    listing.append(.discontinuity)
    let date = PlaylistDate(milliseconds: 0)
    func range(_ id: String, at time: MediaTime, _ content: EventStream.Event.Content) -> LiveDateRange {
      LiveDateRange(
        DateRange(id: id, startDate: date), start: time, end: time + MediaTime(seconds: 9),
        events: [EventStream.Event(time: time, duration: MediaTime(seconds: 1), id: UInt32(time.ticks), content)])
    }
    listing.playlist.dateRanges.set(range("a", at: MediaTime(seconds: 1), .message([1, 2, 3])))
    listing.playlist.dateRanges.set(range("b", at: MediaTime(seconds: 5), .splice([0xFC, 1])))
    listing.playlist.dateRanges.set(range("c", at: MediaTime(seconds: 6), .message([4])))
    #expect(
      listing.lines("Period", "EventStream", "Event", "Binary", "Signal") == [
        #"<Period id="0" start="PT0S">"#, #"<EventStream schemeIdUri="https://aomedia.org/emsg/ID3" value="" timescale="90000">"#,
        #"<Event presentationTime="90000" duration="90000" id="90000" contentEncoding="base64">AQID</Event>"#,
        #"<Period id="1" start="PT2S">"#, #"<EventStream schemeIdUri="urn:scte:scte35:2014:xml+bin" value="" timescale="90000">"#,
        #"<Event presentationTime="270000" duration="90000" id="450000">"#,
        #"<Signal xmlns="http://www.scte.org/schemas/35/2016">"#,
        #"<EventStream schemeIdUri="https://aomedia.org/emsg/ID3" value="" timescale="90000">"#,
        #"<Event presentationTime="360000" duration="90000" id="540000" contentEncoding="base64">BA==</Event>"#,
      ])
    #expect(listing.text()?.contains("<Binary>/AE=</Binary>") == true)
    #expect(listing.lines("ServiceDescription", "Latency", "ProducerReferenceTime") == [])
  }

  /// Presentations with parts say how far behind players should be, and when the encoder received what is presented at a time.
  @Test func latency() {
    var listing = Listing(hasParts: true)
    listing.append(program: Listing.program)
    #expect(
      listing.lines("Latency", "PlaybackRate", "ProducerReferenceTime") == [
        #"<Latency referenceId="0" target="6000" min="4000" max="12000"/>"#, #"<PlaybackRate min="0.96" max="1.04"/>"#,
        #"<ProducerReferenceTime id="0" inband="false" type="encoder" wallClockTime="2026-11-22T16:46:40.000Z" presentationTime="900000"/>"#,
        #"<ProducerReferenceTime id="0" inband="false" type="encoder" wallClockTime="2026-11-22T16:46:40.000Z" presentationTime="900000"/>"#,
      ])
  }
}
