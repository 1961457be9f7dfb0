import Basics
import CueSheet
import EventSchedule
import GameEvents
import Seals
import Testing

/// The cue sheet of a stream's events makes the same events again.
@Suite struct ExtractedSheetTests {
  private static let sheet = """
    game: g
    title: T
    cues:
    - { at: 0.04, event: startGame, startsIn: 5.000011, startsAt: 2026-11-20T20:00:00Z }
    - { at: 1, event: periodicInfo, viewers: 3, likes: 1.50, region: Europe }
    - { at: 6, event: askQuestion, question: Which?, answers: [Yes, "No"], correct: "No", allottedTime: 2.5, category: c, difficulty: d }
    - { at: 7, event: adjustTime, allottedTime: 10 }
    - { at: 20, event: showResults, counts: [1, 2], points: [0, 5], explanation: e, url: u, leaderboard: [{ nickname: Ada, score: 5, x: 1 }] }
    - { at: 21, event: askQuestion, question: Again?, answers: [a, b, c], correct: c }
    - { at: 40, event: showResults }
    - { at: 41, event: poll, options: [a, b], currentFor: 1 }
    - { at: 50, event: endGame, winners: [Ada] }
    """
  private static let key = SealKey(bytes: [UInt8](1...32))

  private func events(_ answers: CueSheet.AnswerMode? = nil) throws -> [GameEvent] {
    let mode = try answers ?? .sealed(#require(Self.key))
    return try CueSheet.parse(Self.sheet, policy: CopyPolicy(), answers: mode).events.map(\.event)
  }

  private func extracted(_ events: [GameEvent]) -> ExtractedSheet { ExtractedSheet(events, of: GameID("g"), comments: []) }

  @Test func theSameEventsComeOut() throws {
    let key = try #require(Self.key)
    for answers in [CueSheet.AnswerMode.sealed(key), .open] {
      let events = try events(answers)
      let extracted = extracted(events)
      #expect(extracted.isComplete && extracted.largeTag == nil)
      #expect(try CueSheet.parse(extracted.sheet.yaml, policy: CopyPolicy(), answers: answers).events.map(\.event) == events)
      #expect(
        extracted.remarks.map(\.text) == [
          "1 event is of a type of its own: for how long to repeat them is not in the stream; add currentFor: to their cues"
        ])
    }
  }

  /// A part of a show keeps its sequence numbers.
  @Test func partsKeepTheirNumbers() throws {
    let part = Array(try events().dropFirst(5).dropLast(2))
    let read = try CueSheet.parse(extracted(part).sheet.yaml, policy: CopyPolicy(), answers: .sealed(#require(Self.key)))
    #expect(read.events.map(\.event.sequence) == [6, 7] && read.events.map(\.event.guid) == part.map(\.guid))
  }

  @Test func whatIsNotInTheStreamIsTold() throws {
    let events = try events()
    let withoutResult = extracted(events.filter { $0.sequence != 7 })
    #expect(!withoutResult.isComplete)
    #expect(
      withoutResult.remarks.first?.text
        == "question 2 is sealed, and its result is not in the stream: add correct: to its cue, which is at 00:21.000")
    var forged = events
    if case .showResults(var results) = forged[4].content {
      results.correctAnswer = 0
      forged[4].content = .showResults(results)
    }
    #expect(
      extracted(forged).remarks.first?.text
        == "question 1 has a result that does not open its seal: add correct: to its cue, which is at 00:06.000")
  }

  @Test func largeTagsAreSaid() throws {
    var events = try events()
    events[0].content = .startGame(StartGame(title: String(repeating: "x", count: 2_000), totalQuestions: 2))
    let size = try #require(extracted(events).largeTag)
    #expect(size > 2_000 && extracted(events).isComplete)
  }
}
