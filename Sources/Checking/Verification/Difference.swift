package import Basics
package import EventReading
package import GameEvents
package import StateMachine

/// A way in which a stream differs from its cue sheet.
package enum Difference: Equatable, Sendable {
  /// An event of the cue sheet is not in the stream.
  case missing(GameEvent)
  /// The stream has an event of this game that is not in the cue sheet.
  case unexpected(GameEvent)
  /// Copies of one event say different things.
  case conflict(GameEvent)
  /// An event says something else than the cue sheet.
  case content(GameEvent, key: String, found: String, expected: String)
  /// A copy of an event is `off` later than its cue (earlier where negative).
  case time(GameEvent, off: MediaTime, at: Place)
  /// A result does not open the seal of its question.
  case seal(GameEvent)
  /// A copy of an event's burst is not in the stream.
  case copyMissing(GameEvent, number: Int, of: Int)
  /// A copy of an event's burst is in the stream several times.
  case copyRepeated(GameEvent, number: Int, times: Int)
  /// The copies of an event's burst state another number of copies.
  case burstLength(GameEvent, found: Int, expected: Int)
  /// An active event is not repeated for too long.
  case notRefreshed(GameEvent, since: MediaTime, for: MediaTime)
  /// An event is repeated after its burst, though there should be no refreshes.
  case refreshed(GameEvent, times: Int)
  /// The stream carries events of another game and none of the cue sheet's.
  case otherGame(found: GameID, expected: GameID)
  /// The game does not end in the same state as with the cue sheet's events alone.
  case finalState(found: GameState.Phase, expected: GameState.Phase, what: String)
}

extension Difference {
  /// The event that it is about; `nil` where it is about the whole game.
  package var event: GameEvent? {
    switch self {
    case .missing(let event), .unexpected(let event), .conflict(let event), .content(let event, _, _, _), .time(let event, _, _),
      .seal(let event), .copyMissing(let event, _, _), .copyRepeated(let event, _, _), .burstLength(let event, _, _),
      .notRefreshed(let event, _, _), .refreshed(let event, _):
      event
    case .finalState, .otherGame: nil
    }
  }

  /// The kind of difference, in a word.
  package var kind: String {
    switch self {
    case .missing: "missing"
    case .unexpected: "unexpected"
    case .conflict: "conflict"
    case .content: "content"
    case .time: "time"
    case .seal: "seal"
    case .copyMissing, .copyRepeated, .burstLength: "copies"
    case .notRefreshed, .refreshed: "refreshes"
    case .otherGame: "otherGame"
    case .finalState: "finalState"
    }
  }
}

extension Difference: CustomStringConvertible {
  /// The difference in words.
  package var description: String {
    switch self {
    case .missing(let event): "\(Self.name(event)) is missing"
    case .unexpected(let event): "\(Self.name(event)) is not in the cue sheet"
    case .conflict(let event): "\(Self.name(event)): its copies say different things"
    case .content(let event, let key, let found, let expected): "\(Self.name(event)): \"\(key)\" is \(found) instead of \(expected)"
    case .time(let event, let off, let place):
      "\(Self.name(event)): the copy at byte \(place.offset) is \(off.magnitude.decimalSeconds) s too \(off < .zero ? "early" : "late")"
    case .seal(let event): "\(Self.name(event)): does not open the seal of its question"
    case .copyMissing(let event, let number, let count): "\(Self.name(event)): copy \(number) of \(count) is missing"
    case .copyRepeated(let event, let number, let times): "\(Self.name(event)): copy \(number) is there \(times) times"
    case .burstLength(let event, let found, let expected): "\(Self.name(event)): its burst has \(found) copies instead of \(expected)"
    case .notRefreshed(let event, let start, let duration):
      "\(Self.name(event)): is not refreshed for \(duration.shortestDecimalSeconds) s from \(start.clockText) on"
    case .refreshed(let event, let times): "\(Self.name(event)): is refreshed \(times == 1 ? "once" : "\(times) times"), and should not be"
    case .otherGame(let found, let expected):
      "the stream carries the game \"\(found.text)\", the cue sheet is for \"\(expected.text)\""
    case .finalState(let found, let expected, let what):
      found == expected
        ? "the game ends in another state: \(what) differs" : "the game ends in phase \(found.text) instead of \(expected.text)"
    }
  }

  /// The name of an event: its type, its sequence number and its time.
  static func name(_ event: GameEvent) -> String {
    let sequence = event.sequence.map { " \($0)" } ?? ""
    return "\(event.type)\(sequence) at \(event.at?.clockText ?? "no time") (\(event.guid))"
  }
}
