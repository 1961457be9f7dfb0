import Basics
import GameEvents
import Scoring
import TestSupport
import Testing

@testable import cuelight

/// What a person who plays reads of the points, and the clock by which they play.
@Suite struct PlayWordsTests {
  @Test func resultsAndPoints() throws {
    #expect(Self.words(PlaySample.game(keys: [(81, 2), (121, 1)], to: 150)) == "Your result: 1 of 2.")
    let game = PlaySample.game(keys: [(81, 1), (90, 2)], to: 110, rules: try ScoringRules(parsing: "speed:100"))
    #expect(PlayWords.score(game.score) == "50 points, 1 of 1 right")
  }

  private static func words(_ game: SoloGame) -> String { PlayWords.result(game.state, game.score) }

  @Test func theTitleOfANewGame() {
    var game = PlaySample.game(keys: [(81, 2)], to: 150)
    let event = GameEvent(
      guid: PlaySample.guid("other"), game: "h", sequence: 1, at: MediaTime(seconds: 160),
      content: .startGame(StartGame(title: "Other", totalQuestions: 1)))
    _ = game.receive(EventCopy(of: event), at: MediaTime(seconds: 160))
    #expect(PlayWords.title(game.state) == "Other")
  }

  @Test func theClockKeepsTheProgrammesTime() {
    let start = SuspendingClock.now
    var clock = PlayClock(showing: MediaTime(seconds: 10), at: start, speed: 4)
    #expect(clock.time(at: start + .milliseconds(1_500)) == MediaTime(seconds: 16))
    clock.set(to: MediaTime(seconds: 12), at: start + .seconds(9))
    #expect(clock.time(at: start + .seconds(10)) == MediaTime(seconds: 16))
  }
}
