import Basics
import EventReading
import GameEvents
import HLSPlaylist
import LiveGame
import Stamping
import TestSupport
import Testing

@testable import LiveHLS
@testable import LiveSession

/// Live sessions that list parts of segments, and the files that clients wait for.
@Suite struct LowLatencySessionTests {
  /// The names of the parts of a segment.
  private func parts(_ segment: MediaSegment) -> [String] {
    segment.unknownTags.compactMap { tag in tag.split(separator: "\"").dropFirst().first.map { String($0) } }
  }

  /// Each segment has parts, which are it, byte for byte; so it is in tracks of audio and in another rendition.
  @Test(arguments: SegmentType.allCases) func partsOfSegments(type: SegmentType) async throws {
    let session = try await SessionSample(type: type, partDuration: MediaTime(seconds: 0.5), variants: [.small]).run()
    let playlist = try session.media()
    #expect(playlist.isEnded && playlist.segments.count == 4 && playlist.trailingTags.isEmpty)
    #expect(
      playlist.unknownTags == [
        "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,PART-HOLD-BACK=1.44", "#EXT-X-PART-INF:PART-TARGET=0.48",
      ])
    #expect(playlist.segments.map(\.unknownTags.count) == [0, 5, 5, 5])
    for segment in playlist.segments.dropFirst() {
      let first = try #require(segment.unknownTags.first)
      #expect(first.hasPrefix("#EXT-X-PART:DURATION=0.48,") && first.hasSuffix(",INDEPENDENT=YES"))
      let (whole, joined) = (try session.bytes([segment.uri]), try session.bytes(parts(segment)))
      #expect(whole == joined)
    }
    // Those of the first one are too old to be listed, and can still be loaded.
    let early = try #require(playlist.segments.first?.uri)
    let name = early.split(separator: ".").map(String.init)
    let (whole, joined) = (try session.bytes([early]), try session.bytes((0..<5).map { "\(name[0]).\($0).\(name[1])" }))
    #expect(whole == joined)
    for name in ["media2.m3u8"] + (type == .fragmentedMP4 ? ["audio1.m3u8", "audio2.m3u8"] : []) {
      let other = try session.media(name)
      #expect(other.unknownTags == playlist.unknownTags && other.segments.count == 4)
      for segment in other.segments.dropFirst() {
        let (whole, joined) = (try session.bytes([segment.uri]), try session.bytes(parts(segment)))
        #expect(whole == joined && parts(segment).count == 5)
      }
    }
  }

  /// An event is in one part of its segment.
  @Test(arguments: SegmentType.allCases) func eventsInParts(type: SegmentType) async throws {
    var sample = SessionSample(type: type, partDuration: MediaTime(seconds: 0.5))
    sample.later = .init(request: try LiveRequest(json: #"{"event":"poll","guid":"later"}"#), time: MediaTime(seconds: 3))
    // On a busy machine more segments may follow than parts are listed of.
    sample.pace = 1
    let session = try await sample.run()
    let status = try #require(session.desk.read { game, _ in game.statuses.first })
    let playlist = try session.media()
    var holding: [UInt64] = []
    for (index, segment) in playlist.segments.enumerated() {
      for name in parts(segment) {
        var reader = EventReader()
        let bytes = try session.bytes([segment.initializationSegment?.uri, name].compactMap(\.self))
        let items = try reader.push(bytes.span) + reader.finish()
        let count = items.count { if case .copy(let copy, _) = $0 { copy.copy == 1 } else { false } }
        holding += Array(repeating: playlist.mediaSequence + UInt64(index), count: count)
      }
    }
    #expect(holding.count == 1 && status.segments.first == holding.first)
  }

  private static func update(_ progress: PlaylistProgress, _ text: String, hints: [String], parts: [SegmentFile] = [])
    -> SegmentStore.Update
  {
    var playlist = ReloadedPlaylist(name: "media.m3u8", bytes: Array(text.utf8), progress: progress, hints: hints)
    playlist.update = Array("\(text), without".utf8)
    return SegmentStore.Update(playlists: [], targetDuration: 2, parts: parts, reloaded: [playlist])
  }

  /// A request for the next part has to wait, and finds it once it exists.
  @Test func waiting() async throws {
    let store = SegmentStore(folder: nil) { _ in }
    var progress = PlaylistProgress(nextSequence: 7, openParts: 1, lastParts: 4, advanceLimit: 6, isEnded: false)
    store.publish(Self.update(progress, "one", hints: ["p-7.1.ts"]))
    let query = ["_HLS_msn": "7", "_HLS_part": "1"]
    #expect(store.find("media.m3u8", query: query) == .coming(seconds: 6))
    #expect(store.find("p-7.1.ts") == .coming(seconds: 6) && store.find("p-7.2.ts") == .missing)
    #expect(store.find("media.m3u8", query: ["_HLS_part": "1"]) == .refused("_HLS_part comes with _HLS_msn"))
    #expect(store.find("media.m3u8", query: ["_HLS_msn": "9"]) == .refused("the playlist has not come near that"))
    let type = "application/vnd.apple.mpegurl"
    #expect(store.find("media.m3u8") == .file(.init(bytes: Array("one".utf8), contentType: type, lifetime: 1)))
    let waiting = Task { await store.changes.wait { store.find("p-7.1.ts") != .coming(seconds: 6) } }
    while store.changes.observerCount == 0 { await Task.yield() }
    progress.openParts = 2
    store.publish(Self.update(progress, "two", hints: ["p-7.2.ts"], parts: [SegmentFile(name: "p-7.1.ts", bytes: [1])]))
    await waiting.value
    #expect(store.find("media.m3u8", query: query) == .file(.init(bytes: Array("two".utf8), contentType: type, lifetime: 12)))
    #expect(
      store.find("media.m3u8", query: query.merging(["_HLS_skip": "YES"]) { $1 })
        == .file(.init(bytes: Array("two, without".utf8), contentType: type, lifetime: 12)))
    #expect(store.find("p-7.1.ts") == .file(.init(bytes: [1], contentType: "video/mp2t", lifetime: nil)))
    // Nobody waits for what does not come.
    #expect(store.find("p-7.2.ts") == .coming(seconds: 6))
    let late = Task { await store.changes.wait { store.isClosed } }
    while store.changes.observerCount == 0 { await Task.yield() }
    store.close()
    await late.value
    #expect(store.find("p-7.2.ts") == .missing && store.find("media.m3u8", query: ["_HLS_msn": "7"]) == .missing)
    #expect(store.changes.observerCount == 0)
  }
}
