import Seals
import Basics
import CueSheet
import GameEvents
import GameState
import Scoring

/// The game of one person: the state, the person's answers, and what is to be said about them.
///
/// It has no clock, no terminal and no stream, so that a test can play with it.
struct PlayGame {
  /// What is said about a key.
  enum Reply: Equatable {
    case selected(answer: Int, changedFrom: Int?)
    case tooLate(answer: Int)
    case noQuestion
    case unknownAnswer(answer: Int, count: Int)
    case eliminated
  }

  /// What became of a question for the person.
  enum Verdict: Equatable {
    case right
    case wrong
    case notAnswered
    /// The result does not open the question's seal.
    case void
  }

  /// The points so far.
  struct Score: Equatable {
    var right = 0
    /// How many questions were decided.
    var decided = 0
    /// What the rules award, where there are any.
    var points: Int?
    /// The number of the question that put the person out.
    var outAt: Int?

    /// Whether the person was out before a question, and so could not answer it.
    func isOut(before question: GameState.Question?) -> Bool { outAt.map { $0 != question?.content.questionNumber } ?? false }
  }

  /// Something that happened, and the points then.
  struct Moment: Equatable {
    var transition: Transition
    var score: Score
  }

  private(set) var machine = GameStateMachine(verifySeal: AnswerSeal.verify)
  /// What is to be said about the last key.
  private(set) var reply: Reply?
  /// The question of which that was said.
  private var replyQuestion: GUID?
  /// The questions of the current game that were decided.
  private var decided: Set<GUID> = []
  /// The game to which that belongs.
  private var current: GameID?
  private let rules: ScoringRules?
  private var scored: (id: GameID, game: ScoredGame, player: PlayerID)?

  /// A game that is scored by `rules`; with `nil` by the number of right answers.
  init(rules: ScoringRules?) { self.rules = rules }

  var state: GameState { machine.state }

  /// Takes what the stream brings.
  mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [Moment] { take(machine.receive(copy, at: time)) }

  /// Lets the time pass.
  mutating func advance(to time: MediaTime) -> [Moment] { take(machine.advance(to: time)) }

  /// Ends the stream.
  mutating func finish() -> [Moment] { take(machine.finish()) }

  /// Takes a key that selects an answer, from 1.
  mutating func press(_ number: Int, at time: MediaTime) -> [Moment] {
    let moments = advance(to: time)
    let (answer, before) = (number - 1, state.question?.selectedAnswer)
    replyQuestion = state.subject
    if state.phase == .asking, scoredPlayer?.outAt != nil {
      reply = .eliminated
      return moments
    }
    // Nothing is due any more, so selecting brings no transitions.
    switch machine.select(answer: answer, at: time).outcome {
    case .accepted:
      if let question = state.question?.guid, let player = scored?.player, let now = machine.time {
        _ = scored?.game.answer(answer, to: question, by: player, at: now)
      }
      reply = .selected(answer: answer, changedFrom: before == answer ? nil : before)
    case .tooLate: reply = .tooLate(answer: answer)
    case .noQuestion: reply = .noQuestion
    case .unknownAnswer: reply = .unknownAnswer(answer: answer, count: state.question?.content.answers.count ?? 0)
    }
    return moments
  }

  /// The points so far.
  var score: Score { score(of: state) }

  private func score(of state: GameState) -> Score {
    let player = scoredPlayer
    return Score(right: state.score, decided: decided.count, points: player?.score, outAt: player?.outAt)
  }

  private var scoredPlayer: Standing? {
    guard var scored else { return nil }
    return scored.game.standing(of: scored.player)
  }

  private mutating func take(_ transitions: [Transition]) -> [Moment] {
    transitions.map { transition in
      switch transition.kind {
      case .gameStarted, .lobbyOpened: reply = nil
      case .questionAsked, .questionClosed, .gameEnded: reply = nil
      case .resultsShown, .entryOpened, .infoUpdated, .joinedLate, .eventLost, .eventRecovered, .eventConflict, .sealBroken, .customEvent:
        break
      }
      // The result of a question that was missed: what was said of the one before does not belong to it.
      if transition.state.subject != replyQuestion { reply = nil }
      // What is learned of another game than the one that runs changes nothing here.
      if let id = transition.state.game {
        if current != id { enter(id) }
        scored?.game.follow(machine.log, game: id, upTo: machine.time ?? transition.time, verifySeal: AnswerSeal.verify)
      }
      let state = transition.state
      if state.correctAnswer != nil, state.result?.seal != .broken, let guid = state.question?.guid { decided.insert(guid) }
      return Moment(transition: transition, score: score(of: state))
    }
  }

  private mutating func enter(_ id: GameID) {
    current = id
    decided = []
    scored = nil
    guard let rules else { return }
    var game = ScoredGame(rules: rules)
    // The only player of a game can have any nickname.
    guard let player = try? game.join("you") else { return }
    scored = (id, game, player)
  }
}

extension GameState {
  /// The question that is shown, or whose result is.
  fileprivate var subject: GUID? { question?.guid ?? result?.content.questionGuid }

  /// What became of the current question for the person; `nil` while that is open.
  var verdict: PlayGame.Verdict? {
    guard let question, let right = correctAnswer else { return nil }
    if result?.seal == .broken { return .void }
    guard let selected = question.selectedAnswer else { return .notAnswered }
    return selected == right ? .right : .wrong
  }
}
