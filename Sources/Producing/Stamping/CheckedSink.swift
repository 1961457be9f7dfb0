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
  private var events: Set<GUID> = []
  /// The number of tags that were read, and of those that lack their first bytes.
  private var tagCount = 0
  /// The number of tags that are no events.
  private var foreignCount = 0
  private var cutCount = 0

  init(_ file: consuming FileSink) { self.file = file }

  mutating func write(_ bytes: Span<UInt8>) {
    file.write(bytes)
    record((try? reader.push(bytes)) ?? [])
  }

  private mutating func record(_ items: [StreamItem]) {
    for item in items {
      switch item {
      case .copy(let copy, let place):
        events.insert(copy.event.guid)
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

  /// Requires that every event of a schedule was read.
  ///
  /// - Throws: `StampingError.unreadable`.
  mutating func requireEvents(of schedule: EventSchedule) throws(StampingError) {
    record((try? reader.finish()) ?? [])
    let missingTags = max(schedule.pending.count { $0.tag != nil } - foreignCount, 0)
    let missing = schedule.pending.count { $0.tag == nil && !events.contains($0.event.guid) } + missingTags
    guard missing == 0 else { throw .unreadable(events: missing) }
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
