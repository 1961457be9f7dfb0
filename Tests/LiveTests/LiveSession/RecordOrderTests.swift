import Basics
import Files
import LiveGame
import LiveHLS
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// The order in which a session writes what happens in the stream.
@Suite struct RecordOrderTests {
  /// Whole segments come at once, with events in them: each place is written before the segment that has the event. A node that goes on after a crash
  /// in between would otherwise place the event again, and viewers would have it twice.
  @Test(arguments: SegmentType.allCases) func placesBeforeTheirSegment(type: SegmentType) async throws {
    let journal = try Workshop.newFolder() + "/journal"
    var settings = LiveSettings(input: .file(SessionClip.small.path), outputs: [], game: "friday", playlist: .event)
    (settings.segmentType, settings.segmentDuration, settings.journal, settings.title) = (type, MediaTime(seconds: 2), journal, "T")
    let session = try await TestThread.run { [settings] in try LiveSession(settings) { _ in } }
    session.desk.start()
    for request in [#"{"event":"startGame","guid":"s"}"#, #"{"event":"poll","guid":"p"}"#] {
      _ = try await session.desk.change { (game, now) throws(LiveProblem) in
        try game.accept(try LiveRequest(json: request), newGUID: SampleGame.guid("none"), now: now)
      }
    }
    let bytes = try Workshop.bytes(SessionClip.small.path)
    session.startUnit()
    session.push(bytes.span)
    session.endPortion(byteCount: bytes.count)
    try await TestThread.run { session.finish() }
    let records = try JournalText.contents(try Workshop.bytes(journal)).records
    let order: [String] = records.compactMap { record in
      switch record {
      case .placed: "placed"
      case .segment: "segment"
      default: nil
      }
    }
    #expect(Array(order.prefix(3)) == ["placed", "placed", "segment"])
    #expect(order.count { $0 == "segment" } >= 3)
  }
}
