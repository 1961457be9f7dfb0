import Basics
import EventReading
import Foundation
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import NIOCore
import NIOPosix
import RTMP
import TestSupport
import Testing

@testable import LiveSession
@testable import PublisherServer

/// A short stream for FFmpeg to publish.
private enum PublishedClip: String, FFmpegClip {
  case plain

  static let table = "published"
  var fileExtension: String { "flv" }
  var arguments: String {
    "-f lavfi -i testsrc2=size=160x120:rate=25:duration=8 -f lavfi -i sine=sample_rate=48000:duration=8 -c:v libx264 -preset ultrafast -bf 2 -g 25 "
      + "-threads 1 -c:a aac"
  }
}

/// A listener for publishers, from the socket to the segments.
@Suite struct PublisherServerTests {
  private static let key = "publish-0123456789abcdef"

  private func serve(_ body: (LiveSession, Int) async throws -> Void) async throws {
    let address = try #require(PublishAddress("rtmp://127.0.0.1:0/show"))
    var settings = LiveSettings(input: .publisher(address), outputs: [], game: "friday", playlist: .event)
    (settings.segmentDuration, settings.title) = (MediaTime(seconds: 2), "T")
    let session = try LiveSession(settings) { _ in }
    let server = try await PublisherServer.start(session.inboxes) { key, isLocal in key == Self.key && isLocal }
    let port = try #require(server.ports.first)
    session.start()
    do { try await body(session, port) } catch {
      await server.stop()
      await session.stopWaiting()
      throw error
    }
    await server.stop()
    await session.stopWaiting()
  }

  private func until(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// FFmpeg publishes twice, as after a lost connection; what comes out has both, and an event.
  @Test func publishedByFFmpeg() async throws {
    try await serve { session, port in
      for round in 1...2 {
        let arguments = ["-i", PublishedClip.plain.path, "-c", "copy", "-f", "flv", "rtmp://127.0.0.1:\(port)/show/\(Self.key)"]
        // FFmpeg is waited for on a thread of its own: this one belongs to other tests, too.
        let isPublished = await withCheckedContinuation { continuation in
          _ = Worker("ffmpeg") { continuation.resume(returning: Programs.ffmpeg(arguments)) }
        }
        #expect(isPublished)
        // Each publication has 8 s.
        try await until { (session.situation.time ?? .zero) >= MediaTime(ticks: Int64(round) * 8 * 90_000 - 45_000) }
        if round == 1 {
          _ = try await session.desk.change { (game, now) throws(LiveProblem) in
            try game.accept(LiveRequest(json: #"{"event":"startGame"}"#), newGUID: SampleGame.guid("start"), now: now)
          }
        }
      }
      await session.stopWaiting()
      let file = try #require(session.store.file(LivePlaylist.mediaName))
      guard case .media(let media) = try Playlist(file.bytes.span) else { throw CancellationError() }
      #expect(media.segments.count(where: { $0.isDiscontinuous }) == 1)
      #expect(media.segments.map(\.duration.billionths).reduce(0, +) > 15_000_000_000)
      var found: Set<String> = []
      for segment in media.segments where !segment.isGap {
        var reader = EventReader()
        let bytes = try #require(session.store.file(segment.uri)).bytes
        for case .copy(let copy, _) in try reader.push(bytes.span) + reader.finish() { found.insert(copy.event.guid.text) }
      }
      #expect(found == [SampleGame.guid("start").text])
    }
  }

  /// Data of a publisher are events of the session, in their order, with their own identifiers, and once.
  @Test func data() async throws {
    try await serve { session, _ in
      let inbox = try #require(session.inboxes.first)
      let number = try #require(inbox.begin())
      func event(_ name: String, _ guid: String, _ more: String = "") throws -> ForeignEvent {
        ForeignEvent(name: name, data: try #require(try JSONValue(parsing: "{\"guid\":\"\(guid)\"\(more)}").object))
      }
      let events = [
        try event("onTextData", "a", #","text":"x""#), try event("startGame", "b", #","title":"T""#),
        try event("onTextData", "a", #","text":"x""#),
        try event("onTextData", "a", #","text":"y""#), try event("two words", "c"),
      ]
      #expect(inbox.add([], events: events, of: number))
      try await until { session.situation.notices > 0 && session.desk.read { game, _ in game.statuses.count } == 2 }
      let cues = session.desk.read { game, _ in game.statuses.compactMap { game.request($0.guid).map { JSONValue.object($0).text } } }
      #expect(cues == [#"{"event":"onTextData","guid":"a","text":"x"}"#, #"{"event":"startGame","guid":"b","title":"T"}"#])
      #expect(session.situation.notice?.hasPrefix("rtmp://127.0.0.1:0/show: \"two words\" is left out: ") == true)
    }
  }

  @Test func noPlace() async throws {
    let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(taken.localAddress?.port)
    let inbox = PublisherInbox(try #require(PublishAddress("rtmp://127.0.0.1:\(port)/live")))
    do {
      let server = try await PublisherServer.start([inbox]) { _, _ in true }
      await server.stop()
      Issue.record("two listen on one port")
    } catch {
      #expect("\(error)".hasPrefix("cannot listen on rtmp://127.0.0.1:\(port)/live: "))
    }
    try await taken.close()
  }

  // MARK: Streams that begin and end at once

  private func inbox(_ number: Int) throws -> PublisherInbox {
    PublisherInbox(try #require(PublishAddress("rtmp://127.0.0.1:0/stream\(number)")))
  }

  /// Many streams at one place begin at once: one of them opens it, and it stays open until all have ended.
  @Test func beginAtOnce() async throws {
    let server = PublisherServer { _, _ in true }
    let inboxes = try (0..<20).map(inbox)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for inbox in inboxes { group.addTask { try await server.open([inbox]) } }
      try await group.waitForAll()
    }
    #expect(server.ports.count == 1)
    await withTaskGroup(of: Void.self) { group in
      for inbox in inboxes.dropFirst() { group.addTask { await server.close([inbox]) } }
    }
    #expect(server.ports.count == 1)
    await server.close([inboxes[0]])
    #expect(server.ports.isEmpty)
  }

  /// A stream begins while the only other one at its place ends: it has a listener, in whichever order they come.
  @Test func beginAndEndAtOnce() async throws {
    let server = PublisherServer { _, _ in true }
    var latest = try inbox(0)
    try await server.open([latest])
    for number in 1...20 {
      let (old, new) = (latest, try inbox(number))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await server.close([old]) }
        group.addTask { try await server.open([new]) }
        try await group.waitForAll()
      }
      let port = try #require(server.ports.first)
      let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port).get()
      try await client.close()
      latest = new
    }
    await server.close([latest])
    #expect(server.ports.isEmpty)
    await server.stop()
  }
}
