import Basics
import CueSheet
import EventSchedule
import Sheets
import TestSupport
import Testing

/// What is allowed in a cue sheet and seldom meant.
@Suite struct RunningOrderTests {
  private static let start = "at: 0, event: startGame"
  private static let end = "at: 60, event: endGame"

  private func warnings(_ text: String) -> [String] {
    let reading = CueSheet.read(Array(text.utf8), policy: CopyPolicy(), answers: .sealed(testKey))
    #expect(reading.mistakes == [] && reading.sheet?.warnings == reading.warnings)
    return reading.warnings.map(\.description)
  }

  private static func ask(_ time: String, _ more: String = "allottedTime: 5") -> String { question(at: time, "correct: A, \(more)") }

  @Test(arguments: ["quick-round.yaml", "friday-night-trivia.yaml"]) func theSamplesHaveNone(name: String) throws {
    #expect(try CueSheet.parse(try sample(name), policy: CopyPolicy(), answers: .sealed(testKey)).warnings == [])
  }

  @Test func aWholeGameHasNone() {
    #expect(
      warnings(
        sheet(
          Self.start, Self.ask("1"), "at: 3, event: adjustTime, allottedTime: 9", "at: 10, event: showResults", Self.ask("10"),
          "at: 11, event: poll, options: [a]", "at: 12, event: adjustTime, allottedTime: 0", "at: 12, event: showResults", Self.end)) == [])
    // Results in a row at the end are shown one after the other where no question is between them.
    #expect(warnings(sheet("at: 1, event: poll", "at: 2, event: periodicInfo, viewers: 1")) == [])
  }

  private static let orderCases: [([String], [String])] = [
    (
      [start, ask("1"), "at: 4, event: showResults", end],
      ["6:5: the result of question 1 comes before its time is up at 00:06.000; move it, or shorten allottedTime"]
    ),
    (
      [start, ask("1"), "at: 2, event: adjustTime, allottedTime: 9", "at: 9, event: showResults", end],
      ["7:5: the result of question 1 comes before its time is up at 00:10.000; move it, or shorten allottedTime"]
    ),
    ([start, ask("1"), end], ["5:5: question 1 has no result, so that players never see the right answer; add a showResults"]),
    (
      [start, ask("1"), ask("3"), "at: 9, event: showResults", end],
      [
        "5:5: question 1 has no result, so that players never see the right answer; add a showResults",
        "6:5: question 2 is asked while question 1 in line 5 takes answers, until 00:06.000",
      ]
    ),
    (
      [start, ask("1"), ask("6"), "at: 12, event: showResults", "at: 13, event: showResults, questionNumber: 1", end],
      ["8:5: the result of question 1 comes after question 2 in line 6, and is not shown any more"]
    ),
    (
      [start, ask("1"), "at: 6, event: showResults", ask("58"), "at: 60, event: endGame"],
      [
        "7:5: question 2 has no result, so that players never see the right answer; add a showResults",
        "8:5: the game ends while question 2 in line 7 takes answers, until 01:03.000",
      ]
    ),
    (
      [ask("1"), "at: 6, event: showResults"],
      ["4:5: the game has no startGame; add one before this askQuestion", "5:5: the game has no endGame; add one after this showResults"]
    ),
    (
      [ask("1"), "at: 2, event: startGame", "at: 6, event: showResults", end],
      ["4:5: question 1 is asked before the startGame in line 5; move one of them"]
    ),
    (
      ["at: 0, event: startGame, startsIn: 10", ask("3"), "at: 8, event: showResults", end],
      ["5:5: question 1 is asked before the game begins at 00:10.000: the startGame in line 4 counts down"]
    ),
    ([start, "at: 5, event: startGame", end], ["5:5: the game begins in line 4 already, and not again here; remove one startGame"]),
    (
      [start, ask("1"), "at: 7, event: adjustTime, allottedTime: 9", "at: 8, event: showResults", end],
      ["6:5: question 1 in line 5 takes no answers any more, so that this changes nothing"]
    ),
  ]

  @Test(arguments: orderCases) func orders(cues: [String], expected: [String]) {
    #expect(warnings("game: g\ntitle: T\ncues:\n" + cues.map { "  - { \($0) }\n" }.joined()) == expected)
  }

  /// Warnings come in the order of the text, whatever the order of times.
  @Test func theOrderOfTheText() {
    #expect(
      warnings(sheet("at: 60, event: endGame", "at: 4, event: showResults", Self.ask("1"), Self.start)) == [
        "5:5: the result of question 1 comes before its time is up at 00:06.000; move it, or shorten allottedTime"
      ])
  }

  @Test(arguments: [
    ("showAnswer", "showResults"), ("reveal", "showResults"), ("show__results", "showResults"), ("SHOW-RESULT", "showResults"),
    ("nextQuestion", "askQuestion"), ("ASK_QUESTION", "askQuestion"), ("game-over", "endGame"), ("start.game!", "startGame"),
    ("extendTime", "adjustTime"), ("viewers", "periodicInfo"),
  ])
  func namesThatLookLikeTheGames(name: String, meant: String) {
    #expect(
      warnings(sheet("at: 1, event: \(name), x: 1")) == [
        "4:21: \"\(name)\" is an event of your own, which apps that do not know it pass over; did you mean \"\(meant)\"?"
      ])
  }

  @Test(arguments: ["poll", "showPicture", "sponsor", "goal", "com.example.score", "chat", "1", "confetti"])
  func namesOfOnesOwn(name: String) { #expect(warnings(sheet("at: 1, event: \(name)")) == []) }

  /// A sheet with mistakes is not judged by its order, since its cues may be incomplete.
  @Test func mistakesAndWarnings() {
    let text = "game: g\ntitle: T\ncues:\n  - { at: 1, event: reveal }\n  - at: 2\n    event: askQuestion\n    question: Who was #1?\n"
    let reading = CueSheet.read(Array(text.utf8), policy: CopyPolicy(), answers: .open)
    #expect(reading.sheet == nil && reading.mistakes.map(\.line) == [5, 5])
    #expect(reading.warnings.map { "\($0.line):\($0.column)" } == ["4:21", "7:23"])
    #expect(
      CueSheet.read([0xFF], policy: CopyPolicy(), answers: .open).mistakes.map(\.description) == [
        "1:1: this is not UTF-8; save the cue sheet as UTF-8"
      ])
  }

  /// The time grows with the cues.
  @Test func manyCues() {
    let cues = (0..<4_000).map { "  - { \(Self.ask("\($0)", "allottedTime: 3000")) }\n" }.joined()
    let reading = CueSheet.read(Array("game: g\ncues:\n\(cues)".utf8), policy: CopyPolicy(), answers: .open)
    // Each but the first is over another one, none has a result, and the game neither begins nor ends.
    #expect(reading.mistakes == [] && reading.warnings.count == 3_999 + 4_000 + 2)
  }
}
