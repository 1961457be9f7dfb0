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
    let open = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)
    var composer = composer(open.game)
    let events = try open.events.map { planned in
      var cue = CueSheetText.cue(for: planned.event, keepsGUID: false, keepsSequence: false)
      if let currentFor = planned.currentFor { cue.append("currentFor", .string(currentFor.clockText)) }
      return try composer.event(of: JSONValue.object(cue).text)
    }
    #expect(events == (try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .sealed(testKey)).events))
  }

  @Test func aCueWithMistakesChangesNothing() throws {
    var composer = composer()
    #expect(try composer.event(of: "{ at: 1s, event: startGame, totalQuestions: 2 }").event.sequence == 1)
    #expect(throws: SheetError.self) { try composer.event(of: "{ at: 2s, event: askQuestion, question: Q }") }
    #expect(throws: SheetError.self) { try composer.event(of: "{ at: 2s, event: showResults }") }
    #expect(throws: SheetError.self) { try composer.event(of: "# nothing") }
    let asked = try composer.event(of: "at: 2s\nevent: askQuestion\nquestion: Q\nanswers: [A, B]\ncorrect: B\n").event
    let shown = try composer.event(of: "{ at: 3s, event: showResults, counts: [1, 2] }").event
    guard case .askQuestion(let question) = asked.content, case .showResults(let results) = shown.content else {
      return #expect(Bool(false))
    }
    #expect(asked.sequence == 2 && question.questionNumber == 1 && question.totalQuestions == 2 && question.correctAnswer == nil)
    #expect(shown.sequence == 3 && results.questionGuid == asked.guid && results.correctAnswer == 1 && results.salt != nil)
    #expect(throws: SheetError.self) { try composer.event(of: "{ at: 4s, event: showResults }") }
  }

  @Test func eventsAreSigned() throws {
    var composer = EventComposer(game: "g", title: "T", policy: CopyPolicy(), answers: .sealed(testKey), sign: TestSignature.sign)
    let planned = try composer.event(of: "{ at: 1s, event: poll, options: [a], currentFor: 2 }")
    #expect(planned == TestSignature.signed(planned) && planned.signature != nil && planned.currentFor == MediaTime(seconds: 2))
    var failing = EventComposer(game: "g", policy: CopyPolicy(), answers: .open) { _ in nil }
    let error = #expect(throws: SheetError.self) { try failing.event(of: "{ at: 1s, event: poll }") }
    #expect(error?.problems.map(\.message) == ["the event cannot be signed"])
    // With a signer, a cue has no key `signature` of its own.
    #expect(throws: SheetError.self) { try composer.event(of: "{ at: 2s, event: poll, signature: mine }") }
  }

  @Test func identifiersStayApart() throws {
    var composer = composer()
    _ = try composer.event(of: "{ at: 1s, event: poll, guid: p }")
    #expect(throws: SheetError.self) { try composer.event(of: "{ at: 2s, event: poll, guid: p }") }
    // Equal cues are different events.
    let events = try (0..<3).map { _ in try composer.event(of: "{ at: 3s, event: poll }").event }
    #expect(Set(events.map(\.guid)).count == 3 && events.map(\.sequence) == [2, 3, 4])
  }

  /// The CRC-32 of the given identifier is that of the one that would be derived first, as in `IdentifierTests`.
  @Test func derivedIdentifiersKeepAwayFromEqualChecksums() throws {
    var composer = composer()
    _ = try composer.event(of: "{ at: 1, event: b, guid: event-955353342 }")
    #expect(try composer.event(of: "{ at: 2, event: a }").event.guid.text == "234e4d77-2d66-5145-8ca6-62bbd9ef6aed")
  }
}
