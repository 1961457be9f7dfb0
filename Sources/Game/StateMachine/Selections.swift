import Basics
import GameEvents

/// The player's answers, with the times at which they were selected, so that the state can be folded again at any time.
struct Selections: Sendable {
  /// One choice of an answer.
  struct Selection: Sendable {
    var answer: GivenAnswer
    var time: MediaTime
  }

  /// The player's score in a game for questions that are no longer in the log.
  struct Settled: Sendable {
    var score = 0
    var answered = 0
  }

  /// How many selections are kept for one question. The earlier ones matter only after a seek.
  static let largestCount = 32

  /// What the player did in one game.
  private struct Played: Sendable {
    var selections: [GUID: [Selection]] = [:]
    var settled = Settled()
  }

  private var games: [GameID: Played] = [:]

  /// Selects an answer. What the player selected later in the programme, before going back in it, no longer counts.
  mutating func select(_ answer: GivenAnswer, of question: GUID, game: GameID, at time: MediaTime) {
    var list = games[game]?.selections[question] ?? []
    list.removeAll { $0.time >= time }
    if list.count >= Self.largestCount { list.removeFirst() }
    list.append(Selection(answer: answer, time: time))
    games[game, default: Played()].selections[question] = list
  }

  /// The answer that is selected at `time`.
  func answer(to question: GUID, game: GameID, at time: MediaTime) -> GivenAnswer? {
    games[game]?.selections[question]?.last { $0.time <= time }?.answer
  }

  /// The answer that counts if the question closes at `time`: an answer at that very moment is too late.
  func answer(to question: GUID, game: GameID, before time: MediaTime) -> GivenAnswer? {
    games[game]?.selections[question]?.last { $0.time < time }?.answer
  }

  /// The score of questions that are no longer in the log.
  func settled(in game: GameID) -> Settled { games[game]?.settled ?? Settled() }

  /// Removes the selections whose events were removed from the log. For the running game, the score of its `answers` is kept.
  mutating func prune(keeping log: EventLog, running: GameID?, _ answers: [GUID: GameFold.Answer]) {
    let known = Set(log.games)
    for (game, played) in games {
      guard known.contains(game) else {
        games[game] = nil
        continue
      }
      var left = played
      for question in played.selections.keys where log.entry(question, of: game) == nil {
        left.selections[question] = nil
        guard running == game, let answer = answers[question] else { continue }
        left.settled.answered += 1
        if answer.isRight == true { left.settled.score += 1 }
      }
      games[game] = left
    }
  }
}

/// The outcome of selecting an answer.
public enum SelectionOutcome: Equatable, Sendable {
  /// It is the player's answer until another is selected.
  case accepted
  /// There is no question.
  case noQuestion
  /// The question has no such answer.
  case unknownAnswer
  /// The question's time is up.
  case tooLate
}
