public import Basics

/// What happened: one event of a game, whichever copy of it was read.
public struct GameEvent: Equatable, Sendable {
  /// Shared by all copies of the value: an event is passed on often, has a dozen texts, and hardly ever changes.
  private var storage: Storage

  private final class Storage: Sendable {
    let guid: GUID
    let game: String?
    let sequence: Int?
    let at: MediaTime?
    let content: EventContent
    let unknownKeys: JSONObject

    init(guid: GUID, game: String?, sequence: Int?, at: MediaTime?, content: EventContent, unknownKeys: JSONObject) {
      self.guid = guid
      self.game = game
      self.sequence = sequence
      self.at = at
      self.content = content
      self.unknownKeys = unknownKeys
    }
  }

  /// An event.
  public init(
    guid: GUID, game: String? = nil, sequence: Int? = nil, at: MediaTime? = nil, content: EventContent,
    unknownKeys: JSONObject = JSONObject()
  ) {
    storage = Storage(guid: guid, game: game, sequence: sequence, at: at, content: content, unknownKeys: unknownKeys)
  }

  /// Whether both are equal; texts are compared byte by byte, unknown keys in any order.
  public static func == (left: GameEvent, right: GameEvent) -> Bool {
    if left.storage === right.storage { return true }
    return left.sequence == right.sequence && left.at == right.at && left.guid == right.guid && left.game.hasSameBytes(as: right.game)
      && left.content == right.content && left.unknownKeys == right.unknownKeys
  }

  /// The event's type.
  public var type: EventType { storage.content.type }

  /// Whether the event's type is none of the game's six, which alone move the state.
  package var isCustom: Bool {
    if case .custom = storage.content { true } else { false }
  }
}

extension GameEvent {
  /// Identifies the event.
  public var guid: GUID {
    get { storage.guid }
    set { self = GameEvent(guid: newValue, game: game, sequence: sequence, at: at, content: content, unknownKeys: unknownKeys) }
  }

  /// Names one broadcast of a game. Events of other systems may have none.
  public var game: String? {
    get { storage.game }
    set { self = GameEvent(guid: guid, game: newValue, sequence: sequence, at: at, content: content, unknownKeys: unknownKeys) }
  }

  /// The event's place in its game, from 1.
  public var sequence: Int? {
    get { storage.sequence }
    set { self = GameEvent(guid: guid, game: game, sequence: newValue, at: at, content: content, unknownKeys: unknownKeys) }
  }

  /// The event's time on the programme's timeline.
  public var at: MediaTime? {
    get { storage.at }
    set { self = GameEvent(guid: guid, game: game, sequence: sequence, at: newValue, content: content, unknownKeys: unknownKeys) }
  }

  /// What happened.
  public var content: EventContent {
    get { storage.content }
    set { self = GameEvent(guid: guid, game: game, sequence: sequence, at: at, content: newValue, unknownKeys: unknownKeys) }
  }

  /// Keys that the event's type does not define, in the order in which they were written.
  ///
  /// A key that the schema defines, `signature` and `crc` are left out of the copies' JSON.
  public var unknownKeys: JSONObject {
    get { storage.unknownKeys }
    set { self = GameEvent(guid: guid, game: game, sequence: sequence, at: at, content: content, unknownKeys: newValue) }
  }
}

/// The content of an event, by its type.
public enum EventContent: Equatable, Sendable {
  /// A game is announced or begins.
  case startGame(StartGame)
  /// A question opens.
  case askQuestion(AskQuestion)
  /// A question's new time for answers.
  case adjustTime(AdjustTime)
  /// Counters.
  case periodicInfo(PeriodicInfo)
  /// A question's result.
  case showResults(ShowResults)
  /// The game is over.
  case endGame(EndGame)
  /// An event of another type, with all its keys.
  case custom(EventType, JSONObject)

  /// The type.
  public var type: EventType {
    switch self {
    case .startGame: .startGame
    case .askQuestion: .askQuestion
    case .adjustTime: .adjustTime
    case .periodicInfo: .periodicInfo
    case .showResults: .showResults
    case .endGame: .endGame
    case .custom(let type, _): type
    }
  }

  /// The question that a result, or a change of the time for answers, is about.
  package var questionGUID: GUID? {
    switch self {
    case .adjustTime(let content): content.questionGuid
    case .showResults(let content): content.questionGuid
    case .startGame, .askQuestion, .periodicInfo, .endGame, .custom: nil
    }
  }

  /// The keys and values of the content, in their fixed order, without the envelope.
  public var object: JSONObject {
    var object = JSONObject()
    switch self {
    case .startGame(let content): content.write(to: &object)
    case .askQuestion(let content): content.write(to: &object)
    case .adjustTime(let content): content.write(to: &object)
    case .periodicInfo(let content): content.write(to: &object)
    case .showResults(let content): content.write(to: &object)
    case .endGame(let content): content.write(to: &object)
    case .custom(_, let keys): object = keys
    }
    return object
  }
}

extension EventContent {
  /// Reads the content of an event of `type` from `fields`, and removes it there.
  init(_ type: EventType, from fields: inout EventFields) throws(EventError) {
    switch type {
    case .startGame: self = .startGame(try StartGame(from: &fields))
    case .askQuestion: self = .askQuestion(try AskQuestion(from: &fields))
    case .adjustTime: self = .adjustTime(try AdjustTime(from: &fields))
    case .periodicInfo: self = .periodicInfo(try PeriodicInfo(from: &fields))
    case .showResults: self = .showResults(try ShowResults(from: &fields))
    case .endGame: self = .endGame(try EndGame(from: &fields))
    default:
      self = .custom(type, fields.rest)
      fields = EventFields(JSONObject())
    }
  }
}
