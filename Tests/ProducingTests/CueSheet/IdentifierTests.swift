import CueSheet
import EventSchedule
import GameEvents
import Testing

/// The identifiers of events that are given none.
@Suite struct IdentifierTests {
  private func guids(_ text: String) throws -> [String] {
    try CueSheet.parse(text, policy: CopyPolicy(), answers: .open).events.map(\.event.guid.text)
  }

  /// What Python's `uuid.uuid5` makes of the namespace and `g\n1\na\n{}`.
  @Test func areUUIDsOfGameNumberTypeAndContent() throws {
    #expect(try guids(sheet("at: 1, event: a")) == ["45823ac5-e84a-5ff8-a958-ac589a4a78b6"])
  }

  /// The CRC-32 of the identifiers that are given here is that of those that would be derived: players would keep the first of two such.
  @Test func keepAwayFromEqualChecksums() throws {
    let first = "4fa5796f-cd9f-5c17-8cbd-aec39839f634"
    #expect(try guids(sheet("at: 1, event: a", "at: 2, event: b, guid: event-141568744")) == [first, "event-141568744"])
    let second = "234e4d77-2d66-5145-8ca6-62bbd9ef6aed"
    #expect(try guids(sheet("at: 1, event: b, guid: event-955353342", "at: 2, event: a")) == ["event-955353342", second])
  }
}
