import Basics
import Testing

@testable import Reach

@Suite struct PlacedEventsTests {
  /// The times of events in any order, some of them twice.
  private static let times: [Int64] = [5, 9, 1, 5, .max, 7, .min, 5]

  private static func sample() -> PlacedEvents {
    var events = PlacedEvents()
    for (place, time) in times.enumerated() { events.insert(place, at: time) }
    return events
  }

  /// Every span has the events that a search through all of them finds, in the order of their times.
  @Test func everySpan() {
    let events = Self.sample()
    let ends: [Int64] = [.min, 0, 1, 4, 5, 6, 7, 9, 10, .max]
    for start in ends {
      for end in ends {
        let found = Self.times.indices.filter { Self.times[$0] >= start && Self.times[$0] <= end }
        #expect(events.places(from: start, to: end) == found.sorted { (Self.times[$0], $0) < (Self.times[$1], $1) })
      }
    }
    #expect(PlacedEvents().places(from: .min, to: .max) == [])
  }

  /// The place of an event that is removed can be taken by another one.
  @Test func removed() {
    var events = Self.sample()
    for place in [0, 4, 6] { events.remove(place) }
    #expect(events.places(from: .min, to: .max) == [2, 3, 7, 5, 1])
    events.insert(4, at: 2)
    #expect(events.places(from: .min, to: .max) == [2, 4, 3, 7, 5, 1])
  }
}
