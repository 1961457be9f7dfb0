import Basics
import EventReading
import EventSchedule
import Files
import GameEvents

/// Reads a transport stream as it is written, so that success is only reported for what can be read.
struct CheckedSink: ByteSink, ~Copyable {
  typealias Failure = Never

  var file: FileSink
  // What was cut out of a stream does not make its tags unreadable.
  private var reader = EventReader(keepingOtherTimes: true)
  /// The events that have to be read, as far as they were not yet; `nil` if all tags are read to the end.
  private var missing: Set<GUID>?
  /// The number of tags that are no events and have to be read.
  private var expectedTags = 0
  /// The number of tags that were read, and of those that lack their first bytes.
  private var tagCount = 0
  /// The number of tags that are no events.
  private var foreignCount = 0
  private var cutCount = 0

  /// A sink whose tags are counted.
  init(_ file: consuming FileSink) { self.file = file }

  /// A sink that is read until every event of a schedule was seen.
  init(_ file: consuming FileSink, expecting schedule: EventSchedule) {
    self.file = file
    missing = Set(schedule.pending.lazy.filter { $0.tag == nil }.map(\.event.guid))
    expectedTags = schedule.pending.count { $0.tag != nil }
  }

  /// Whether everything was read that has to be.
  private var isComplete: Bool { missing?.isEmpty == true && foreignCount >= expectedTags }

  mutating func write(_ bytes: Span<UInt8>) {
    file.write(bytes)
    guard !isComplete else { return }
    record((try? reader.push(bytes)) ?? [])
  }

  private mutating func record(_ items: [StreamItem]) {
    for item in items {
      switch item {
      case .copy(let copy, let place):
        missing?.remove(copy.event.guid)
        record(place)
      case .tag(_, let place):
        foreignCount += 1
        record(place)
      case .damage: break
      }
    }
  }

  private mutating func record(_ place: Place) {
    tagCount += 1
    if place.isRestored { cutCount += 1 }
  }

  /// Requires that every event of the schedule was read.
  ///
  /// - Throws: `StampingError.unreadable`.
  mutating func requireEvents() throws(StampingError) {
    guard !isComplete else { return }
    record((try? reader.finish()) ?? [])
    let count = (missing?.count ?? 0) + max(expectedTags - foreignCount, 0)
    guard count == 0 else { throw .unreadable(events: count) }
  }

  /// Requires that this number of tags was read, all whole.
  ///
  /// - Throws: `StampingError.unreadableTags`.
  mutating func requireTags(_ count: Int) throws(StampingError) {
    record((try? reader.finish()) ?? [])
    let missing = max(count - tagCount, cutCount)
    guard missing <= 0 else { throw .unreadableTags(missing) }
  }

  /// Gives the file its name.
  consuming func complete() throws(StampingError) { try file.complete() }
}
