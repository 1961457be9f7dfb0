public import Basics
public import EventReading
public import GameEvents

/// Compares the events of a presentation's renditions: all must carry the same ones, at the same times.
public struct RenditionComparison: Sendable {
  /// A way in which a rendition differs from the first one.
  public enum Difference: Equatable, Sendable {
    /// It lacks an event.
    case missing(GameEvent, in: String)
    /// It has an event that the first one lacks.
    case unexpected(GameEvent, in: String)
    /// An event says something else than in the first one.
    case content(GameEvent, in: String)
    /// An event happens elsewhere than in the first one: so much later.
    case time(GameEvent, in: String, off: MediaTime)
  }

  private struct Rendition: Sendable {
    var name: String
    var events: [GUID: (event: GameEvent, time: MediaTime)] = [:]
  }

  private var renditions: [Rendition] = []

  /// So many events of a rendition are compared.
  private static let mostEvents = 1_000_000

  /// Nothing to compare yet.
  public init() {}

  /// How many renditions there are.
  public var renditionCount: Int { renditions.count }
  /// How many events the first one has.
  public var eventCount: Int { renditions.first?.events.count ?? 0 }

  /// Starts with the next rendition.
  public mutating func start(_ name: String) { renditions.append(Rendition(name: name)) }

  /// Takes a copy of the rendition.
  public mutating func take(_ copy: EventCopy, at place: Place) {
    guard let last = renditions.indices.last, renditions[last].events.count < Self.mostEvents else { return }
    guard renditions[last].events[copy.event.guid] == nil else { return }
    renditions[last].events[copy.event.guid] = (copy.event, copy.event.at ?? place.time - copy.age)
  }

  /// Leaves the latest rendition out, as one that is not meant to carry events.
  public mutating func dropLast() { renditions = renditions.dropLast() }

  /// What differs, rendition by rendition, in the order of the events' times.
  public var differences: [Difference] {
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
  public var description: String {
    switch self {
    case .missing(let event, let name): "\(name): \(Difference.name(event)) is missing"
    case .unexpected(let event, let name): "\(name): \(Difference.name(event)) is not in the first rendition"
    case .content(let event, let name): "\(name): \(Difference.name(event)) says something else than in the first rendition"
    case .time(let event, let name, let off):
      "\(name): \(Difference.name(event)) is \(off.magnitude.decimalSeconds) s too \(off < .zero ? "early" : "late")"
    }
  }
}
