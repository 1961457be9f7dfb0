import Basics
import EventReading
import Files
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Sessions that go on where one was killed.
@Suite struct RestartedSessionTests {
  /// A session over a file.
  ///
  /// - Parameter request: What is posted once five seconds have come; the session ends when it is in a segment.
  private func run(_ journal: String, _ type: SegmentType, _ request: String? = nil) async throws -> LiveSession {
    var settings = LiveSettings(
      input: .file(FragmentedSessionTests.Clip.plain.path), outputs: [], game: "friday", playlist: .event)
    settings.segmentType = type
    settings.segmentDuration = MediaTime(seconds: 2)
    settings.pace = request == nil ? 1_000 : 8
    // What comes later finds a stream, however slow this machine is.
    settings.loops = request != nil
    settings.journal = journal
    let session = try LiveSession(settings) { _ in }
    session.start()
    if let request {
      let request = try LiveRequest(json: request)
      while session.situation.time ?? .zero < MediaTime(seconds: 5) { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await session.desk.change { (game, now) throws(LiveProblem) in
        try game.accept(request, newGUID: SampleGame.guid("none"), now: now)
      }
      while session.desk.look({ game, _ in game.statuses.last?.segments.isEmpty ?? true }) { try await Task.sleep(for: .milliseconds(5)) }
      await session.stopWaiting()
    }
    while !session.situation.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
    return session
  }

  /// The copies of an event in all segments: when it happened, how old each copy says that it is, and the segment.
  private func copies(_ guid: String, _ session: LiveSession) throws -> [EventCopy] {
    let file = try #require(session.store.file("media.m3u8"))
    guard case .media(let playlist) = try Playlist(file.bytes.span) else { return [] }
    var copies: [EventCopy] = []
    for segment in playlist.segments {
      var reader = EventReader()
      let bytes = try [segment.initializationSegment?.uri, segment.uri].compactMap(\.self).flatMap {
        try #require(session.store.file($0)).bytes
      }
      for case .copy(let copy, _) in try reader.push(bytes.span) + reader.finish() where copy.event.guid.text == guid {
        copies.append(copy)
      }
    }
    return copies
  }

  /// The journal knew an event's place, and the segment with it was lost: the event comes again, with the time that it had.
  @Test(arguments: SegmentType.allCases) func anEventWhoseSegmentWasLost(type: SegmentType) async throws {
    let journal = try Workshop.newFolder() + "/journal"
    let first = try await run(journal, type, #"{"event":"poll","guid":"late"}"#)
    let at = try #require(first.desk.look { game, _ in game.statuses.last?.at })
    // The process was killed behind the record of the second event.
    let (records, _) = try JournalText.records(try Workshop.bytes(journal))
    let index = try #require(records.lastIndex { if case .placed(SampleGame.guid("late"), _, _, _) = $0 { true } else { false } })
    let kept = records[...index].filter { record in
      guard case .segment(let segment) = record else { return true }
      return segment.start + segment.duration <= at
    }
    try Workshop.write(kept.flatMap { JournalText.line($0) }, to: journal)
    let second = try await run(journal, type)
    let copies = try copies("late", second)
    #expect(copies.map(\.copy) == (type == .transportStream ? [1, 2, 3] : [1]))
    let (all, _) = try JournalText.records(try Workshop.bytes(journal))
    let start = try #require(
      all.dropFirst(kept.count).lazy.compactMap { if case .segment(let segment) = $0 { segment.start } else { nil } }.first)
    #expect(start >= at && copies.first?.age == start - at)
  }
}
