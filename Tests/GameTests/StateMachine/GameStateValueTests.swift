import Basics
import EventSchedule
import Foundation
import GameEvents
import StateMachine
import TestSupport
import Testing

/// States and transitions as values: made by callers, saved, and in words.
@Suite struct GameStateValueTests {
  private static let guid = SampleGame.guid("made")

  /// The transitions of the sample game, with an answer.
  private static func transitions() -> [GameTransition] {
    var machine = GameStateMachine(verifySeal: nil)
    var transitions: [GameTransition] = []
    for planned in SampleGame.plan("friday", .open) {
      let copy = EventCopy(of: planned.event)
      transitions += machine.receive(copy, at: copy.programmeTime ?? .zero)
      if machine.state.phase == .asking { transitions += machine.select(answer: 1, at: copy.programmeTime ?? .zero).transitions }
    }
    return transitions + machine.finish()
  }

  @Test func transitionsAreSavedAndReadAgain() throws {
    let transitions = Self.transitions()
    #expect(transitions.count >= 5)
    let saved = try JSONEncoder().encode(transitions)
    #expect(try JSONDecoder().decode([GameTransition].self, from: saved) == transitions)
  }

  @Test func eventsAreSavedAsTheirJSON() throws {
    for planned in SampleGame.plan("friday", .sealed) {
      let saved = try JSONEncoder().encode([planned.event])
      #expect(try JSONDecoder().decode([String].self, from: saved) == [EventCopy(of: planned.event).text])
      #expect(try JSONDecoder().decode([GameEvent].self, from: saved) == [planned.event])
    }
  }

  @Test(arguments: [#"[""]"#, #"["{}"]"#, #"["{\"eventType\":\"endGame\",\"guid\":\"a\"}"]"#, "[1]"])
  func whatIsNoEventIsRefused(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([GameEvent].self, from: Data(text.utf8)) }
  }

  @Test func anEventOfAnotherTypeIsRefusedInAState() throws {
    let question = GameState.Question(
      guid: Self.guid, AskQuestion(question: "?", answers: ["a", "b"], questionNumber: 1, allottedTime: .zero))
    let saved = String(decoding: try JSONEncoder().encode(question), as: UTF8.self)
    let other = EventCopy(of: GameEvent(guid: Self.guid, content: .endGame(EndGame(totalQuestions: 1)))).text
    let right = EventCopy(of: GameEvent(guid: Self.guid, content: .askQuestion(question.content))).text
    func escaped(_ text: String) -> String { text.replacingOccurrences(of: "\"", with: "\\\"") }
    #expect(saved.contains(escaped(right)))
    let wrong = saved.replacingOccurrences(of: escaped(right), with: escaped(other))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(GameState.Question.self, from: Data(wrong.utf8)) }
  }

  @Test func aStateIsMadeOfItsParts() {
    let content = AskQuestion(question: "Which?", answers: ["a", "b"], questionNumber: 2, allottedTime: MediaTime(seconds: 5))
    let question = GameState.Question(guid: Self.guid, content, opensAt: MediaTime(seconds: 2), selection: .one(1))
    let start = GameState.Start(guid: Self.guid, StartGame(title: "Show", totalQuestions: 3, startsIn: MediaTime(seconds: 400)))
    let state = GameState(phase: .asking, game: GameID("g"), start: start, question: question, score: 1, answered: 1)
    #expect(question.closesAt == MediaTime(seconds: 7) && question.selectedAnswer == 1)
    #expect(start.startsAt == MediaTime(seconds: 400) && start.entryOpensAt == MediaTime(seconds: 100))
    #expect(state.title == "Show" && state.question == question && state.correctAnswer == nil)
    #expect("\(state)" == #"asking: "Which?", closes at 7 s; 1 right of 1"#)
    let transition = GameTransition(.questionAsked, time: MediaTime(seconds: 2), guid: Self.guid, game: GameID("g"), state: state)
    #expect(
      "\(transition)" == #"questionAsked at 2 s, asking: "Which?", closes at 7 s; 1 right of 1"# && transition.eventTime == transition.time)
  }

  @Test func eventsAndCopiesAreSaidInWords() {
    let event = GameEvent(
      guid: Self.guid, game: "g", sequence: 2, at: MediaTime(seconds: 2), content: .endGame(EndGame(totalQuestions: 1)))
    #expect("\(event)" == "endGame #2 of g at 2 s (\(Self.guid))")
    #expect("\(EventCopy(of: event, copy: 1, copies: 3))" == "copy 1/3 of endGame #2 of g at 2 s (\(Self.guid))")
    let late = EventCopy(of: event, copy: 4, copies: 3, age: MediaTime(seconds: 9), isVerified: false)
    #expect("\(late)" == "refresh of endGame #2 of g at 2 s (\(Self.guid)), 9 s old, unverified")
  }
}
