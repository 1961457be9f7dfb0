public import Basics
public import GameEvents

/// Something to announce: what changed in the game, or what was learned of its events.
public struct GameTransition: Equatable, Sendable {
  /// What changed.
  public enum Kind: Equatable, Sendable {
    /// A game is announced: a start is known.
    case lobbyOpened
    /// Players may enter.
    case entryOpened
    /// The game has begun.
    case gameStarted
    /// A question takes answers.
    case questionAsked
    /// The time for answers of the open question was changed.
    case timeAdjusted
    /// A question takes no more answers.
    case questionClosed
    /// A result is shown.
    case resultsShown
    /// Counters have changed.
    case infoUpdated
    /// The game is over: a player stops.
    case gameEnded
    /// The reader joined after the game had begun: earlier events are unknown, or arrive as refreshes.
    case joinedLate
    /// Events have not arrived in time.
    case eventLost(sequences: ClosedRange<Int>)
    /// An event that had been declared lost has arrived.
    case eventRecovered
    /// A copy has the GUID of a known event and another content.
    case eventConflict
    /// The event has the sequence number of another one of its game, which is `kept`; this one does not count.
    case sequenceConflict(kept: GUID)
    /// A result does not open its question's seal.
    case sealBroken
    /// An event of a type that is none of the game's.
    case customEvent(GameEvent)

    /// Its name, for example `questionAsked`.
    public var text: String {
      switch self {
      case .lobbyOpened: "lobbyOpened"
      case .entryOpened: "entryOpened"
      case .gameStarted: "gameStarted"
      case .questionAsked: "questionAsked"
      case .timeAdjusted: "timeAdjusted"
      case .questionClosed: "questionClosed"
      case .resultsShown: "resultsShown"
      case .infoUpdated: "infoUpdated"
      case .gameEnded: "gameEnded"
      case .joinedLate: "joinedLate"
      case .eventLost: "eventLost"
      case .eventRecovered: "eventRecovered"
      case .eventConflict: "eventConflict"
      case .sequenceConflict: "sequenceConflict"
      case .sealBroken: "sealBroken"
      case .customEvent: "customEvent"
      }
    }
  }

  /// What changed.
  public internal(set) var kind: Kind
  /// When it was seen, on the programme's timeline.
  public internal(set) var time: MediaTime
  /// When it happened, on the programme's timeline: the event's time, or the deadline's.
  public internal(set) var eventTime: MediaTime
  /// The event that it comes from; `nil` for lost ones.
  public internal(set) var guid: GUID?
  /// The game that it belongs to.
  public internal(set) var game: GameID
  /// The state after it. If an event was late, several transitions may share the state that it led to.
  public internal(set) var state: GameState
}

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension GameTransition.Kind: Codable {}
  extension GameTransition: Codable {}
#endif
