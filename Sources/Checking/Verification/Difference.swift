public import EventReading
public import GameEvents
public import GameState
public import MediaTime

/// A way in which a stream differs from its cue sheet.
public enum Difference: Equatable, Sendable {
  /// An event of the cue sheet is not in the stream.
  case missing(GameEvent)
  /// The stream has an event of this game that the cue sheet has not.
  case unexpected(GameEvent)
  /// Copies of one event say different things.
  case conflict(GameEvent)
  /// An event says something else than the cue sheet.
  case content(GameEvent, key: String, found: String, expected: String)
  /// A copy of an event lies elsewhere than its cue: `off` later (or earlier, where negative).
  case time(GameEvent, off: MediaTime, at: Place)
  /// A result does not open the seal of its question.
  case seal(GameEvent)
  /// The game does not end in the state to which the cue sheet leads.
  case finalState(found: GameState.Phase, expected: GameState.Phase, what: String)
}

extension Difference: CustomStringConvertible {
  /// The difference in words.
  public var description: String {
    switch self {
    case .missing(let event): "\(Self.name(event)) is missing"
    case .unexpected(let event): "\(Self.name(event)) is not in the cue sheet"
    case .conflict(let event): "\(Self.name(event)): its copies say different things"
    case .content(let event, let key, let found, let expected): "\(Self.name(event)): \"\(key)\" is \(found) instead of \(expected)"
    case .time(let event, let off, let place):
      "\(Self.name(event)): the copy at byte \(place.offset) is \(off.magnitude.decimalSeconds) s too \(off < .zero ? "early" : "late")"
    case .seal(let event): "\(Self.name(event)): does not open the seal of its question"
    case .finalState(let found, let expected, let what):
      found == expected
        ? "the game ends in another state: \(what) differs" : "the game ends in phase \(found.rawValue) instead of \(expected.rawValue)"
    }
  }

  /// What an event is called: its type, its place in the game and its time.
  static func name(_ event: GameEvent) -> String {
    let sequence = event.sequence.map { " \($0)" } ?? ""
    return "\(event.type)\(sequence) at \(event.at?.clockText ?? "no time") (\(event.guid))"
  }
}
