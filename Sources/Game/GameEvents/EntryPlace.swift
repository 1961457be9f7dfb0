package import Basics

/// The place of an entry in its game: by sequence number or, if ``EventLog/isOrderedByTime(_:)`` says so, by time.
package struct EntryPlace: Equatable, Sendable {
  /// The event's time.
  package let time: MediaTime
  private let sequence: Int
  private let guid: GUID

  /// The place of an entry.
  package init(_ entry: EventLog.Entry) {
    time = entry.time
    sequence = entry.event.sequence ?? .max
    guid = entry.event.guid
  }

  /// Whether this place comes before another one of the same game.
  package func precedes(_ other: EntryPlace, byTime: Bool) -> Bool {
    if byTime, time != other.time { return time < other.time }
    if sequence != other.sequence { return sequence < other.sequence }
    if time != other.time { return time < other.time }
    // The identifiers decide last, so that the order does not depend on the order of arrival. They are mostly equal here: a search has found its
    // event.
    return guid != other.guid && guid.precedes(other.guid)
  }
}
