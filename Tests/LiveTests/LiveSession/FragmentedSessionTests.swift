import Basics
import CMAF
import EventReading
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Live sessions whose segments are fragmented MP4.
@Suite struct FragmentedSessionTests {
  /// The bytes of a track: its initialization segment and all segments.
  private func bytes(_ playlist: MediaPlaylist, _ session: LiveSession) throws -> [UInt8] {
    let map = try #require(playlist.segments.first?.initializationSegment?.uri)
    return try session.bytes([map] + playlist.segments.map(\.uri))
  }

  @Test(arguments: [SessionClip.plain, .wrapping]) func tracks(clip: SessionClip) async throws {
    let session = try await SessionSample(clip: clip).run()
    let main = try session.media()
    #expect(main.segments.map(\.duration.billionths) == [2_000_000_000, 2_000_000_000, 2_000_000_000, 2_000_000_000])
    #expect(main.segments.map(\.isDiscontinuous) == [false, false, false, false])
    #expect(main.version == 7 && main.isEnded && main.hasIndependentSegments)
    let multivariant = String(decoding: try #require(session.store.file("index.m3u8")).bytes, as: UTF8.self)
    #expect(
      multivariant.contains(
        """
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="en",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="1",URI="audio1.m3u8"
        """), "\(multivariant)")
    #expect(multivariant.contains("CODECS=\"avc1.4D400B,mp4a.40.2\",RESOLUTION=160x120,FRAME-RATE=25"), "\(multivariant)")
    // All frames are there, each once, from the same time on in all tracks.
    #expect(try Fragments(bytes(main, session)).sampleCount == 200)
    for name in ["audio1.m3u8", "audio2.m3u8"] {
      let audio = try session.media(name)
      #expect(audio.segments.map(\.duration) == main.segments.map(\.duration) && audio.isEnded)
      let fragments = try Fragments(bytes(audio, session))
      #expect((374...377).contains(fragments.sampleCount))
    }
    #expect(session.situation.segments == 4 && session.situation.discontinuities == 0)
  }

  /// Each event is there once, at its own tick, in the segment that presents it.
  @Test func events() async throws {
    var sample = SessionSample(requests: [try LiveRequest(json: #"{"event":"poll","guid":"now"}"#)])
    sample.later = .init(request: try LiveRequest(json: #"{"event":"poll","guid":"later"}"#), time: MediaTime(seconds: 3))
    let session = try await sample.run()
    let statuses = session.desk.read { game, _ in game.statuses }
    let later = try #require(statuses.last?.at)
    var times: [String: [MediaTime]] = [:]
    var segments: [String: [Int]] = [:]
    for (number, segment) in try session.media().segments.enumerated() {
      for case .copy(let copy, let place) in try session.items(of: segment) {
        times[copy.event.guid.text, default: []].append(place.presentationTime - MediaTime(seconds: 10))
        segments[copy.event.guid.text, default: []].append(number)
      }
    }
    #expect(times == ["now": [.zero], "later": [later]])
    #expect(segments == ["now": [0], "later": statuses[1].segments.map { Int($0) }])
    #expect(later >= MediaTime(seconds: 3) && statuses[0].segments == [0] && statuses[1].segments.count == 1)
  }

  /// Active events are refreshed at the start of each segment.
  @Test func refreshes() async throws {
    let session = try await SessionSample(requests: [try LiveRequest(json: #"{"event":"startGame","guid":"start"}"#)]).run()
    let copies = try session.media().segments.map { segment in
      try session.items(of: segment).count { if case .copy = $0 { true } else { false } }
    }
    #expect(copies == [1, 1, 1, 1])
  }

  /// Players of MPEG-DASH get an MPD with all segments, and the current time. It has ended, so that no request waits.
  @Test func description() async throws {
    let session = try await SessionSample().run()
    let file = try #require(session.store.file("index.mpd"))
    #expect(file.contentType == "application/dash+xml" && file.lifetime == 1)
    let text = String(decoding: file.bytes, as: UTF8.self)
    #expect(text.contains(#"type="static" mediaPresentationDuration="PT8S""#) && text.contains(#"<Period id="0" start="PT0S">"#))
    #expect(!text.contains("UTCTiming"))
    let repeated = text.split(separator: "\n").filter { $0.contains(#" d="180000" r="3"/>"#) }
    #expect(repeated.count == 3, "\(text)")
    #expect(text.contains(#"lang="en""#) && text.contains(#"lang="de""#))
    let clock = try #require(session.store.file("time.txt"))
    #expect(clock.contentType == "text/plain; charset=utf-8" && clock.lifetime == 0)
    #expect(PlaylistDate(String(decoding: clock.bytes, as: UTF8.self)) != nil)
    // Transport streams have neither.
    let other = try await SessionSample(type: .transportStream).run()
    #expect(other.store.find("index.mpd") == .missing && other.store.find("time.txt") == .missing)
  }

  /// A request for the next segment waits for it; requests for later ones do not wait.
  @Test func upcomingSegments() {
    let store = SegmentStore(folder: nil) { _ in }
    var update = SegmentStore.Update(playlists: [SegmentFile(name: "media.m3u8", bytes: [1])], targetDuration: 2)
    update.upcoming = ["p-7.m4s"]
    store.publish(update)
    #expect(store.find("p-7.m4s") == .coming(seconds: 6) && store.find("p-8.m4s") == .missing)
    // A part changes nothing of that.
    store.publish(SegmentStore.Update(playlists: [], targetDuration: 2))
    #expect(store.find("p-7.m4s") == .coming(seconds: 6))
    (update.segments, update.upcoming) = ([SegmentFile(name: "p-7.m4s", bytes: [7])], ["p-8.m4s"])
    store.publish(update)
    #expect(store.file("p-7.m4s")?.bytes == [7] && store.find("p-8.m4s") == .coming(seconds: 6))
    store.close()
    #expect(store.find("p-8.m4s") == .missing)
  }
}

/// What movie fragments hold.
private struct Fragments {
  var sampleCount: Int64 = 0

  init(_ bytes: [UInt8]) throws {
    var reader = FragmentReader()
    for item in reader.push(bytes.span) {
      guard case .fragment(let fragment, _) = item else { continue }
      for track in fragment.tracks { sampleCount += track.sampleCount }
    }
  }
}
