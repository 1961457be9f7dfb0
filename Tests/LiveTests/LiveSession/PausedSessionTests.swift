import Basics
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Sessions that another one of the same process continues.
@Suite struct PausedSessionTests {
  private static func settings(_ folder: String, _ type: SegmentType = .transportStream) -> LiveSettings {
    var settings = LiveSettings(input: .file(SessionClip.plain.path), outputs: [], game: "friday", playlist: .event)
    (settings.segmentType, settings.segmentDuration) = (type, MediaTime(seconds: 2))
    (settings.journal, settings.pace, settings.loops) = (folder + "/journal", 8, true)
    return settings
  }

  /// A session with some segments.
  private static func run(_ settings: LiveSettings, after before: LiveSession? = nil) async throws -> LiveSession {
    try await TestThread.run {
      let session = try LiveSession(settings, after: before) { _ in }
      session.start()
      while session.situation.segments < 3 { try await Task.sleep(for: .milliseconds(5)) }
      return session
    }
  }

  private static func paused(_ settings: LiveSettings) async throws -> LiveSession {
    let session = try await run(settings)
    await Worker.run { session.pause() }
    return session
  }

  /// Clients load the same playlists and the same segments, and the next session adds its own.
  @Test(arguments: SegmentType.allCases, [nil, MediaTime(seconds: 0.5)]) func goesOn(type: SegmentType, parts: MediaTime?) async throws {
    var settings = Self.settings(try Workshop.newFolder(), type)
    settings.partDuration = parts
    let first = try await Self.paused(settings)
    let left = try first.media()
    #expect(!left.isEnded && !first.situation.hasEnded && !first.situation.isInputUp && !first.store.isClosed)
    settings.title = "Another"
    let second = try await Self.run(settings, after: first)
    #expect(second.store === first.store)
    await second.stopWaiting()
    let all = try second.media()
    let old = all.segments.prefix(left.segments.count)
    #expect(all.isEnded && all.mediaSequence == left.mediaSequence && old.map(\.uri) == left.segments.map(\.uri))
    #expect(all.segments.count >= left.segments.count + 3 && all.segments.allSatisfy { !$0.isGap })
    #expect(all.segments[left.segments.count].isDiscontinuous)
    for segment in all.segments { #expect(try !second.bytes([segment.uri]).isEmpty) }
    #expect(second.store.isClosed && second.situation.hasEnded)
  }

  /// Files of another form, or in another place, are another presentation. So is one with another journal, whose numbers are others.
  @Test func anotherPresentation() async throws {
    let folder = try Workshop.newFolder()
    let changes: [(inout LiveSettings) -> Void] = [
      { $0.segmentType = .fragmentedMP4 }, { $0.partDuration = MediaTime(seconds: 1) }, { $0.playlist = .window(MediaTime(seconds: 30)) },
      { $0.outputs = [LiveOutputAddress(folder + "/other/index.m3u8")].compactMap(\.self) }, { $0.journal = folder + "/journal" },
    ]
    for change in changes {
      let first = try await Self.paused(Self.settings(try Workshop.newFolder()))
      var settings = first.settings
      change(&settings)
      let second = try await Self.run(settings, after: first)
      #expect(second.store !== first.store && first.store.isClosed)
      await second.stopWaiting()
    }
  }

  @Test func concluded() async throws {
    let session = try await Self.paused(Self.settings(try Workshop.newFolder()))
    #expect(throws: LiveProblem.busy("the stream begins again")) {
      _ = try session.desk.accept(LiveRequest(json: #"{"event":"poll"}"#), as: SampleGame.guid("late"))
    }
    await Worker.run { session.conclude() }
    #expect(try session.media().isEnded && session.store.isClosed)
  }

  /// Without a journal no session can continue: the end is the end.
  @Test func withoutJournal() async throws {
    var settings = Self.settings(try Workshop.newFolder())
    settings.journal = nil
    let session = try await Self.paused(settings)
    #expect(try session.media().isEnded && session.store.isClosed && session.situation.hasEnded)
  }

  /// A session that fails and is begun again does not end its stream; any other one does.
  @Test(arguments: [true, false]) func failed(beginsAgain: Bool) async throws {
    let folder = try Workshop.newFolder()
    try Workshop.write([UInt8](repeating: 0x21, count: 4_000), to: folder + "/noise.ts")
    var settings = Self.settings(folder)
    settings.input = .file(folder + "/noise.ts")
    settings.beginsAgain = beginsAgain
    let session = try LiveSession(settings) { _ in }
    session.start()
    await session.feed.end()
    #expect(session.failure != nil && session.store.isClosed != beginsAgain && session.situation.hasEnded != beginsAgain)
  }

  /// A session that cannot begin after all leaves the presentation to the next one.
  @Test func abandoned() async throws {
    let first = try await Self.paused(Self.settings(try Workshop.newFolder()))
    let second = try LiveSession(first.settings, after: first) { _ in }
    await Worker.run { second.abandon() }
    #expect(!first.store.isClosed)
    let third = try await Self.run(first.settings, after: first)
    #expect(third.store === first.store)
    await third.stopWaiting()
    #expect(try third.media().isEnded)
  }
}
