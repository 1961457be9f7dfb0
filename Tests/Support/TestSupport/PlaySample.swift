import Basics
package import GameEvents
package import Scoring
import Seals
import StateMachine

/// A game to play: two questions, the first open, the second sealed with a seal that its result does not open.
package enum PlaySample {
  package static func copy(_ name: String, _ sequence: Int, at seconds: Int, _ content: EventContent) -> EventCopy {
    guard let guid = GUID(name) else { preconditionFailure("no identifier: \(name)") }
    return EventCopy(of: GameEvent(guid: guid, game: "g", sequence: sequence, at: MediaTime(seconds: seconds), content: content))
  }

  package static func guid(_ name: String) -> GUID { copy(name, 1, at: 0, .startGame(StartGame(title: "", totalQuestions: 1))).event.guid }

  package static let start = copy(
    "start", 1, at: 1, .startGame(StartGame(title: "Quick Quiz", totalQuestions: 2, startsIn: MediaTime(seconds: 70))))

  package static func ask(_ question: String = "Which metal is liquid?", answers: [String] = ["Iron", "Mercury", "Gold"]) -> EventCopy {
    copy(
      "ask", 2, at: 80,
      .askQuestion(
        AskQuestion(question: question, answers: answers, questionNumber: 1, allottedTime: MediaTime(seconds: 20), correctAnswer: 1)))
  }

  package static func show(explanation: String? = "It melts at -39 degrees.", url: String? = nil) -> EventCopy {
    copy(
      "show", 3, at: 105,
      .showResults(
        ShowResults(
          questionGuid: guid("ask"), questionNumber: 1, correctAnswer: 1, counts: [31, 402, 67], explanation: explanation,
          url: url)))
  }

  package static let askSealed = copy(
    "ask-2", 4, at: 120,
    .askQuestion(
      AskQuestion(question: "Which?", answers: ["A", "B"], questionNumber: 2, allottedTime: MediaTime(seconds: 5), seal: "no seal")))
  package static let showBroken = copy(
    "show-2", 5, at: 130, .showResults(ShowResults(questionGuid: guid("ask-2"), questionNumber: 2, correctAnswer: 0, salt: "salt")))
  package static let end = copy("end", 6, at: 140, .endGame(EndGame(totalQuestions: 2, winners: ["Ada"])))

  /// A game that has come to a time, after the copies before that and keys at their seconds.
  package static func game(
    _ copies: [EventCopy] = [start, ask(), show(), askSealed, showBroken, end], keys: [(second: Double, number: Int)] = [],
    to second: Double,
    rules: ScoringRules? = nil
  ) -> SoloGame {
    var game = SoloGame(rules: rules)
    _ = moments(of: &game, copies, keys: keys, to: second)
    return game
  }

  /// Plays on to a time.
  package static func moments(
    of game: inout SoloGame, _ copies: [EventCopy], keys: [(second: Double, number: Int)] = [], to second: Double
  ) -> [SoloGame.Moment] {
    var moments: [SoloGame.Moment] = []
    var keys = keys[...]
    for copy in copies {
      guard let time = copy.programmeTime, time <= MediaTime(seconds: second) else { break }
      while let key = keys.first, MediaTime(seconds: key.second) < time {
        moments += game.press(key.number, at: MediaTime(seconds: key.second))
        keys.removeFirst()
      }
      moments += game.receive(copy, at: time)
    }
    for key in keys where key.second <= second { moments += game.press(key.number, at: MediaTime(seconds: key.second)) }
    return moments + game.advance(to: MediaTime(seconds: second))
  }
}

extension SoloGame {
  /// A game that checks seals.
  package init(rules: ScoringRules?) { self.init(rules: rules, verifySeal: AnswerSeal.verify) }
}
