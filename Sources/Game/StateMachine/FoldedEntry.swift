import Basics
import GameEvents

/// An entry of the log that affects the state, as input of the fold.
struct FoldedEntry: Sendable {
  /// The event's content.
  enum Content: Sendable {
    case start(EventPayload<StartGame>)
    case ask(EventPayload<AskQuestion>)
    case adjust(EventPayload<AdjustTime>)
    case info(EventPayload<PeriodicInfo>)
    case results(EventPayload<ShowResults>)
    case end(EventPayload<EndGame>)
  }

  let content: Content
  /// The place in the game.
  let place: EntryPlace
  let guid: GUID
  let game: GameID
  /// The number of the game among all known games: comparing numbers is faster than comparing names.
  let gameNumber: Int
  /// Whether the game's entries are verified.
  let isVerified: Bool
  /// The latest time of the game's entries up to this one.
  var latest: MediaTime

  /// When the event happened.
  var time: MediaTime { place.time }

  /// An entry of the log; `nil` if the event is none of the game's six.
  init?(_ entry: EventLog.Entry, gameNumber: Int, isVerified: Bool) {
    switch entry.event.content {
    case .startGame(let content): self.content = .start(EventPayload(content, by: entry.event))
    case .askQuestion(let content): self.content = .ask(EventPayload(content, by: entry.event))
    case .adjustTime(let content): self.content = .adjust(EventPayload(content, by: entry.event))
    case .periodicInfo(let content): self.content = .info(EventPayload(content, by: entry.event))
    case .showResults(let content): self.content = .results(EventPayload(content, by: entry.event))
    case .endGame(let content): self.content = .end(EventPayload(content, by: entry.event))
    case .custom: return nil
    }
    (guid, game) = (entry.event.guid, entry.event.gameID)
    place = EntryPlace(entry)
    (self.gameNumber, self.isVerified, latest) = (gameNumber, isVerified, entry.time)
  }

  /// Whether a game starts.
  var isStart: Bool {
    if case .start = content { true } else { false }
  }
}
