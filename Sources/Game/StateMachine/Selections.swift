import Basics
import GameEvents

/// The player's answers, with the times at which they were selected, so that the state can be folded again at any time.
struct Selections: Sendable {
  /// One choice of an answer.
  struct Selection: Sendable {
    var answer: Int
    var time: MediaTime
  }

  /// What the player achieved in a game with questions that are no longer in the log.
  struct Settled: Sendable {
    var score = 0
    var answered = 0
  }

  /// How many changes of mind are kept for one question. Only what a seek shows depends on the earlier ones.
  static let largestCount = 32

  private var selections: [GameID: [GUID: [Selection]]] = [:]
  private var settled: [GameID: Settled] = [:]

  /// Selects an answer. What the player selected later in the programme, before going back in it, no longer counts.
  mutating func select(_ answer: Int, of question: GUID, game: GameID, at time: MediaTime) {
    var list = selections[game]?[question] ?? []
    list.removeAll { $0.time >= time }
    if list.count >= Self.largestCount { list.removeFirst() }
    list.append(Selection(answer: answer, time: time))
    selections[game, default: [:]][question] = list
  }

  /// The answer that is selected at `time`.
  func answer(to question: GUID, game: GameID, at time: MediaTime) -> Int? {
    selections[game]?[question]?.last { $0.time <= time }?.answer
  }

  /// The answer that counts where the question closes at `time`: an answer at that very moment comes too late.
  func answer(to question: GUID, game: GameID, before time: MediaTime) -> Int? {
    selections[game]?[question]?.last { $0.time < time }?.answer
  }

  /// What was achieved with questions that are no longer in the log.
  func settled(in game: GameID) -> Settled { settled[game] ?? Settled() }

  /// Removes the selections whose events have left the log. For the game that runs, the score of its `answers` is kept.
  mutating func prune(keeping log: EventLog, running: GameID?, _ answers: [GUID: GameFold.Answer]) {
    let games = Set(log.games)
    selections = selections.filter { games.contains($0.key) }
    settled = settled.filter { games.contains($0.key) }
    for (game, questions) in selections {
      for question in questions.keys where log.entry(question, of: game) == nil {
        selections[game]?[question] = nil
        guard running == game, let answer = answers[question] else { continue }
        settled[game, default: Settled()].answered += 1
        if answer.isRight == true { settled[game, default: Settled()].score += 1 }
      }
    }
  }
}

/// What became of an answer.
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
