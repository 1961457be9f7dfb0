public import Basics
public import GameEvents

/// What a client shows of the game at one moment: a pure function of the events so far, the player's answers and the time.
///
/// An open question carries its right answer from the start (see the wire format, "Sealed answers"): show ``correctAnswer``, which is
/// `nil` until the answer is out, instead of the question's own.
public struct GameState: Equatable, Sendable {
  /// The phase of the game.
  public enum Phase: String, Equatable, Sendable {
    /// No game is known.
    case waiting
    /// A game is announced and has not begun.
    case lobby
    /// The game has begun and no question has been asked yet.
    case playing
    /// A question takes answers.
    case asking
    /// The question's time is up, its result not yet shown.
    case closed
    /// A result is shown.
    case results
    /// The game is over.
    case ended

    /// Its name, for example `asking`.
    public var text: String { rawValue }
  }

  /// The phase of the game.
  public internal(set) var phase = Phase.waiting
  /// The game; `nil` while waiting.
  public internal(set) var game: GameID?
  /// The game's announcement or beginning; `nil` if it was missed.
  public internal(set) var start: Start?
  /// The question that was asked last, until the game ends; `nil` if a result is shown whose question is unknown.
  public internal(set) var question: Question?
  /// The result that is shown.
  public internal(set) var result: Result?
  /// The latest counters.
  public internal(set) var info: Info?
  /// How the game ended.
  public internal(set) var ending: Ending?
  /// How many questions of the game the player is known to have answered right.
  public internal(set) var score = 0
  /// How many questions of the game the player answered whose time is up.
  public internal(set) var answered = 0

  /// No game is known.
  public init() {}

  /// The title of the show, if its `startGame` is known.
  public var title: String? { start?.content.title }

  /// How many questions the game has, if the question or the game's `startGame` says so.
  public var totalQuestions: Int? { question?.content.totalQuestions ?? start?.content.totalQuestions }

  /// The index of the right answer, where there is exactly one of the answers, once it may be shown.
  public var correctAnswer: Int? { right?.index }

  /// The right answer, once it may be shown: when the time of an open question is up, or with the result.
  public var right: RightAnswer? {
    switch phase {
    case .closed: question?.content.right
    case .results: result?.content.right
    case .waiting, .lobby, .playing, .asking, .ended: nil
    }
  }
}

extension GameState {
  /// The announcement or the beginning of a game.
  public struct Start: Equatable, Sendable {
    let payload: EventPayload<StartGame>
    /// The event.
    public var guid: GUID { payload.guid }
    /// When the event happened, on the programme's timeline.
    public internal(set) var time: MediaTime
    /// The event's content.
    public var content: StartGame { payload.content }
    /// Keys of the event that its type does not define.
    public var unknownKeys: JSONObject { payload.unknownKeys }
    /// When players may enter: five minutes before the start, or when it is announced if that is later.
    public internal(set) var entryOpensAt: MediaTime
    /// When the game starts or started, on the programme's timeline.
    public internal(set) var startsAt: MediaTime
    /// Whether the game has not started yet and players may enter.
    public internal(set) var isEntryOpen = false

    /// How long before the start players may enter.
    public static let entryDuration = MediaTime(seconds: 300)
  }

  /// A question and the player's answer to it.
  public struct Question: Equatable, Sendable {
    let payload: EventPayload<AskQuestion>
    /// The event.
    public var guid: GUID { payload.guid }
    /// The event's content. It contains an unsealed right answer from the start.
    public var content: AskQuestion { payload.content }
    /// Keys of the event that its type does not define.
    public var unknownKeys: JSONObject { payload.unknownKeys }
    /// When it opens for answers: the event's time.
    public internal(set) var opensAt: MediaTime
    /// When it closes, exclusively: the allotted time after `opensAt`, or the time of ``adjustment``, or earlier if another event
    /// closed it.
    public internal(set) var closesAt: MediaTime
    /// The event that changed ``closesAt``, the latest one; `nil` if none did.
    public internal(set) var adjustment: Adjustment?
    /// The answer that the player has selected.
    public internal(set) var selection: GivenAnswer?

    /// The index of the answer that the player has selected, where it is exactly one.
    public var selectedAnswer: Int? { if case .one(let index) = selection { index } else { nil } }

