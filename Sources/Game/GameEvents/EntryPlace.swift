package import Basics

/// The place of an entry in its game: by sequence number or, where ``EventLog/isOrderedByTime(_:)`` says so, by time.
package struct EntryPlace: Equatable, Sendable {
  package let time: MediaTime
  private let sequence: Int
  private let guid: GUID

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
    // The last resort, so that the order does not depend on the order of arrival. Mostly it is the very event that is looked for.
    return guid != other.guid && guid.precedes(other.guid)
  }
}
