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
    var changes: [LiveGame.Change] = []
    for (guid, keys) in zip(Self.same + ["other"], [first, second, ""]) {
      let request = try LiveSample.poll(guid, keys)
      changes.append(try game.accept(request, now: LiveSample.now(1)).1)
    }
    changes.append(game.release(now: LiveSample.now(3)))
    let records = changes.flatMap(\.records)
    let events = changes.flatMap(\.arrivals).map(\.planned)
    #expect(events.count == 3 && game.statuses.allSatisfy { $0.state != .lost })
    let ids = events.map { Self.id($0) }
    #expect(Set(ids).count == 3 && events.count { $0.messageID == nil } == 2)
    let restored = try LiveGame.restored(records, LiveSample.settings).arrivals.map(\.planned)
    #expect(restored.map(\.event.guid.text) == events.map(\.event.guid.text) && restored.map { Self.id($0) } == ids)
  }

  private static func id(_ event: PlannedEvent) -> UInt32 {
    let usual = CRC32MPEG2.checksum(event.event.guid.text)
    return event.messageID ?? usual
  }

  /// The messages of all copies have the event's id.
  @Test func copies() throws {
    var event = SampleGame.short("a", at: 0)
    event.messageID = 7
    event.currentFor = MediaTime(seconds: 9)
    var schedule = EventSchedule([event], policy: CopyPolicy())
    var copies: [EventSchedule.TimedCopy] = []
    for second in 0..<5 {
      let unit = EventSchedule.AccessUnit(time: MediaTime(seconds: second), duration: MediaTime(ticks: 3_600))
      copies += try schedule.copies(before: unit)
    }
    #expect(copies.count > 3)
    for copy in copies {
      let bytes = try EventMessageBox.bytes(of: copy, origin: .zero)
      let message = try EventMessageBox(bytes.span)
      #expect(message.id == 7 && message.value == "")
    }
  }
}
