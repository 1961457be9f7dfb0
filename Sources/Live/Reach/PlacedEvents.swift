import Basics

/// The events that are in a stream, by when they came into it: those of a span of time are found without going over the others.
struct PlacedEvents: Equatable, Sendable {
  private struct Entry: Equatable {
    /// In milliseconds since 1970.
    var time: Int64
    var place: Int
  }

  /// In the order of their times; those of one time in the order in which they were inserted.
  private var entries: [Entry] = []

  /// Inserts an event by its place, which is none of those that are there.
  mutating func insert(_ place: Int, at time: Int64) {
    entries.insert(Entry(time: time, place: place), at: entries.partitionIndex { $0.time > time })
  }

  mutating func remove(_ place: Int) { entries.removeAll { $0.place == place } }

  /// The places of the events from one time to another one, both included.
  func places(from start: Int64, to end: Int64) -> [Int] {
    entries[entries.partitionIndex { $0.time >= start }...].prefix { $0.time <= end }.map(\.place)
  }
}
