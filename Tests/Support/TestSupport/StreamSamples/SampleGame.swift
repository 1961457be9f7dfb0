import Basics
package import EventSchedule
package import GameEvents

/// A short game to put into streams.
package enum SampleGame {
  /// How the right answer of the question travels.
  package enum Secrecy: Sendable {
    /// With the question.
    case open
    /// Hidden until the result.
    case sealed
  }

  /// The game's five events, from 0 s to 2.2 s, at ticks between those of the video frames. The right answer is 1.
  package static func plan(_ game: String = "friday", _ secrecy: Secrecy = .sealed) -> [PlannedEvent] {
    let question = AskQuestion(
      question: "Which planet has the shortest day?", answers: ["Earth", "Jupiter"], questionNumber: 1,
      allottedTime: MediaTime(ticks: 45_000), correctAnswer: secrecy == .open ? 1 : nil, seal: secrecy == .sealed ? "salt:1" : nil)
    let result = ShowResults(
      questionGuid: guid("\(game)-ask"), questionNumber: 1, correctAnswer: 1, salt: secrecy == .sealed ? "salt" : nil, counts: [7, 12])
    return [
      event(game, "start", 1, at: 0, .startGame(StartGame(title: "Friday", totalQuestions: 1))),
      event(game, "ask", 2, at: 72_001, .askQuestion(question)),
      event(game, "show", 3, at: 136_799, .showResults(result)),
      event(game, "info", 4, at: 140_000, .periodicInfo(PeriodicInfo(viewers: 1_204))),
      event(game, "end", 5, at: 198_000, .endGame(EndGame(totalQuestions: 1))),
    ]
  }

  /// One event, small enough for two packets.
  package static func short(_ name: String = "info", at ticks: Int64) -> PlannedEvent {
    event("g", name, 1, at: ticks, .periodicInfo(PeriodicInfo(viewers: 1)))
  }

  /// An event of a game, named by the game and what it is.
  package static func event(_ game: String, _ name: String, _ sequence: Int, at ticks: Int64, _ content: EventContent) -> PlannedEvent {
    PlannedEvent(
      GameEvent(guid: guid("\(game)-\(name)"), game: game, sequence: sequence, at: MediaTime(ticks: ticks), content: content))
  }

  /// The identifier of a text of 1 to 128 bytes.
  package static func guid(_ text: String) -> GUID {
    guard let guid = GUID(text) else { preconditionFailure("no identifier: \(text)") }
    return guid
  }

  /// Opens the seals of this game.
  package static func verifySeal(seal: String, salt: String, guid: GUID, right: RightAnswer) -> Bool {
    seal == "\(salt):\(right.sealedText)"
  }
}
