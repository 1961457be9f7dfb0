import Basics
import EventSchedule
import GameEvents

extension [PlannedEvent] {
  /// The ends of the events' active spans in a programme that ends at `programmeEnd`; `nil` for events without one.
  ///
  /// The events are in order. One pass from the end finds all ends, since a sheet may have a hundred thousand events.
  func endsOfActiveSpans(programmeEnd: MediaTime) -> [MediaTime?] {
    var following = FollowingEvents()
    var ends = [MediaTime?](repeating: nil, count: count)
    for index in indices.reversed() {
      let event = self[index]
      if event.currentFor != nil || EventType.known.contains(event.event.type) {
        let longest = event.time + Swift.min(event.currentFor ?? EventCopy.largestAge, EventCopy.largestAge)
        let limit = Swift.min(longest, programmeEnd)
        ends[index] = following.candidates(for: event.event).filter { $0.event.endsActiveSpan(of: event.event) }
          .reduce(limit) { Swift.min($0, $1.time) }
      }
      following.add(event)
    }
    return ends
  }
}

/// The events after an index of a list that may end an active span there: the nearest of each kind.
private struct FollowingEvents {
  /// A type of event of a game.
  private struct Kind: Hashable {
    var game: GameID
    var type: EventType
  }

  private var nearest: [Kind: PlannedEvent] = [:]
  /// By question: the nearest result of it.
  private var results: [GUID: PlannedEvent] = [:]
  /// The nearest starts of two different games, so that one of them is that of another game.
  private var starts: [PlannedEvent] = []

  func candidates(for event: GameEvent) -> [PlannedEvent] {
    let question = if case .adjustTime(let content) = event.content { content.questionGuid } else { event.guid }
    return [EventType.askQuestion, .adjustTime, .periodicInfo, .endGame].compactMap { nearest[Kind(game: event.gameID, type: $0)] }
      + [results[question]].compactMap { $0 } + starts
  }

  mutating func add(_ event: PlannedEvent) {
    switch event.event.content {
    case .askQuestion, .adjustTime, .periodicInfo, .endGame: nearest[Kind(game: event.event.gameID, type: event.event.type)] = event
    case .showResults(let content): results[content.questionGuid] = event
    case .startGame: starts = [event] + starts.filter { $0.event.gameID != event.event.gameID }.prefix(1)
    case .custom: break
    }
  }
}
