import Basics
import CueSheet
import EventSchedule
import Sheets
import Testing

@Suite struct BreakWarningTests {
  /// A question of ten seconds at 20 s, in line 5.
  private static let text = """
    game: g
    title: T
    cues:
    - {at: 1s, event: startGame}
    - {at: 20s, event: askQuestion, question: Which planet?, answers: [Mars, Mercury], correct: Mars, allottedTime: 10s}
    - {at: timeUp + 2s, event: showResults}
    - {at: +5s, event: endGame}
    """

  @Test(arguments: [(10, 20), (30, 40)]) func aBreakBesideTheQuestionIsNoWarning(_ from: Int, _ to: Int) throws {
    let sheet = try CueSheet.parse(Self.text, policy: CopyPolicy(), answers: .open)
    #expect(sheet.warnings(breaks: [MediaTime(seconds: from)..<MediaTime(seconds: to)]) == [])
  }

  @Test(arguments: [(10, 21), (29, 40), (22, 24)]) func aBreakThatMeetsTheQuestionIsNamedWithItsLine(_ from: Int, _ to: Int) throws {
    let sheet = try CueSheet.parse(Self.text, policy: CopyPolicy(), answers: .open)
    let warnings = sheet.warnings(breaks: [MediaTime(seconds: from)..<MediaTime(seconds: to)])
    #expect(warnings.map(\.line) == [5])
    #expect(
      warnings.map(\.message) == [
        "question 1, which takes answers from 00:20.000 to 00:30.000, meets the ad break from 00:\(from).000 to 00:\(to).000; move it"
      ])
  }
}
