import Basics
import GameEvents

extension GUID {
  /// The identifier of a text that is known to be one.
  static func of(_ text: String) -> GUID {
    guard let guid = GUID(text) else { preconditionFailure("no GUID: \(text)") }
    return guid
  }
}

extension JSONNumber {
  /// The number of a text that is known to be one.
  static func of(_ text: String) -> JSONNumber {
    guard let number = JSONNumber(text) else { preconditionFailure("no number: \(text)") }
    return number
  }
}

extension MediaTime {
  static func seconds(_ seconds: Int) -> MediaTime { MediaTime(seconds: seconds) }
}

/// Events of the game `friday` to choose from.
enum EventSample {
  static func event(
    _ guid: String, _ content: EventContent, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil
  ) -> GameEvent {
    GameEvent(guid: .of(guid), game: game, sequence: sequence, at: seconds.map { .seconds($0) }, content: content)
  }

  static func start(_ guid: String = "start", game: String? = "friday", sequence: Int? = 1, at seconds: Int? = 2) -> GameEvent {
    event(guid, .startGame(StartGame(title: "Friday Night", totalQuestions: 3)), game: game, sequence: sequence, at: seconds)
  }

  static func ask(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    let content = AskQuestion(question: "Which?", answers: ["A", "B"], questionNumber: 1, allottedTime: .seconds(10))
    return event(guid, .askQuestion(content), game: game, sequence: sequence, at: seconds)
  }

  static func info(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .periodicInfo(PeriodicInfo(viewers: 5)), game: game, sequence: sequence, at: seconds)
  }

  static func show(
    _ guid: String, of question: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil
  ) -> GameEvent {
    let content = ShowResults(questionGuid: .of(question), questionNumber: 1, correctAnswer: 0)
    return event(guid, .showResults(content), game: game, sequence: sequence, at: seconds)
  }

  static func end(_ guid: String = "end", game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .endGame(EndGame(totalQuestions: 3)), game: game, sequence: sequence, at: seconds)
  }

  static func poll(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .custom(EventType("poll"), JSONObject()), game: game, sequence: sequence, at: seconds)
  }
}

extension EventLog {
  /// Takes a copy of an event at so many seconds of the programme; without a time, when the event happens.
  mutating func accept(_ event: GameEvent, seenAt seconds: Int? = nil, isVerified: Bool = true) -> Outcome {
    let time = seconds.map { MediaTime(seconds: $0) } ?? event.at ?? .zero
    let age = max(event.at.map { time - $0 } ?? .zero, .zero)
    return accept(EventCopy(of: event, copies: 3, age: age, isVerified: isVerified), at: time)
  }

  /// The texts of the GUIDs of a game's entries, in their order.
  func guids(of game: String = "friday") -> [String] { entries(of: GameID(game)).map { $0.event.guid.text } }
}
