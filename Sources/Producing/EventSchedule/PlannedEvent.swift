public import Basics
public import GameEvents

/// An event that is to be put into a stream.
public struct PlannedEvent: Equatable, Sendable {
  /// The event. Its `at` is where it goes.
  public var event: GameEvent
  /// How long an event of a type without a schema is refreshed; `nil` for not at all. The game's five types follow the rules of the wire format.
  public var currentFor: MediaTime?

  /// An event with its place.
  public init(_ event: GameEvent, currentFor: MediaTime? = nil) {
    self.event = event
    self.currentFor = currentFor
  }

  /// The event's time on the programme's timeline.
  public var time: MediaTime { event.at ?? .zero }
}

/// An event whose first copy has its place.
struct StartedEvent: Sendable {
  /// The number of events that started before this one. It stays the same, whatever is inserted or dropped.
  let id: Int
  let planned: PlannedEvent

  var time: MediaTime { planned.time }
  /// The place in the game; the last where the event does not tell.
  var sequence: Int { planned.event.sequence ?? .max }

  /// Whether the event is refreshed at a time, unless another event has ended it.
  func isActive(at time: MediaTime) -> Bool {
    let age = time - self.time
    return age <= EventCopy.largestAge && planned.currentFor.map { age < $0 } ?? true
  }
}
