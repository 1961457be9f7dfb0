public import Basics
public import GameEvents

// States and transitions with contents of the caller's own: for previews of views, and for tests.

extension GameState {
  /// A state of these parts. That they fit together is the caller's business.
  public init(
    phase: Phase, game: GameID? = nil, start: Start? = nil, question: Question? = nil, result: Result? = nil, info: Info? = nil,
    ending: Ending? = nil, score: Int = 0, answered: Int = 0
  ) {
    self.init()
    self.phase = phase
    self.game = game
    self.start = start
    self.question = question
    self.result = result
    self.info = info
    self.ending = ending
    self.score = score
    self.answered = answered
  }
}

extension GameState.Start {
  /// The start of a game. Times are of the programme.
  ///
  /// - Parameters:
  ///   - time: When the event happened.
  ///   - startsAt: When the game starts; `nil` for the content's `startsIn` after the event.
  public init(
    guid: GUID, _ content: StartGame, time: MediaTime = .zero, startsAt: MediaTime? = nil, isEntryOpen: Bool = false,
    unknownKeys: JSONObject = JSONObject()
  ) {
    let start = startsAt ?? time + (content.startsIn ?? .zero)
    self.init(
      payload: EventPayload(guid, content, unknownKeys), time: time, entryOpensAt: max(time, start - Self.entryDuration), startsAt: start,
      isEntryOpen: isEntryOpen)
  }
}

extension GameState.Question {
  /// A question. Times are of the programme.
  ///
  /// - Parameters:
  ///   - closesAt: When it closes; `nil` for the content's allotted time after `opensAt`.
  ///   - selection: The answer that the player has selected.
  public init(
    guid: GUID, _ content: AskQuestion, opensAt: MediaTime = .zero, closesAt: MediaTime? = nil, adjustment: GameState.Adjustment? = nil,
    selection: GivenAnswer? = nil, unknownKeys: JSONObject = JSONObject()
  ) {
    self.init(
      payload: EventPayload(guid, content, unknownKeys), opensAt: opensAt, closesAt: closesAt ?? opensAt + content.allottedTime,
      adjustment: adjustment, selection: selection)
  }
}

extension GameState.Adjustment {
  /// A change of a question's time for answers, at a time of the programme.
  public init(guid: GUID, _ content: AdjustTime, time: MediaTime = .zero, unknownKeys: JSONObject = JSONObject()) {
    self.init(payload: EventPayload(guid, content, unknownKeys), time: time)
  }
}

extension GameState.Result {
  /// The result of a question, at a time of the programme.
  public init(
    guid: GUID, _ content: ShowResults, time: MediaTime = .zero, seal: GameState.Seal = .absent, unknownKeys: JSONObject = JSONObject()
  ) {
    self.init(payload: EventPayload(guid, content, unknownKeys), time: time, seal: seal)
  }
}

extension GameState.Info {
  /// Counters, at a time of the programme.
  public init(guid: GUID, _ content: PeriodicInfo, time: MediaTime = .zero, unknownKeys: JSONObject = JSONObject()) {
    self.init(payload: EventPayload(guid, content, unknownKeys), time: time)
  }
}

extension GameState.Ending {
  /// The end of a game, at a time of the programme.
  public init(guid: GUID, _ content: EndGame, time: MediaTime = .zero, unknownKeys: JSONObject = JSONObject()) {
    self.init(payload: EventPayload(guid, content, unknownKeys), time: time)
  }
}

extension GameTransition {
  /// A transition. Times are of the programme.
  ///
  /// - Parameters:
  ///   - time: When it was seen.
  ///   - eventTime: When it happened; `nil` for when it was seen.
  ///   - state: The state after it.
  public init(_ kind: Kind, time: MediaTime, eventTime: MediaTime? = nil, guid: GUID? = nil, game: GameID, state: GameState) {
    self.init(kind: kind, time: time, eventTime: eventTime ?? time, guid: guid, game: game, state: state)
  }
}
