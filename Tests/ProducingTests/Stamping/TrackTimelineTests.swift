import Basics
import HLSPlaylist
import Testing

@testable import Stamping

/// Media playlists of tracks that grow, as text.
@Suite struct TrackTimelineTests {
  /// Appends segments of some seconds each, the first number `first`, and returns the numbers of those that have expired.
  private func append(_ durations: [Int], from first: Int = 0, to track: inout TrackTimeline, discontinuousAt: Set<Int> = []) -> [Int] {
    durations.enumerated().flatMap { index, seconds in
      let number = first + index
      let segment = TrackTimeline.Segment(
        name: "s\(number).ts", number: number, start: track.end, duration: MediaTime(seconds: seconds), byteCount: 1_000,
        isDiscontinuous: discontinuousAt.contains(number))
      return track.append(segment).map { $0.number }
    }
  }

  private func text(_ track: TrackTimeline, _ annotations: TrackTimeline.Annotations = .init()) throws -> String {
    String(decoding: try track.mediaPlaylist(annotations).encode(), as: UTF8.self)
  }

  @Test func onDemand() throws {
    var track = TrackTimeline(playlistName: "media.m3u8")
    #expect(append([6, 4], to: &track) == [])
    track.isEnded = true
    #expect(
      try text(track) == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXTINF:6,
        s0.ts
        #EXTINF:4,
        s1.ts
        #EXT-X-ENDLIST

        """)
  }

  @Test func event() throws {
    var track = TrackTimeline(playlistName: "media.m3u8", .event)
    track.fixedTargetDuration = 8
    track.initializationSegment = "init.mp4"
    #expect(append([6, 6, 6, 6, 6, 6, 6, 6], to: &track) == [])
    #expect(track.segments.count == 8)
    let all = try text(track)
    #expect(
      all.hasPrefix(
        """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:8
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="init.mp4"
        #EXTINF:6,
        s0.ts

        """))
    #expect(all.hasSuffix("#EXTINF:6,\ns7.ts\n"))
  }

  /// The window keeps at least three target durations, and both sequence numbers count what has expired.
  @Test func slidingWindow() throws {
    var track = TrackTimeline(playlistName: "media.m3u8", .window(.zero), mediaSequence: 40, discontinuitySequence: 2)
    track.fixedTargetDuration = 4
    #expect(append([4, 4, 4], to: &track, discontinuousAt: [1]) == [])
    #expect(append([2], from: 3, to: &track, discontinuousAt: [3]) == [])
    #expect(append([4, 4], from: 4, to: &track) == [0, 1])
    #expect(
      try text(track) == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:42
        #EXT-X-DISCONTINUITY-SEQUENCE:3
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXTINF:4,
        s2.ts
        #EXT-X-DISCONTINUITY
        #EXTINF:2,
        s3.ts
        #EXTINF:4,
        s4.ts
        #EXTINF:4,
        s5.ts

        """)
    track.isEnded = true
    #expect(try text(track).hasSuffix("s5.ts\n#EXT-X-ENDLIST\n"))
  }

  /// Whatever comes, a reload finds neither sequence number lower and no listed segment changed.
  @Test func reloadsFindNothingWrong() {
    var track = TrackTimeline(playlistName: "media.m3u8", .window(MediaTime(seconds: 20)))
    track.fixedTargetDuration = 6
    var previous: MediaPlaylist?
    for number in 0..<200 {
      _ = append([1 + number % 6], from: number, to: &track, discontinuousAt: number % 7 == 3 ? [number] : [])
      let playlist = track.mediaPlaylist()
      if let previous {
        #expect(playlist.mediaSequence >= previous.mediaSequence && playlist.discontinuitySequence >= previous.discontinuitySequence)
        #expect(playlist.endSequence == previous.endSequence + 1)
      }
      let listed = track.segments.reduce(MediaTime.zero) { $0 + $1.duration }
      #expect(number < 10 || (listed >= MediaTime(seconds: 20) && listed < MediaTime(seconds: 27)))
      previous = playlist
    }
    #expect(track.mediaSequence > 150)
    #expect(track.discontinuitySequence > 20)
  }

  /// Date ranges expire with the segments that they lie in.
  @Test func dateRangesOfTheWindow() throws {
    var track = TrackTimeline(playlistName: "media.m3u8", .window(.zero))
    track.fixedTargetDuration = 2
    let date = try #require(PlaylistDate("2026-01-01T00:00:00Z"))
    var annotations = TrackTimeline.Annotations(programDateTime: date)
    annotations.dateRanges = [1, 7].map { second in
      let time = MediaTime(seconds: second)
      return (time, DateRange(id: "e\(second)", rangeClass: "c", startDate: date.later(by: time), attributes: AttributeList()))
    }
    #expect(append([2, 2], to: &track) == [])
    #expect(try text(track, annotations).contains("ID=\"e1\""))
    #expect(append([2, 2], from: 2, to: &track) == [0])
    let text = try text(track, annotations)
    #expect(!text.contains("ID=\"e1\"") && text.contains("ID=\"e7\""))
  }
}
