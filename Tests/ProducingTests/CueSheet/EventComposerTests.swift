import Basics
import CueSheet
import EventSchedule
import GameEvents
import Seals
import Sheets
import TestSupport
import Testing

/// Cues that arrive one by one.
@Suite struct EventComposerTests {
  private func composer(_ game: String = "g") -> EventComposer {
    EventComposer(game: game, title: "T", policy: CopyPolicy(), answers: .sealed(testKey))
  }

  @Test(arguments: ["quick-round.yaml", "friday-night-trivia.yaml"]) func oneAfterTheOtherTheyAreThoseOfTheSheet(name: String) throws {
    let bytes = try sample(name)
    let sealed = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .sealed(testKey))
    let open = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)
    var composer = composer(open.game)
    let events = try zip(open.events, sealed.events).map { planned, expected in
      var cue = CueSheetText.cue(for: planned.event, keepsGUID: false, keepsSequence: false).removing(["at"])
      if let currentFor = planned.currentFor { cue.append("currentFor", .string(currentFor.clockText)) }
      var event = try composer.event(of: JSONValue.object(cue).text, guid: expected.event.guid)
      event.event.at = expected.event.at
      return event
    }
    #expect(events == sealed.events)
  }

  @Test func aCueWithMistakesChangesNothing() throws {
    var composer = composer()
    #expect(try composer.event(of: "{ event: startGame, totalQuestions: 2 }", guid: "a").event.sequence == 1)
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: askQuestion, question: Q }", guid: "b") }
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: showResults }", guid: "b") }
    let asked = try composer.event(of: "event: askQuestion\nquestion: Q\nanswers: [A, B]\ncorrect: B\n", guid: "b").event
    let shown = try composer.event(of: "{ event: showResults, counts: [1, 2] }", guid: "c").event
    guard case .askQuestion(let question) = asked.content, case .showResults(let results) = shown.content else {
      return #expect(Bool(false))
    }
    #expect(asked.sequence == 2 && question.questionNumber == 1 && question.totalQuestions == 2 && question.correctAnswer == nil)
    #expect(shown.sequence == 3 && results.questionGuid == asked.guid && results.correctAnswer == 1 && results.salt != nil)
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: showResults }", guid: "d") }
  }

  @Test func eventsAreSigned() throws {
    var composer = EventComposer(game: "g", title: "T", policy: CopyPolicy(), answers: .sealed(testKey), sign: TestSignature.sign)
    let planned = try composer.event(of: "{ event: poll, options: [a], currentFor: 2 }", guid: "a")
    #expect(planned == TestSignature.signed(planned) && planned.signature != nil && planned.currentFor == MediaTime(seconds: 2))
    var failing = EventComposer(game: "g", policy: CopyPolicy(), answers: .open) { _ in nil }
    let error = #expect(throws: SheetError.self) { try failing.event(of: "{ event: poll }", guid: "a") }
    #expect(error?.problems.map(\.message) == ["the event cannot be signed"])
    // With a signer, a cue has no key `signature` of its own.
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: poll, signature: mine }", guid: "b") }
  }

  @Test func identifiersStayApart() throws {
    var composer = composer()
    _ = try composer.event(of: "{ event: poll, guid: p }", guid: "a")
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: poll, guid: p }", guid: "b") }
    #expect(throws: SheetError.self) { try composer.event(of: "{ event: poll }", guid: "p") }
    // Equal cues of a sheet are different events.
    let cues = String(repeating: "  - { at: 3s, event: poll }\n", count: 3)
    let events = try CueSheet.parse("game: g\ncues:\n\(cues)", policy: CopyPolicy(), answers: .open).events.map(\.event)
    #expect(Set(events.map(\.guid)).count == 3 && events.map(\.sequence) == [1, 2, 3])
  }
}

extension EventComposer {
  /// Composes an event of a cue that is written as text.
  fileprivate mutating func event(of cue: String, guid: String) throws -> PlannedEvent {
    try event(of: try #require(try SheetNode.parse(cue)).root, guid: try #require(GUID(guid)))
  }

  fileprivate mutating func event(of cue: String, guid: GUID) throws -> PlannedEvent { try event(of: cue, guid: guid.text) }
}
