import Basics
import CMAF
import EventSchedule
import GameEvents
import Stamping
import TestSupport
import Testing

@testable import LiveGame

/// Identifiers with equal checksums, which would be ids of event messages.
@Suite struct MessageIDTests {
  /// Three identifiers with the same CRC-32/MPEG-2.
  private static let same = ["event-938459724", "event-137056476"]

  /// Events of one game and of two, at once and at a time: all are accepted, and have ids of their own, also after a restart.
  @Test(arguments: [("", ""), (",\"game\":\"a\"", ",\"game\":\"b\""), ("", ",\"at\":2"), (",\"at\":2", ",\"at\":2")])
  func equalChecksums(first: String, second: String) throws {
    let checksums = Set(Self.same.map { CRC32MPEG2.checksum($0) })
    #expect(checksums.count == 1)
    var game = LiveGame(LiveSample.settings)
    var records: [JournalRecord] = []
    var events: [PlannedEvent] = []
    func add(_ change: LiveGame.Change) {
      records += change.records
      events += change.arrivals.map(\.planned)
    }
    for (guid, keys) in zip(Self.same + ["other"], [first, second, ""]) {
      add(try game.accept(try LiveSample.poll(guid, keys), now: LiveSample.now(1)).1)
    }
    add(game.release(now: LiveSample.now(3)))
    #expect(events.count == 3 && game.statuses.allSatisfy { $0.state != .lost })
    let ids = events.map { $0.messageID ?? CRC32MPEG2.checksum($0.event.guid.text) }
    #expect(Set(ids).count == 3 && events.count { $0.messageID == nil } == 2)
    let restored = try LiveGame.restored(records, LiveSample.settings).arrivals.map(\.planned)
    #expect(restored.map { [$0.event.guid.text, "\($0.messageID ?? 0)"] } == events.map { [$0.event.guid.text, "\($0.messageID ?? 0)"] })
  }

  /// The messages of all copies have the event's id.
  @Test func copies() throws {
    var event = SampleGame.short("a", at: 0)
    event.messageID = 7
    event.currentFor = MediaTime(seconds: 9)
    var schedule = EventSchedule([event], policy: CopyPolicy())
    let copies = try (0..<5).flatMap { try schedule.copies(before: .init(time: MediaTime(seconds: $0), duration: MediaTime(ticks: 3_600))) }
    #expect(copies.count > 3)
    for copy in copies {
      let message = try EventMessageBox(try EventMessageBox.bytes(of: copy, origin: .zero).span)
      #expect(message.id == 7 && message.value == "")
    }
  }
}