    /// Whether the selected answer is right; `nil` if nothing is selected, or if that depends on the answers of others.
    package func isRight(_ right: RightAnswer) -> Bool? { selection.flatMap { content.task.grading.isRight($0, right) } }

    /// How long it takes answers, as known so far.
    public var duration: MediaTime { closesAt - opensAt }

    /// Whether the right answer is not known before the result.
    public var isSealed: Bool { content.right == nil }
  }

  /// A change of a question's time for answers.
  public struct Adjustment: Equatable, Sendable {
    let payload: EventPayload<AdjustTime>
    /// The event.
    public var guid: GUID { payload.guid }
    /// When the event happened, on the programme's timeline.
    public internal(set) var time: MediaTime
    /// The event's content.
    public var content: AdjustTime { payload.content }
    /// Keys of the event that its type does not define.
    public var unknownKeys: JSONObject { payload.unknownKeys }
  }

  /// The result of a question.
  public struct Result: Equatable, Sendable {
    let payload: EventPayload<ShowResults>
    /// The event.
    public var guid: GUID { payload.guid }
    /// When the event happened, on the programme's timeline.
    public internal(set) var time: MediaTime
    /// The event's content. Its right answer may be none of the question's answers.
    public var content: ShowResults { payload.content }
    /// Keys of the event that its type does not define.
    public var unknownKeys: JSONObject { payload.unknownKeys }
    /// The outcome of checking the question's seal.
    public internal(set) var seal: Seal
  }

  /// The outcome of checking a question's seal (see the wire format, "Sealed answers").
  public enum Seal: String, Equatable, Sendable {
    /// There is none, or the question is unknown.
    case absent
    /// There is one, but no check was provided, or the question is of an unknown kind.
    case unchecked
    /// The result's right answer is the sealed one.
    case valid
    /// The result does not open the seal: its right answer does not count.
    case broken

    /// Its name, for example `valid`.
    public var text: String { rawValue }

    /// The outcome of checking the seal of a question with its result.
    package init(_ seal: String?, openedBy result: ShowResults, _ verify: SealCheck?) {
      guard let seal else {
        self = .absent
        return
      }
      guard let verify else {
        self = .unchecked
        return
      }
      guard let salt = result.salt, let right = result.right else {
        self = .broken
        return
      }
      self = verify(seal, salt, result.questionGuid, right) ? .valid : .broken
    }
  }

  /// Counters at one moment.
  public struct Info: Equatable, Sendable {
    let payload: EventPayload<PeriodicInfo>
    /// The event.
    public var guid: GUID { payload.guid }
    /// When the event happened, on the programme's timeline.
    public internal(set) var time: MediaTime
    /// The event's content.
    public var content: PeriodicInfo { payload.content }
    /// Further counters.
    public var unknownKeys: JSONObject { payload.unknownKeys }
  }

  /// The end of a game.
  public struct Ending: Equatable, Sendable {
    let payload: EventPayload<EndGame>
    /// The event.
    public var guid: GUID { payload.guid }
    /// When the event happened, on the programme's timeline.
    public internal(set) var time: MediaTime
    /// The event's content.
    public var content: EndGame { payload.content }
    /// Keys of the event that its type does not define.
    public var unknownKeys: JSONObject { payload.unknownKeys }
  }
}

// MARK: - Identity, for views and storage

// The event identifies what is shown: a question is the same while answers to it are selected.

extension GameState.Start: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

extension GameState.Question: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

extension GameState.Adjustment: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

extension GameState.Result: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

extension GameState.Info: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

extension GameState.Ending: Identifiable {
  /// The event.
  public var id: GUID { guid }
}

#if !hasFeature(Embedded)
  extension GameState.Phase: Codable {}
  extension GameState.Seal: Codable {}
  // Synthesized: names of properties, times in seconds, events as their JSON. Written and read by the same major version.
  extension GameState.Start: Codable {}
  extension GameState.Question: Codable {}
  extension GameState.Adjustment: Codable {}
  extension GameState.Result: Codable {}
  extension GameState.Info: Codable {}
  extension GameState.Ending: Codable {}
  extension GameState: Codable {}
#endif
