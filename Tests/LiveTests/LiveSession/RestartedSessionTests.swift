import Basics
import EventReading
import Files
import Foundation
import GameEvents
import HLSPlaylist
import LiveGame
import LiveHLS
import Seals
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Sessions that continue one that was killed.
@Suite struct RestartedSessionTests {
  /// Answers that were sealed with a key from outside are not sealed with another one.
  @Test func theKeyIsMissing() throws {
    let journal = try Workshop.newFolder() + "/journal"
    try Workshop.write(JournalText.bytes([.started(game: "g", sealKey: nil)], room: 1), to: journal)
    func session(_ change: (inout LiveSettings) -> Void) throws -> LiveSession {
      var settings = LiveSettings(input: .standardInput, outputs: [], game: "g", playlist: .event)
      settings.journal = journal
      change(&settings)
      return try LiveSession(settings) { _ in }
    }
    let error = #expect(throws: LiveSessionError.self) { _ = try session { _ in } }
    guard case .journal(journal, let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(reason.contains("it has no key for answers; give the session the --seal-key or the --open-answers that it began with"))
    _ = try session { $0.sealKey = .random() }
    _ = try session { $0.hasOpenAnswers = true }
  }

  /// The journal knew a segment, and the process ended before its file was written: it is a gap, and what came before it stays.
  @Test(arguments: SegmentType.allCases) func aSegmentThatWasNotWritten(type: SegmentType) async throws {
    let folder = try Workshop.newFolder()
    func run() async throws -> MediaPlaylist {
      var sample = SessionSample(type: type, journal: folder + "/journal")
      sample.folder = folder
      return try await sample.run().media()
    }
    let first = try await run()
    let last = try #require(first.segments.last)
    try FileManager.default.removeItem(atPath: "\(folder)/\(last.uri)")
    let second = try await run()
    let kept = second.segments.prefix(first.segments.count)
    #expect(second.mediaSequence == first.mediaSequence && second.segments.count == 2 * first.segments.count)
    #expect(kept.map(\.uri) == first.segments.map(\.uri))
    #expect(kept.map(\.isGap) == first.segments.dropLast().map { _ in false } + [true])
    #expect(second.segments.dropFirst(kept.count).allSatisfy { !$0.isGap })
    #expect(second.segments[kept.count].isDiscontinuous)
  }

  /// Players may have parts of a segment that a killed process has begun: its number is that of a gap.
  @Test(arguments: [false, true]) func aSegmentThatWasBegun(isKilled: Bool) async throws {
    let folder = try Workshop.newFolder()
    let journal = folder + "/journal"
    func run() async throws -> MediaPlaylist {
      var sample = SessionSample(type: .transportStream, partDuration: MediaTime(seconds: 0.5), journal: journal)
      sample.folder = folder
      return try await sample.run().media()
    }
    let first = try await run()
    if isKilled {
      let records = try JournalText.contents(try Workshop.bytes(journal)).records
      try Workshop.write(JournalText.bytes(records.filter { $0 != .ended }, room: 1), to: journal)
    }
    let second = try await run()
    let begun = isKilled ? [true] : []
    #expect(first.segments.count == 4 && second.segments.prefix(4).map(\.uri) == first.segments.map(\.uri))
    #expect(second.segments.map(\.isGap) == [false, false, false, false] + begun + [false, false, false, false])
    #expect(second.segments.map(\.isDiscontinuous) == [false, false, false, false] + begun + [true, false, false, false])
  }

  /// If the journal has an event's place and its segment is lost, the event is sent again with the same time.
  @Test(arguments: SegmentType.allCases) func anEventWhoseSegmentWasLost(type: SegmentType) async throws {
    let journal = try Workshop.newFolder() + "/journal"
    let late = SessionSample.Later(request: try LiveRequest(json: #"{"event":"poll","guid":"late"}"#), time: MediaTime(seconds: 5))
    let first = try await SessionSample(type: type, journal: journal, later: late).run()
    let at = try #require(first.desk.read { game, _ in game.statuses.last?.at })
    // The process was killed behind the record of the second event.
    let records = try JournalText.contents(try Workshop.bytes(journal)).records
    let index = try #require(records.lastIndex { if case .placed(SampleGame.guid("late"), _, _, _) = $0 { true } else { false } })
    let kept = records[...index].filter { record in
      guard case .segment(let segment) = record else { return true }
      return segment.start + segment.duration <= at
    }
    try Workshop.write(JournalText.bytes(Array(kept), room: 1), to: journal)
    let second = try await SessionSample(type: type, journal: journal).run()
    let copies = try second.media().segments.flatMap { try second.items(of: $0) }.compactMap { item in
      if case .copy(let copy, _) = item, copy.event.guid == SampleGame.guid("late") { copy } else { nil }
    }
    #expect(copies.map(\.copy) == (type == .transportStream ? [1, 2, 3] : [1]))
    let all = try JournalText.contents(try Workshop.bytes(journal)).records
    let start = try #require(
      all.dropFirst(kept.count).lazy.compactMap { if case .segment(let segment) = $0 { segment.start } else { nil } }.first)
    #expect(start >= at && copies.first?.age == start - at)
  }
}
