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
