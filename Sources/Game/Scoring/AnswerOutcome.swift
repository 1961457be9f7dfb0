import Basics
import GameEvents

/// The outcome of an answer.
public enum AnswerOutcome: String, Equatable, Sendable, CustomStringConvertible {
  /// It counts, until the player changes it.
  case taken
  /// The question is not known yet. The answer will be judged once it is.
  case questionNotKnownYet
  /// The question had not been asked yet.
  case tooEarly
  /// The time for answers was up.
  case tooLate
  /// The question has no such answer.
  case unknownAnswer
  /// The player joined later.
  case beforeJoining
  /// The player is out of the game.
  case eliminated
  /// The player has given ``ScoredGame/largestAnswerCount`` earlier answers to the question.
  case tooMany
  /// There are too many questions.
  case unknownQuestion

  /// The text for the player.
  public var description: String {
    switch self {
    case .taken: "the answer is taken"
    case .questionNotKnownYet: "the question is not known yet; the answer is judged when it is"
    case .tooEarly: "the question had not been asked yet"
    case .tooLate: "the time for answers was up"
    case .unknownAnswer: "the question has no such answer"
    case .beforeJoining: "the answer is from before joining the game"
    case .eliminated: "the player is out of the game"
    case .tooMany: "the player has answered too often"
    case .unknownQuestion: "there are too many questions"
    }
  }
}

extension ScoredQuestion {
  /// Why an answer is refused; `nil` if it is taken.
  ///
  /// - Parameter first: The first time at which an answer of the player counts.
  func refusal(of submission: Submission, from first: MediaTime) -> AnswerOutcome? {
    if !form.codes.contains(submission.answer) { return .unknownAnswer }
    if submission.time < opensAt { return .tooEarly }
    if submission.time >= closesAt { return .tooLate }
    return submission.time < first ? .beforeJoining : nil
  }

  func accepts(_ submission: Submission, from first: MediaTime) -> Bool { refusal(of: submission, from: first) == nil }

  /// Whether another version of the question takes the same answers.
  func acceptsAsMuch(as other: ScoredQuestion?) -> Bool {
    guard let other else { return false }
    return opensAt == other.opensAt && closesAt == other.closesAt && form == other.form
  }
}
