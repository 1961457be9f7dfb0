package import Basics
package import EventReading
package import GameEvents

/// Compares the events of a presentation's renditions: all must have the same ones, at the same times.
package struct RenditionComparison: Sendable {
  /// A way in which a rendition differs from the first one.
  package enum Difference: Equatable, Sendable {
    /// It lacks an event.
    case missing(GameEvent, in: String)
    /// It has an event that the first one lacks.
    case unexpected(GameEvent, in: String)
    /// The content of an event differs from the first one.
    case content(GameEvent, in: String)
    /// An event is `off` later than in the first one (earlier if negative).
    case time(GameEvent, in: String, off: MediaTime)
  }

  /// The events of one rendition with their times, by GUID.
  private struct Rendition: Sendable {
    var name: String
    var events: [GUID: (event: GameEvent, time: MediaTime)] = [:]
  }

  private var renditions: [Rendition] = []

  /// The number of events of a rendition that are compared.
  private static let mostEvents = 1_000_000

  /// Nothing to compare yet.
  package init() {}

  /// The number of renditions.
  package var renditionCount: Int { renditions.count }
  /// The number of events of the first rendition.
  package var eventCount: Int { renditions.first?.events.count ?? 0 }

  /// Starts the next rendition.
  package mutating func start(_ name: String) { renditions.append(Rendition(name: name)) }

  /// Adds a copy to the latest rendition.
  package mutating func add(_ copy: EventCopy, at place: Place) {
    guard let last = renditions.indices.last, renditions[last].events.count < Self.mostEvents else { return }
    guard renditions[last].events[copy.event.guid] == nil else { return }
    renditions[last].events[copy.event.guid] = (copy.event, copy.event.at ?? place.time - copy.age)
  }

  /// Leaves the latest rendition out, because it need not carry events.
  package mutating func dropLast() { renditions = renditions.dropLast() }

  /// The differences of each rendition, in the order of the events' times.
  package var differences: [Difference] {
    guard let first = renditions.first else { return [] }
    return renditions.dropFirst().flatMap { other in
      let guids = Set(first.events.keys).union(other.events.keys)
      let timed = guids.compactMap { guid -> (time: MediaTime, guid: GUID, difference: Difference)? in
        guard let expected = first.events[guid] else {
          return other.events[guid].map { ($0.time, guid, .unexpected($0.event, in: other.name)) }
        }
        guard let found = other.events[guid] else { return (expected.time, guid, .missing(expected.event, in: other.name)) }
        guard found.time == expected.time else {
          return (expected.time, guid, .time(expected.event, in: other.name, off: found.time - expected.time))
        }
        return found.event == expected.event ? nil : (expected.time, guid, .content(expected.event, in: other.name))
      }
      return timed.sorted { ($0.time, $0.guid.text) < ($1.time, $1.guid.text) }.map { $0.difference }
    }
  }
}

extension RenditionComparison.Difference: CustomStringConvertible {
  /// The difference in words.
  package var description: String {
    switch self {
    case .missing(let event, let name): "\(name): \(Difference.name(event)) is missing"
    case .unexpected(let event, let name): "\(name): \(Difference.name(event)) is not in the first rendition"
    case .content(let event, let name): "\(name): \(Difference.name(event)) has another content than in the first rendition"
    case .time(let event, let name, let off):
      "\(name): \(Difference.name(event)) is \(off.distanceText) too \(off < .zero ? "early" : "late")"
    }
  }
}
