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
  /// Short streams that FFmpeg makes, with reordered frames, and audio in two languages.
  enum Clip: String, FFmpegClip {
    case plain
    case wrapping

    static let table = "fragments"
    var fileExtension: String { "ts" }

    var arguments: String {
      let start = self == .plain ? "10" : "95440"
      return "-f lavfi -i testsrc2=size=160x120:rate=25:duration=8 -f lavfi -i sine=sample_rate=48000:duration=8 "
        + "-f lavfi -i sine=frequency=880:sample_rate=48000:duration=8 -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1 "
        + "-c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -muxdelay 0 -output_ts_offset \(start)"
    }
  }

  /// A session over a file that comes faster than it should, to its end.
  ///
  /// - Parameters:
  ///   - requests: What is posted before the input begins.
  ///   - later: What is posted once three seconds have come; the session ends when it is in a segment.
  private func run(_ clip: Clip, _ requests: [LiveRequest] = [], later: LiveRequest? = nil) async throws -> LiveSession {
    var settings = LiveSettings(input: .file(clip.path), outputs: [], game: "friday", playlist: .event)
    settings.segmentType = .fragmentedMP4
    settings.segmentDuration = MediaTime(seconds: 2)
    settings.pace = later == nil ? 1_000 : 8
    // What comes later finds a stream, however slow this machine is.
    settings.loops = later != nil
    settings.title = "T"
    settings.hasOpenAnswers = true
    let session = try LiveSession(settings) { _ in }
    // What is accepted before the input begins goes before its first access unit.
    session.desk.start()
    for (number, request) in requests.enumerated() {
      _ = try await session.desk.change { (game, now) throws(LiveProblem) in
        try game.accept(request, newGUID: SampleGame.guid("\(number)"), now: now)
      }
    }
    session.start()
    if let later {
      while session.situation.time ?? .zero < MediaTime(seconds: 3) { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await session.desk.change { (game, now) throws(LiveProblem) in
        try game.accept(later, newGUID: SampleGame.guid("later"), now: now)
      }
      while session.desk.look({ game, _ in game.statuses.last?.segments.isEmpty ?? true }) { try await Task.sleep(for: .milliseconds(5)) }
      await session.stopWaiting()
    }
    while !session.situation.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
    return session
  }

  private func media(_ name: String, _ session: LiveSession) throws -> MediaPlaylist {
    let file = try #require(session.store.file(name))
    guard case .media(let media) = try Playlist(file.bytes.span) else { throw PlaylistIsMissing() }
    return media
  }

  struct PlaylistIsMissing: Error {}

  /// The bytes of a track: its initialization segment and all segments.
  private func bytes(_ playlist: MediaPlaylist, _ session: LiveSession) throws -> [UInt8] {
    let map = try #require(playlist.segments.first?.initializationSegment?.uri)
    return try ([map] + playlist.segments.map(\.uri)).flatMap { try #require(session.store.file($0)).bytes }
  }

  @Test(arguments: [Clip.plain, .wrapping]) func tracks(clip: Clip) async throws {
    let session = try await run(clip)
    let main = try media("media.m3u8", session)
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
      let audio = try media(name, session)
      #expect(audio.segments.map(\.duration) == main.segments.map(\.duration) && audio.isEnded)
      let fragments = try Fragments(bytes(audio, session))
      #expect((374...377).contains(fragments.sampleCount))
    }
    #expect(session.situation.segments == 4 && session.situation.discontinuities == 0)
  }

  /// Each event is there once, at its own tick, in the segment that presents it.
  @Test func events() async throws {
    let session = try await run(
      .plain, [try LiveRequest(json: #"{"event":"poll","guid":"now"}"#)], later: try LiveRequest(json: #"{"event":"poll","guid":"later"}"#))
    let statuses = session.desk.look { game, _ in game.statuses }
    let later = try #require(statuses.last?.at)
    let playlist = try media("media.m3u8", session)
    var times: [String: [MediaTime]] = [:]
    var segments: [String: [Int]] = [:]
    for (number, segment) in playlist.segments.enumerated() {
      var reader = EventReader()
      let map = try #require(segment.initializationSegment?.uri)
      let bytes = try [map, segment.uri].flatMap { try #require(session.store.file($0)).bytes }
      for case .copy(let copy, let place) in try reader.push(bytes.span) + reader.finish() {
        times[copy.event.guid.text, default: []].append(place.presentationTime - MediaTime(seconds: 10))
        segments[copy.event.guid.text, default: []].append(number)
      }
    }
    #expect(times == ["now": [.zero], "later": [later]])
    #expect(segments == ["now": [0], "later": statuses[1].segments.map { Int($0) }])
    #expect(later >= MediaTime(seconds: 3) && statuses[0].segments == [0] && statuses[1].segments.count == 1)
  }

  /// What goes on is refreshed at the start of each segment.
  @Test func refreshes() async throws {
    let session = try await run(.plain, [try LiveRequest(json: #"{"event":"startGame","guid":"start"}"#)])
    let copies = try media("media.m3u8", session).segments.map { segment in
      var reader = EventReader()
      let map = try #require(segment.initializationSegment?.uri)
      let bytes = try [map, segment.uri].flatMap { try #require(session.store.file($0)).bytes }
      let items = try reader.push(bytes.span) + reader.finish()
      return items.count { if case .copy = $0 { true } else { false } }
    }
    #expect(copies == [1, 1, 1, 1])
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
